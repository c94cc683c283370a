"""``segboost evaluate``: evaluate a model on labelled images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segboost.cli.options import data, scientific
from segboost.cli.options.output import AsJSON
from segboost.cli.options.presets import AllowImport

if TYPE_CHECKING:
    from segboost.io.legend import ClassLegend


def evaluate(
    model: Annotated[Path, typer.Option(help="Model folder written by `segboost train`.")],
    dataset: data.Dataset = None,
    category: data.Category = None,
    data_root: data.DataRoot = None,
    images: data.Images = None,
    masks: data.Masks = None,
    foreground: data.Foreground = None,
    classes: data.Classes = None,
    mask_suffix: data.MaskSuffix = None,
    mask_kind: scientific.MaskKind = None,
    axes: scientific.Axes = None,
    split: Annotated[
        str | None,
        typer.Option(
            help="train, val, test or all; by default all for your own folders, else test."
        ),
    ] = None,
    jobs: data.Jobs = None,
    allow_import: AllowImport = None,
    as_json: AsJSON = False,
) -> None:
    """Evaluate a model on labelled images.

    Scores are fractions from 0 to 1, computed over the pixels of all images; void pixels are
    ignored.
    """
    given: dict[str, Any] = {
        "dataset": dataset, "category": category, "data_root": data_root, "images": images,
        "masks": masks, "foreground": foreground, "classes": classes, "mask_suffix": mask_suffix,
        "mask_kind": mask_kind, "axes": axes,
    }  # fmt: skip
    options = {name: value for name, value in given.items() if value is not None}
    if not {"dataset", "images", "masks"} & set(options):
        raise typer.BadParameter(
            "name labelled images: --images DIR --masks DIR|FILE, or --dataset NAME"
        )
    name = data.check_data(options)
    chosen = split or ("all" if name == "folders" else "test")
    if chosen not in ("train", "val", "test", "all"):
        raise typer.BadParameter("expected train, val, test or all", param_hint="--split")
    from segboost.cli.display.progress import RichProgress
    from segboost.cli.display.scores import show_scores
    from segboost.pipelines.runtime.single_thread import single_threaded
    from segboost.pipelines.segmentation.evaluation import evaluate_model
    from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter

    loaded = load_segmenter(model, allow_import or ())
    found = data.load_data(options, loaded.legend, loaded.preset.intensities)
    if found.intensities is not None and loaded.preset.intensities is None:
        _check_photographic(found.intensities.file_channels)
    _check_classes(found.legend.n_classes, loaded.legend)
    items = found.split(chosen)  # type: ignore[arg-type]
    with RichProgress() as progress, single_threaded():
        measured = evaluate_model(loaded, items, data.count_jobs(jobs), progress)
    if as_json:
        typer.echo(json.dumps(measured.summary(), allow_nan=False))
        return
    typer.echo(f"{found.name}, split {chosen}, {measured.scores.n_images} images:")
    show_scores(measured)


def _check_photographic(channels: int) -> None:
    """Raise unless a model of photographs can take this many channels; print the scaling used."""
    if channels not in (1, 3):
        raise ValueError(
            f"the images have {channels} channels, but the model was trained on photographs"
        )
    typer.echo("note: intensities scaled by percentiles of these images", err=True)


def _check_classes(n_classes: int, legend: ClassLegend) -> None:
    if n_classes != legend.n_classes:
        names = ", ".join(legend.names[:5]) + (", …" if legend.n_classes > 5 else "")
        raise typer.BadParameter(
            f"the masks have {n_classes} classes, the model {legend.n_classes} ({names}): give "
            "masks of the same classes"
        )
