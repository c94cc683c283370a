"""Segmentation scores as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from segboost.pipelines.segmentation.evaluation import Evaluation

TITLES = {
    "mean_iou": "mean intersection over union",
    "iou_foreground": "  foreground",
    "iou_background": "  background",
    "mean_recall": "mean recall (pixel accuracy in the paper)",
    "recall_foreground": "  foreground",
    "recall_background": "  background",
    "break_even": "precision = recall",
    "accuracy": "fraction of pixels labelled correctly",
}
CLASS_TITLES = {
    "mean_iou": "mean intersection over union of the classes",
    "mean_recall": "mean recall of the classes (class average)",
    "accuracy": "fraction of pixels labelled correctly (global accuracy)",
}


def show_scores(measured: Evaluation) -> None:
    """Print the scores as fractions, one per line, under the names of their JSON keys.

    With several classes, a line for each class follows.
    """
    several = measured.legend.n_classes > 2
    for name, title in (CLASS_TITLES if several else TITLES).items():
        typer.echo(f"  {name:18} {_shown(getattr(measured.scores, name))}  {title}")
    if several:
        matrix = measured.matrix
        typer.echo("  class              iou     recall")
        for name, iou, recall in zip(measured.legend.names, matrix.iou, matrix.recall, strict=True):
            typer.echo(f"    {name[:16]:16} {_shown(iou)}  {_shown(recall)}")


def _shown(value: float) -> str:
    return "   --" if math.isnan(value) else f"{value:.4f}"
