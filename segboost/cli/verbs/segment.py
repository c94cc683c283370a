"""``segboost segment``: masks of images."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from segboost.cli.options import data
from segboost.cli.options.cluster import Scheduler, chosen_cluster

if TYPE_CHECKING:
    from segboost.pipelines.batch.image_result import ImageResult
    from segboost.pipelines.runtime.resources import Usage

SEGMENTING = "segboost.pipelines.batch.segmenting"
"""The module that worker processes load before the command line is read."""
MOST_SHOWN = 20


def segment(
    inputs: Annotated[
        list[str], typer.Argument(metavar="IMAGE|DIR|GLOB...", help="What to segment.")
    ],
    model: Annotated[Path, typer.Option(help="The folder that `segboost train` made.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the masks.")],
    jobs: data.Jobs = None,
    scheduler: Scheduler = None,
    overlay: Annotated[
        bool, typer.Option("--overlay", help="Also overlays/NAME.png: contour over the image.")
    ] = False,
    scores: Annotated[
        bool, typer.Option("--scores", help="Also scores/NAME.png: the score map, 16 bits.")
    ] = False,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="Also probabilities/NAME.png: 65535 times the probability of foreground, 16 bits.",
        ),
    ] = False,
) -> None:
    """Segment images: a mask each, and a table.

    NAME.png is 255 where foreground, else 0, in the size of the image; results.csv has a line an
    image. An image that cannot be segmented is named at the end, the others are done, and the exit
    status is 1. A run that was stopped goes on where it was when the command is repeated.
    """
    if output.exists() and not output.is_dir():
        raise typer.BadParameter(f"{output} is a file: name a folder", param_hint="--output")
    from segboost.pipelines.runtime.resources import read_usage

    before = read_usage()
    from segboost.pipelines.batch.inputs import find_images
    from segboost.pipelines.runtime.shared_pool import start_prepared

    images = find_images(inputs)
    n_jobs = data.count_jobs(jobs)
    n_workers = min(n_jobs, len(images)) - 1 if scheduler is None else 0
    # The workers import and load the model while this process does.
    with (
        chosen_cluster(scheduler),
        start_prepared(n_workers, SEGMENTING, "load_once", model) as workers,
    ):
        from segboost.cli.display.progress import RichProgress
        from segboost.pipelines.batch.run import TABLE, run_batch
        from segboost.pipelines.batch.segmenting import BatchOptions, mask_probability

        options = BatchOptions(output, overlay, scores, probabilities)
        with RichProgress() as progress:
            run = run_batch(model, images, options, n_jobs, workers, progress)
    table, done = output / TABLE, len(images) - len(run.failed)
    typer.echo(f"{done} of {len(images)} images segmented into {output}; see {table}")
    if run.n_known:
        typer.echo(f"{run.n_known} of them by an earlier run that was stopped")
    done -= run.n_known
    if probabilities:
        typer.echo(f"the masks are cut at probability {mask_probability(model):.3f}")
    after = read_usage()
    if scheduler is None:
        typer.echo(_cost(before, after, done, n_jobs))
    else:
        typer.echo(_remote_cost(after.wall - before.wall, run.cpu_seconds, done, scheduler))
    if run.failed:
        _tell_failures(run.failed, table)
        raise typer.Exit(1)


def _tell_failures(failed: list[ImageResult], table: Path) -> None:
    for result in failed[:MOST_SHOWN]:
        name = result.name if result.name.isprintable() else repr(result.name)
        typer.echo(f"failed: {name}: {result.status}", err=True)
    if len(failed) > MOST_SHOWN:
        typer.echo(f"and {len(failed) - MOST_SHOWN} more: see {table}", err=True)


def _cost(before: Usage, after: Usage, done: int, n_jobs: int) -> str:
    wall, cpu = after.wall - before.wall, after.cpu - before.cpu
    each = f", {cpu / done:.2f} s CPU an image" if done else ""
    jobs = "1 job" if n_jobs == 1 else f"{n_jobs} jobs"
    return f"{wall:.1f} s with {jobs}{each}, peak memory {after.peak_total / 2**30:.2f} GB"


def _remote_cost(wall: float, cpu: float, done: int, scheduler: str) -> str:
    each = f", {cpu / done:.2f} s CPU an image" if done else ""
    return f"{wall:.1f} s with the workers of {scheduler}{each}"
