"""``segboost demo``: run the whole pipeline on synthetic scenes and write a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options import data
from segboost.cli.options.output import Overwrite, check_output_folder


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the report, models and masks.")
    ] = Path("demo"),
    jobs: data.Jobs = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the synthetic scenes.")] = 0,
    overwrite: Overwrite = False,
) -> None:
    """Train on synthetic scenes and write a report.

    Needs no data and takes about two minutes. The output folder then holds the models of three
    methods, ready for `segboost segment`; the test images with their masks, overlays, scores and
    probabilities; and a report, index.html.
    """
    check_output_folder(output)
    from segboost.cli.display.progress import RichProgress
    from segboost.report.demo import METHODS, RESULTS, run_demo

    with RichProgress() as progress:
        made = run_demo(output, seed, data.count_jobs(jobs), progress, overwrite=overwrite)
    for method, run in made.runs.items():
        if run.evaluation is not None:
            scores = run.evaluation.scores
            typer.echo(
                f"{method:12} mean IoU {scores.mean_iou:.3f} on {scores.n_images} test images"
            )
    typer.echo(f"model: {output / METHODS[0]}; masks and overlays: {output / RESULTS}")
    typer.echo(f"open {made.page.resolve()}")
