"""``segboost train``: learn a segmenter, save it, measure it on the test images."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segboost.cli.options import data
from segboost.cli.options.cluster import Scheduler, chosen_cluster

if TYPE_CHECKING:
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
    from segboost.pipelines.segmentation.run import TrainingRun

SETTINGS = ("method", "preset", "C", "seed")
"""Options that are entries of the configuration too."""


def train(
    dataset: data.Dataset = None,
    category: data.Category = None,
    data_root: data.DataRoot = None,
    images: data.Images = None,
    masks: data.Masks = None,
    foreground: data.Foreground = None,
    mask_suffix: data.MaskSuffix = None,
    test_fraction: data.TestFraction = None,
    train_list: data.TrainList = None,
    test_list: data.TestList = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="structboost (default) or ssvm learn a CRF, adaboost or svm superpixels alone."
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="default, or paper: the features and potentials of the paper."),
    ] = None,
    C: Annotated[
        float | None,
        typer.Option(
            "--C", help="Weight of the training loss; by default chosen on validation images."
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="A JSON file of further settings.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The model folder; models/NAME by default."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            help="A folder for what stages make, which runs may share; OUTPUT/cache by default."
        ),
    ] = None,
    jobs: data.Jobs = None,
    scheduler: Scheduler = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of all that is drawn; 0 by default.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in --output, as it was begun.")
    ] = False,
) -> None:
    """Train a segmenter and say how it does on test images.

    Without options on drawn scenes, to try it out; with --images and --masks on your own; with
    --dataset graz02 --category bike on photographs below $SEGBOOST_DATA.

    What the stages make is kept: the same command again starts where it was stopped, and other
    settings re-run only what depends on them.
    """
    given = {k: v for k, v in locals().items() if v is not None}
    options = {k: v for k, v in given.items() if k not in ("output", "jobs", "scheduler", "resume")}
    if config is not None:
        options["config"] = _read_config(config)
    name = data.check_data(options) if not resume else ""
    folder = output or _default_folder(name, options)
    if folder.exists() and not folder.is_dir():
        raise typer.BadParameter(f"{folder} is a file: name a folder", param_hint="--output")
    options = _plain(options)
    if resume:
        options = _resume(folder, options)
    settings = _settings(options)
    from segboost.cli.display.progress import RichProgress
    from segboost.pipelines.segmentation.run import CACHE, run_training

    found = data.load_data(options)
    with chosen_cluster(scheduler), RichProgress() as progress:
        run = run_training(
            found,
            settings,
            folder,
            Path(options.get("cache", folder / CACHE)),
            data.count_jobs(jobs),
            progress,
            options,
        )
    _tell(run, len(found.train))


def _read_config(path: Path) -> dict[str, Any]:
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig

    return SegmentationConfig.read(path)


def _settings(options: dict[str, Any]) -> SegmentationConfig:
    """Return the configuration: the file's entries, then those of the command line."""
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig

    changes = {key: options[key] for key in SETTINGS if key in options}
    try:
        return SegmentationConfig.from_dict({**options.get("config", {}), **changes})
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _default_folder(name: str, options: dict[str, Any]) -> Path:
    parts = [name or str(options.get("dataset", "synthetic"))]
    parts += [str(options[key]) for key in ("category", "preset", "method") if key in options]
    return Path("models") / "-".join(parts)


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options as JSON values, with absolute paths, so that a resumed run finds them."""
    return {k: os.path.realpath(v) if isinstance(v, Path) else v for k, v in options.items()}


def _resume(folder: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that the run in a folder was begun with."""
    from segboost.pipelines.segmentation.run import SETTINGS as FILE

    try:
        begun: dict[str, Any] = dict(json.loads((folder / FILE).read_text()))
    except (OSError, ValueError):
        raise typer.BadParameter(
            f"there is no run to resume in {folder}: leave out --resume or name its --output"
        ) from None
    for key, value in options.items():
        if begun.get(key) != value:
            raise typer.BadParameter(
                f"the run in {folder} was begun with another --{key.replace('_', '-')}: "
                "leave out --resume, or that option"
            )
    return begun


def _tell(run: TrainingRun, n_train: int) -> None:
    from segboost.cli.display.scores import show_scores

    typer.echo(f"trained on {n_train} images" + (f", C = {run.C:g}" if run.C else ""))
    if run.evaluation is not None:
        typer.echo(f"test scores, {run.evaluation.scores.n_images} images:")
        show_scores(run.evaluation.scores)
    for stage in run.stages:
        typer.echo(f"  {stage.stage:12} {stage.wall:8.1f} s, {stage.cpu:8.1f} s CPU")
    cpu = sum(stage.cpu for stage in run.stages)
    peak = run.peak_bytes / 2**30
    typer.echo(f"{run.seconds:.1f} s in all, {cpu:.1f} s CPU, peak memory {peak:.2f} GB")
    typer.echo(f"model folder: {run.folder}")
