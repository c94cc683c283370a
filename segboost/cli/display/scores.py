"""Segmentation scores as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from segboost.pipelines.segmentation.metrics.scores import SegmentationScores

TITLES = {
    "mean_iou": "mean intersection over union",
    "iou_foreground": "  foreground",
    "iou_background": "  background",
    "mean_recall": "mean recall (pixel accuracy in the paper)",
    "recall_foreground": "  foreground",
    "recall_background": "  background",
    "break_even": "precision = recall",
}


def show_scores(scores: SegmentationScores) -> None:
    """Print the scores as fractions, one per line, under the names of their JSON keys."""
    for name, title in TITLES.items():
        value = getattr(scores, name)
        shown = "   --" if math.isnan(value) else f"{value:.4f}"
        typer.echo(f"  {name:18} {shown}  {title}")
