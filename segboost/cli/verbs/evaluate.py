"""``segboost evaluate``: evaluate a model on labelled images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from segboost.cli.options import data
from segboost.cli.options.presets import AllowImport


def evaluate(
    model: Annotated[Path, typer.Option(help="Model folder written by `segboost train`.")],
    dataset: data.Dataset = None,
    category: data.Category = None,
    data_root: data.DataRoot = None,
    images: data.Images = None,
    masks: data.Masks = None,
    foreground: data.Foreground = None,
    mask_suffix: data.MaskSuffix = None,
    split: Annotated[
        str | None,
        typer.Option(help="train, test or all; by default all for your own folders, else test."),
    ] = None,
    jobs: data.Jobs = None,
    allow_import: AllowImport = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Evaluate a model on labelled images.

    Scores are fractions from 0 to 1, computed over the pixels of all images; void pixels are
    ignored.
    """
    known = ("model", "split", "jobs", "allow_import", "as_json")
    options: dict[str, Any] = {
        k: v for k, v in locals().items() if k != "known" and k not in known and v is not None
    }
    if not {"dataset", "images", "masks"} & set(options):
        raise typer.BadParameter(
            "name labelled images: --images DIR --masks DIR, or --dataset NAME"
        )
    name = data.check_data(options)
    chosen = split or ("all" if name == "folders" else "test")
    if chosen not in ("train", "test", "all"):
        raise typer.BadParameter("expected train, test or all", param_hint="--split")
    from segboost.cli.display.progress import RichProgress
    from segboost.cli.display.scores import show_scores
    from segboost.pipelines.runtime.single_thread import single_threaded
    from segboost.pipelines.segmentation.evaluation import evaluate_model
    from segboost.pipelines.segmentation.model.files import load_segmenter

    loaded = load_segmenter(model, allow_import or ())
    found = data.load_data(options)
    items = found.train if chosen == "train" else found.test
    if chosen == "all":
        items = found.split("all")
    with RichProgress() as progress, single_threaded():
        scores = evaluate_model(loaded, items, data.count_jobs(jobs), progress).scores
    if as_json:
        typer.echo(json.dumps(scores.to_dict(), allow_nan=False))
        return
    typer.echo(f"{found.name}, split {chosen}, {scores.n_images} images:")
    show_scores(scores)
