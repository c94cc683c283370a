"""``segboost demo``: the whole pipeline on scenes that are drawn here, and a page about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options import data


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for page, models and masks.")
    ] = Path("demo"),
    jobs: data.Jobs = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws the data.")] = 0,
) -> None:
    """Train on drawn scenes and write a page to look at.

    Needs no data and two minutes or so. The folder then holds the models of three methods, which
    `segboost segment` takes, the test images with their masks, overlays, scores and
    probabilities, and index.html, the report of all.
    """
    if output.exists() and not output.is_dir():
        raise typer.BadParameter(f"{output} is a file: name a folder", param_hint="--output")
    from segboost.cli.display.progress import RichProgress
    from segboost.report.demo import METHODS, RESULTS, run_demo

    with RichProgress() as progress:
        made = run_demo(output, seed, data.count_jobs(jobs), progress)
    for method, run in made.runs.items():
        if run.evaluation is not None:
            scores = run.evaluation.scores
            typer.echo(
                f"{method:12} mean IoU {scores.mean_iou:.3f} on {scores.n_images} new images"
            )
    typer.echo(f"model in {output / METHODS[0]}, masks and overlays in {output / RESULTS}")
    typer.echo(f"open {made.page.resolve()}")
