"""``segboost reproduce hierarchy``: classify scenes in a taxonomy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options import data
from segboost.cli.options.experiments import (
    FewImages,
    FitCache,
    SplitSeed,
    recorded_tables,
    table_outputs,
)
from segboost.cli.options.output import AsJSON, Overwrite


def hierarchy(
    data_root: data.DataRoot = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for tables and curves.")
    ] = Path("reproduce/hierarchy"),
    cache: FitCache = None,
    jobs: data.Jobs = None,
    seed: SplitSeed = 0,
    quick: FewImages = False,
    overwrite: Overwrite = False,
    as_json: AsJSON = False,
) -> None:
    """Hierarchy: scenes with and without a taxonomy.

    Classifies the SUN scenes of sun8 by HOG visual words. The table also has the paper's
    figures, which are for other scenes. An interrupted run resumes when the command is repeated.
    """
    from segboost.cli.display.progress import RichProgress
    from segboost.datasets.images.sun8 import load_sun8
    from segboost.datasets.registry import find_data_root
    from segboost.pipelines.experiments.reproduce.reproduce_hierarchy import reproduce_hierarchy

    scenes = load_sun8(find_data_root(data_root))
    outputs = table_outputs("curves")
    with recorded_tables(output, outputs, overwrite, cache), RichProgress() as progress:
        run = reproduce_hierarchy(
            scenes, output, cache or output / "cache", data.count_jobs(jobs), progress, quick, seed
        )
    typer.echo(json.dumps(run.to_document(), allow_nan=False) if as_json else run.table.to_text())
