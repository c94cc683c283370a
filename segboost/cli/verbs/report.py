"""``segboost report``: a run as one page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options import data


def report(
    run: Annotated[
        Path,
        typer.Argument(
            help="The folder of `segboost train`, or a folder of several runs.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to write; RUN/report.html by default."),
    ] = None,
    data_root: data.DataRoot = None,
    title: Annotated[
        str | None, typer.Option(help="The heading; the data set's name by default.")
    ] = None,
    jobs: data.Jobs = None,
) -> None:
    """Write one self-contained HTML page about a run.

    It shows the worst, median and best test images with a slider between image, prediction and
    truth; precision and recall; how learning closed on the optimum; the learned function of every
    potential; what became of each image; times and settings. A folder of several runs gets a
    table of methods too. The page needs no network and no other file.
    """
    if output is not None and output.is_dir():
        raise typer.BadParameter(f"{output} is a folder: name a file", param_hint="--output")
    if not run.is_dir():
        raise typer.BadParameter(f"there is no folder {run}: name one that segboost train wrote")
    from segboost.cli.display.progress import RichProgress
    from segboost.report.write_report import write_report

    with RichProgress() as progress:
        page = write_report(run, output, data_root, data.count_jobs(jobs), progress, title)
    typer.echo(f"open {page.resolve()}")
