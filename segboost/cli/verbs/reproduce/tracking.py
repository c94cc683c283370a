"""``segboost reproduce tracking``: the paper's tracking tables, measured anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options import data


def tracking(
    data_root: data.DataRoot = None,
    method: Annotated[
        list[str] | None, typer.Option("--method", help="Only this tracker; may be repeated.")
    ] = None,
    sequence: Annotated[
        list[str] | None, typer.Option("--sequence", help="Only this one; may be repeated.")
    ] = None,
    given: Annotated[
        int, typer.Option(min=1, max=20, help="Boxes given: 1 as in OTB, 3 as in the paper.")
    ] = 1,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A folder for boxes and tables.")
    ] = Path("reproduce/tracking"),
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn.")] = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few frames: does it work? Not a measurement.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tracking: all trackers on five sequences.

    Coke, Tiger2, David, Girl and Sylvester. Beside our figures stand the paper's and those
    published on the same boxes. The same command again goes on where it was stopped.
    """
    from segboost.cli.display.progress import RichProgress
    from segboost.datasets.registry import find_data_root
    from segboost.datasets.tracks.otb import load_sequence
    from segboost.pipelines.experiments.paper_tracking import SEQUENCES
    from segboost.pipelines.experiments.reproduce_tracking import (
        METHODS,
        reproduce,
        to_document,
        to_markdown,
    )
    from segboost.pipelines.tracking.methods import METHODS as ALL

    for name in method or ():
        if name not in ALL:
            raise typer.BadParameter(
                f"there is no tracker {name!r}: choose {', '.join(ALL)}", param_hint="--method"
            )
    root = find_data_root(data_root)
    sequences = [load_sequence(root, name) for name in sequence or SEQUENCES]
    with RichProgress() as progress:
        table = reproduce(sequences, output, progress, method or METHODS, given, seed, quick)
    document = to_document(table)
    typer.echo(json.dumps(document, allow_nan=False) if as_json else to_markdown(table))
