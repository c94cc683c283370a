"""``segboost reproduce tracking``: re-run the paper's tracking experiments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options import data
from segboost.cli.options.experiments import Seed, recorded_tables
from segboost.cli.options.output import AsJSON, Overwrite


def tracking(
    data_root: data.DataRoot = None,
    method: Annotated[
        list[str] | None, typer.Option("--method", help="Only this tracker; can be repeated.")
    ] = None,
    sequence: Annotated[
        list[str] | None, typer.Option("--sequence", help="Only this sequence; can be repeated.")
    ] = None,
    given: Annotated[
        int,
        typer.Option(
            min=1, max=20, help="Ground-truth boxes given at the start: 1 in OTB, 3 in the paper."
        ),
    ] = 1,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for boxes and tables.")
    ] = Path("reproduce/tracking"),
    seed: Seed = 0,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Smoke test on a few frames; the scores are not meaningful."),
    ] = False,
    overwrite: Overwrite = False,
    as_json: AsJSON = False,
) -> None:
    """Tracking: six trackers on five sequences.

    Runs on Coke, Tiger2, David, Girl and Sylvester. The table also has the paper's figures and
    those published for the same boxes. The seventh tracker, struck-linear, runs only if --method
    names it. An interrupted run resumes when the command is repeated.
    """
    from segboost.cli.display.progress import RichProgress
    from segboost.datasets.registry import find_data_root
    from segboost.datasets.tracks.otb import load_sequence
    from segboost.pipelines.experiments.published.paper_tracking import SEQUENCES
    from segboost.pipelines.experiments.reproduce.reproduce_tracking import (
        METHODS,
        output_names,
        reproduce_tracking,
        to_document,
        to_markdown,
    )
    from segboost.pipelines.tracking.methods import METHODS as ALL

    for name in method or ():
        if name not in ALL:
            raise typer.BadParameter(
                f"unknown tracker {name!r}: choose one of {', '.join(ALL)}", param_hint="--method"
            )
    root = find_data_root(data_root)
    sequences = [load_sequence(root, name) for name in sequence or SEQUENCES]
    names = output_names([s.name for s in sequences], method or METHODS, given, seed, quick)
    with recorded_tables(output, names, overwrite), RichProgress() as progress:
        table = reproduce_tracking(
            sequences, output, progress, method or METHODS, given, seed, quick
        )
    document = to_document(table)
    typer.echo(json.dumps(document, allow_nan=False) if as_json else to_markdown(table))
