"""``segboost report``: write an HTML report about a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options import data
from segboost.cli.options.output import Overwrite, check_output_file
from segboost.cli.options.presets import AllowImport


def report(
    run: Annotated[
        Path,
        typer.Argument(
            help="Model folder written by `segboost train`, or a folder of several.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="HTML file to write; RUN/report.html by default."),
    ] = None,
    data_root: data.DataRoot = None,
    title: Annotated[
        str | None, typer.Option(help="Title of the page; the data set's name by default.")
    ] = None,
    jobs: data.Jobs = None,
    overwrite: Overwrite = False,
    allow_import: AllowImport = None,
) -> None:
    """Write one self-contained HTML page about a run.

    The page shows the worst, median and best test images, with a slider from image to prediction
    to ground truth; precision and recall; the convergence of training; the learned function of
    every potential; the errors in each image; timings and settings. For a folder of several runs
    it also compares the methods in a table. For a folder that `segboost segment --objects` wrote
    it shows the sizes of the objects. It works offline and needs no other files.
    """
    if output is not None:
        check_output_file(output)
    if not run.is_dir():
        raise typer.BadParameter(
            f"folder {run} does not exist: give a model folder of segboost train"
        )
    from segboost.cli.display.progress import RichProgress
    from segboost.report.objects_page import has_objects, write_objects_report
    from segboost.report.write_report import write_report

    if has_objects(run):
        page = write_objects_report(run, output, title, overwrite)
        typer.echo(f"open {page.resolve()}")
        return
    with RichProgress() as progress:
        page = write_report(
            run,
            output,
            data_root,
            data.count_jobs(jobs),
            progress,
            title,
            overwrite,
            allow_import or (),
        )
    typer.echo(f"open {page.resolve()}")
