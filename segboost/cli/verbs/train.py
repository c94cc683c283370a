"""``segboost train``: train a segmentation model, save it and evaluate it on test images."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segboost.cli.options import data, scientific
from segboost.cli.options.cluster import Scheduler, chosen_cluster
from segboost.cli.options.output import check_output_folder
from segboost.cli.options.presets import AllowImport, read_preset, with_absolute_paths
from segboost.cli.options.usage_errors import as_usage_error

if TYPE_CHECKING:
    from segboost.datasets.base import SegmentationDataset
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
    from segboost.pipelines.segmentation.training_run import TrainingRun

SETTINGS = ("method", "preset", "C", "seed", "select")
"""Options that are also entries of the configuration."""
NOT_KEPT = ("output", "jobs", "scheduler", "resume", "show_config", "allow_import")
"""Options that may differ when a run is resumed; run.json keeps all others that were given."""
LARGEST_RUN = 2**26
"""Maximum size of run.json, in bytes."""

Method = Annotated[
    str | None,
    typer.Option(
        help="structboost (default) or ssvm: a CRF; trees: its strongest potential alone; adaboost "
        "or svm: each superpixel by itself, from visual words."
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE",
        help="Features and potentials: default, fast, classic (hand-made features), paper, or a "
        "JSON file of your own.",
    ),
]
LossWeight = Annotated[
    float | None,
    typer.Option(
        "--C", help="Weight of the training loss; chosen on validation images by default."
    ),
]
Select = Annotated[
    str | None,
    typer.Option(
        help="Measure for choosing C, loss and threshold: mean_iou (default), mean_recall or "
        "accuracy."
    ),
]
Config = Annotated[
    Path | None, typer.Option(help="JSON file of further settings; --show-config lists them all.")
]
ShowConfig = Annotated[
    bool, typer.Option("--show-config", help="Print all settings as JSON and exit.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Model folder; models/NAME by default.")
]
Cache = Annotated[
    Path | None,
    typer.Option(
        help="Folder for cached intermediate results, can be shared; OUTPUT/cache by default."
    ),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Random seed; 0 by default.")]
Resume = Annotated[
    bool, typer.Option("--resume", help="Resume the run in --output with its options.")
]


def train(
    dataset: data.Dataset = None,
    category: data.Category = None,
    data_root: data.DataRoot = None,
    images: data.Images = None,
    masks: data.Masks = None,
    foreground: data.Foreground = None,
    classes: data.Classes = None,
    mask_suffix: data.MaskSuffix = None,
    mask_kind: scientific.MaskKind = None,
    channels: scientific.Channels = None,
    axes: scientific.Axes = None,
    intensities: scientific.Intensities = None,
    test_fraction: data.TestFraction = None,
    train_list: data.TrainList = None,
    test_list: data.TestList = None,
    method: Method = None,
    preset: Preset = None,
    C: LossWeight = None,
    select: Select = None,
    config: Config = None,
    show_config: ShowConfig = False,
    allow_import: AllowImport = None,
    output: Output = None,
    cache: Cache = None,
    jobs: data.Jobs = None,
    scheduler: Scheduler = None,
    seed: Seed = None,
    resume: Resume = False,
) -> None:
    """Train a segmentation model and evaluate it.

    Trains on your own images with --images and --masks, on photographs in $SEGBOOST_DATA with
    --dataset graz02 --category bike, or, without options, on synthetic scenes to try it out.
    Masks may have two classes or more. Prints the scores on the test images.

    Intermediate results are cached: an interrupted run resumes when the command is repeated, and
    changed settings re-run only the stages that depend on them.
    """
    options = {k: v for k, v in locals().items() if v is not None and k not in NOT_KEPT}
    if config is not None:
        options["config"] = _read_config(config)
    if preset is not None:
        options["preset"] = read_preset(preset)
    if show_config:
        typer.echo(json.dumps(_settings(options, allow_import or ()).resolved(), indent=1))
        return
    files = [path for path in (config, classes, train_list, test_list) if path is not None]
    folder = _checked_folder(output, options, resume, files)
    options = _as_json_values(options)
    if resume:
        options = _resume(folder, options)
    settings = _settings(options, allow_import or ())
    from segboost.cli.display.progress import TrainingProgress
    from segboost.pipelines.segmentation.training_run import CACHE, run_training

    found = data.load_data(options)
    settings = _checked_settings(settings, found)
    with chosen_cluster(scheduler), TrainingProgress() as progress:
        run = run_training(
            found,
            settings,
            folder,
            Path(options.get("cache", folder / CACHE)),
            data.count_jobs(jobs),
            progress,
            options,
        )
    _print_result(run, len(found.train))


def _checked_folder(
    output: Path | None, options: dict[str, Any], resume: bool, files: Collection[Path]
) -> Path:
    """Return the model folder, after checking that a run can write it and replaces no input."""
    name = data.check_data(options) if not resume else ""
    folder = output or _default_folder(name, options)
    check_output_folder(folder)
    from segboost.pipelines.segmentation.run_folder import check_run_folder

    check_run_folder(folder, files)
    return folder


def _checked_settings(
    settings: SegmentationConfig, found: SegmentationDataset
) -> SegmentationConfig:
    """Return the settings for the images of a data set; a usage error if there are too few."""
    from segboost.pipelines.segmentation.checked_training import check_enough_images

    settings = scientific.adapt_settings(settings, found)
    with as_usage_error():
        check_enough_images(found.train, settings, found.legend)
    return settings


def _read_config(path: Path) -> dict[str, Any]:
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig

    document = SegmentationConfig.read_document(path)
    if isinstance(document.get("preset"), dict):
        document["preset"] = with_absolute_paths(document["preset"], path)
    return document


def _settings(options: dict[str, Any], allow_import: Collection[str]) -> SegmentationConfig:
    """Return the configuration: the entries of the file, overridden by the command line."""
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig

    changes = {key: options[key] for key in SETTINGS if key in options}
    try:
        settings = SegmentationConfig.from_dict({**options.get("config", {}), **changes})
        settings.refuse_imports(allow_import)
        return settings
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _default_folder(name: str, options: dict[str, Any]) -> Path:
    parts = [name or str(options.get("dataset", "synthetic"))]
    if isinstance(options.get("preset"), dict):
        options = {**options, "preset": options["preset"].get("name", "custom")}
    parts += [str(options[key]) for key in ("category", "preset", "method") if key in options]
    return Path("models") / "-".join(parts)


def _as_json_values(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options as JSON values, with absolute paths so that a resumed run finds them."""
    return {k: os.path.realpath(v) if isinstance(v, Path) else v for k, v in options.items()}


def _resume(folder: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that the run in a folder was started with."""
    from segboost.pipelines.segmentation.training_run import SETTINGS as FILE
    from segboost.storage.regular_file import read_regular

    try:
        started = json.loads(read_regular(folder / FILE, LARGEST_RUN))
    except OSError:
        raise typer.BadParameter(
            f"there is no run to resume in {folder}: omit --resume or correct --output"
        ) from None
    except (ValueError, RecursionError):
        started = None
    if not isinstance(started, dict) or not _matches_log(started, folder):
        raise typer.BadParameter(
            f"{folder / FILE} is damaged: repeat the command that started the run, without --resume"
        )
    for key, value in options.items():
        if started.get(key) != value:
            raise typer.BadParameter(
                f"the run in {folder} was started with a different --{key.replace('_', '-')}: "
                "omit either --resume or that option"
            )
    return started


def _matches_log(started: dict[str, Any], folder: Path) -> bool:
    """Return whether these options match those in the log of the run, if it has any."""
    from segboost.pipelines.runtime.run_log import read_run_log
    from segboost.pipelines.segmentation.training_run import LOG

    for name in (f"{LOG}.part", LOG):
        try:
            events = read_run_log(folder / name)
        except OSError:
            continue
        starts = [e["configuration"]["options"] for e in events if _has_options(e)]
        if starts:
            return bool(starts[-1] == started)
    return set(started) <= set(inspect.signature(train).parameters)


def _has_options(event: dict[str, Any]) -> bool:
    found = event.get("configuration")
    return event.get("event") == "start" and isinstance(found, dict) and "options" in found


def _print_result(run: TrainingRun, n_train: int) -> None:
    from segboost.cli.display.scores import show_scores

    typer.echo(f"trained on {n_train} images" + (f", C = {run.C:g}" if run.C else ""))
    if run.evaluation is not None:
        typer.echo(f"test scores, {run.evaluation.scores.n_images} images:")
        show_scores(run.evaluation)
    for stage in run.stages:
        typer.echo(f"  {stage.stage:30} {stage.wall:8.1f} s, {stage.cpu:8.1f} s CPU")
    cpu = sum(stage.cpu for stage in run.stages)
    peak = run.peak_bytes / 2**30
    typer.echo(f"{run.seconds:.1f} s in total, {cpu:.1f} s CPU, peak memory {peak:.2f} GB")
    typer.echo(f"model folder: {run.folder}")
