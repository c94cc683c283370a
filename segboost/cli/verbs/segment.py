"""``segboost segment``: segment images with a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from segboost.cli.options import data, scientific
from segboost.cli.options.cluster import Scheduler, chosen_cluster
from segboost.cli.options.output import Overwrite, check_output_folder
from segboost.cli.options.presets import AllowImport

if TYPE_CHECKING:
    from segboost.pipelines.batch.image_result import ImageResult
    from segboost.pipelines.batch.run import BatchRun
    from segboost.pipelines.runtime.resources import Usage

SEGMENTING = "segboost.pipelines.batch.segmenting"
"""Module that worker processes import while this process is still starting."""
MOST_SHOWN = 20

Overlay = Annotated[
    bool, typer.Option("--overlay", help="Also write overlays/NAME.png: classes and borders.")
]
Scores = Annotated[
    bool, typer.Option("--scores", help="Also write scores/NAME.png: the score map, 16-bit.")
]
Probabilities = Annotated[
    bool,
    typer.Option(
        "--probabilities",
        help="Also write probabilities/NAME.png: foreground probability times 65535, 16-bit; "
        "for several classes NAME.0.png, NAME.1.png, …",
    ),
]


def segment(
    inputs: Annotated[
        list[str], typer.Argument(metavar="IMAGE|DIR|GLOB...", help="Images to segment.")
    ],
    model: Annotated[Path, typer.Option(help="Model folder written by `segboost train`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the masks.")],
    jobs: data.Jobs = None,
    scheduler: Scheduler = None,
    allow_import: AllowImport = None,
    overlay: Overlay = False,
    scores: Scores = False,
    probabilities: Probabilities = False,
    objects: scientific.Objects = False,
    min_area: scientific.MinArea = None,
    fill_holes: scientific.FillHoles = False,
    touching: scientific.Touching = None,
    annotations: scientific.Annotations = None,
    tolerance: scientific.Tolerance = None,
    channels: scientific.Channels = None,
    axes: scientific.Axes = None,
    intensities: scientific.Intensities = None,
    tile: scientific.TileSide = None,
    zarr: scientific.Zarr = False,
    overwrite: Overwrite = False,
) -> None:
    """Segment images with a trained model.

    Writes a mask NAME.png of the image's size for each image, 255 for foreground and 0 for
    background (for several classes their indices, coloured by a palette), and results.csv with
    one line per image. Unreadable images are reported and skipped; the exit status is then 1. An
    interrupted run resumes when the command is repeated.

    Stacks, very large images, and images with more than 8 bits or three channels are read page by
    page and tile by tile; the masks of TIFF files among them are TIFF files. Masks that segboost
    did not write, or that were edited since, are replaced only with --overwrite; input images are
    never replaced.
    """
    special = scientific.read_scientific_options(locals())
    check_output_folder(output)
    from segboost.pipelines.runtime.resources import read_usage

    before = read_usage()
    from segboost.pipelines.batch.inputs import find_images
    from segboost.pipelines.runtime.shared_pool import start_prepared

    allowed = tuple(allow_import or ())
    images = find_images(inputs)
    n_jobs = data.count_jobs(jobs)
    n_workers = min(n_jobs, len(images)) - 1 if scheduler is None else 0
    # The workers import and load the model while this process does the same.
    with (
        chosen_cluster(scheduler),
        start_prepared(n_workers, SEGMENTING, "load_once", model, allowed) as workers,
    ):
        from segboost.cli.display.progress import RichProgress
        from segboost.pipelines.batch.run import TABLE, run_batch
        from segboost.pipelines.batch.segmenting import BatchOptions, mask_probability

        options = BatchOptions(output, overlay, scores, probabilities, overwrite, allowed, special)
        with RichProgress() as progress:
            run = run_batch(model, images, options, n_jobs, workers, progress)
    _print_summary(run, len(images), output)
    _print_cut(mask_probability(model, allowed) if probabilities else None)
    after, done = read_usage(), len(images) - len(run.failed) - run.n_known
    if scheduler is None:
        typer.echo(_cost(before, after, done, n_jobs))
    else:
        typer.echo(_remote_cost(after.wall - before.wall, run.cpu_seconds, done, scheduler))
    if run.failed:
        _print_failures(run.failed, output / TABLE)
        raise typer.Exit(1)


def _print_summary(run: BatchRun, n_images: int, output: Path) -> None:
    from segboost.pipelines.batch.run import TABLE

    done = n_images - len(run.failed)
    typer.echo(f"{done} of {n_images} images segmented into {output}; see {output / TABLE}")
    for name, notes in run.notes[:MOST_SHOWN]:
        typer.echo(f"note: {name}: {notes}", err=True)
    if len(run.notes) > MOST_SHOWN:
        more = len(run.notes) - MOST_SHOWN
        typer.echo(f"note: {more} more images have notes: see {output / TABLE}", err=True)
    if run.n_known:
        typer.echo(f"{run.n_known} of them were done by an earlier, interrupted run")


def _print_cut(cut: float | None) -> None:
    if cut is not None:
        typer.echo(f"masks are thresholded at probability {cut:.3f}")


def _print_failures(failed: list[ImageResult], table: Path) -> None:
    for result in failed[:MOST_SHOWN]:
        name = result.name if result.name.isprintable() else repr(result.name)
        typer.echo(f"failed: {name}: {result.status}", err=True)
    if len(failed) > MOST_SHOWN:
        typer.echo(f"and {len(failed) - MOST_SHOWN} more: see {table}", err=True)


def _cost(before: Usage, after: Usage, done: int, n_jobs: int) -> str:
    wall, cpu = after.wall - before.wall, after.cpu - before.cpu
    each = f", {cpu / done:.2f} s CPU per image" if done else ""
    jobs = "1 job" if n_jobs == 1 else f"{n_jobs} jobs"
    return f"{wall:.1f} s with {jobs}{each}, peak memory {after.peak_total / 2**30:.2f} GB"


def _remote_cost(wall: float, cpu: float, done: int, scheduler: str) -> str:
    each = f", {cpu / done:.2f} s CPU per image" if done else ""
    return f"{wall:.1f} s with the workers of {scheduler}{each}"
