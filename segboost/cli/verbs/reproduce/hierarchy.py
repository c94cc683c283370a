"""``segboost reproduce hierarchy``: scenes in a taxonomy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options import data
from segboost.cli.verbs.reproduce.tables import AsJSON, Cache, Seed, check_output


def hierarchy(
    data_root: data.DataRoot = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A folder for tables and curves.")
    ] = Path("reproduce/hierarchy"),
    cache: Cache = None,
    jobs: data.Jobs = None,
    seed: Seed = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few images, one run. Not a measurement.")
    ] = False,
    as_json: AsJSON = False,
) -> None:
    """Hierarchy: scenes with and without a taxonomy.

    Classifies the SUN scenes of sun8 by HOG words. The paper's figures, on its own scenes,
    stand beside ours. The same command again goes on where it was stopped.
    """
    from segboost.cli.display.progress import RichProgress
    from segboost.datasets.images.sun8 import load_sun8
    from segboost.datasets.registry import find_data_root
    from segboost.pipelines.experiments.reproduce_hierarchy import reproduce_hierarchy

    scenes = load_sun8(find_data_root(data_root))
    check_output(output)
    with RichProgress() as progress:
        run = reproduce_hierarchy(
            scenes, output, cache or output / "cache", data.count_jobs(jobs), progress, quick, seed
        )
    typer.echo(json.dumps(run.to_document(), allow_nan=False) if as_json else run.table.to_text())
