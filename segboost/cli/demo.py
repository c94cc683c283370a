"""``segboost demo``: the whole pipeline on scenes that are drawn here, and a page about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from segboost.cli import data


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for page, model and masks.")
    ] = Path("demo"),
    jobs: data.Jobs = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws the data.")] = 0,
) -> None:
    """Train on drawn scenes and write a page to look at.

    Needs no data and two minutes or so. The folder then holds a model that `segboost segment`
    takes, the test images and their masks, overlays, scores and probabilities.
    """
    if output.exists() and not output.is_dir():
        raise typer.BadParameter(f"{output} is a file: name a folder", param_hint="--output")
    from segboost.cli.progress import RichProgress
    from segboost.pipelines.demo import run_demo
    from segboost.pipelines.demo_labellers import ALONE, CRF
    from segboost.pipelines.demo_scenes import MODEL, RESULTS

    with RichProgress() as progress:
        made = run_demo(output, seed, data.count_jobs(jobs), progress)
    scores = made.scenes.comparison.scores
    typer.echo(
        f"{scores[CRF].n_images} new images: mean IoU {scores[CRF].mean_iou:.3f} with the CRF, "
        f"{scores[ALONE].mean_iou:.3f} by its unaries alone"
    )
    typer.echo(f"model in {output / MODEL}, masks and overlays in {output / RESULTS}")
    typer.echo(f"open {made.page.resolve()}")
