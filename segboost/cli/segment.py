"""``segboost segment``: masks of images."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from segboost.cli import data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segboost.pipelines.batch import ImageResult

MOST_SHOWN = 20


def segment(
    inputs: Annotated[
        list[str], typer.Argument(metavar="IMAGE|DIR|GLOB...", help="What to segment.")
    ],
    model: Annotated[Path, typer.Option(help="The folder that `segboost train` made.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the masks.")],
    jobs: data.Jobs = None,
    overlay: Annotated[
        bool, typer.Option("--overlay", help="Also overlays/NAME.png: contour over the image.")
    ] = False,
    scores: Annotated[
        bool, typer.Option("--scores", help="Also scores/NAME.png: the score map, 16 bits.")
    ] = False,
) -> None:
    """Segment images into NAME.png (255 where foreground) and results.csv.

    An image that cannot be segmented is named at the end, the others are done, and the exit
    status is 1.
    """
    if output.exists() and not output.is_dir():
        raise typer.BadParameter(f"{output} is a file: name a folder", param_hint="--output")
    from segboost.pipelines.batch import BatchOptions, segment_files
    from segboost.pipelines.batch_table import write_results
    from segboost.pipelines.segment_inputs import find_images

    images = find_images(inputs)
    options = BatchOptions(output, overlay, scores)
    results = segment_files(model, images, options, data.count_jobs(jobs))
    table = output / "results.csv"
    failed, seconds = _drain(write_results(results, table), len(images))
    done = len(images) - len(failed)
    each = f", {seconds / done:.2f} s each" if done else ""
    typer.echo(f"{done} of {len(images)} images segmented into {output}{each}; see {table}")
    for result in failed[:MOST_SHOWN]:
        typer.echo(f"failed: {result.name}: {result.status}", err=True)
    if len(failed) > MOST_SHOWN:
        typer.echo(f"and {len(failed) - MOST_SHOWN} more: see {table}", err=True)
    if failed:
        raise typer.Exit(1)


def _drain(results: Iterator[ImageResult], total: int) -> tuple[list[ImageResult], float]:
    """Show progress; return the failures and the seconds of the images that were done."""
    from segboost.cli.progress import RichProgress
    from segboost.pipelines.progress import track

    failed = []
    seconds = 0.0
    with RichProgress() as progress:
        for result in track(results, progress, "segmentation", total):
            if result.failed:
                failed.append(result)
            else:
                seconds += result.seconds
    return failed, seconds
