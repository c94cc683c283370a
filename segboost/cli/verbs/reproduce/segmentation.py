"""``segboost reproduce segmentation``: re-run the paper's experiment on Graz-02."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options import data
from segboost.cli.options.experiments import FewImages, Seed, StageCache, recorded_tables
from segboost.cli.options.output import AsJSON, Overwrite


def segmentation(
    data_root: data.DataRoot = None,
    preset: Annotated[
        str, typer.Option(help="Features and potentials: default, fast, classic or paper.")
    ] = "default",
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for models and tables.")
    ] = Path("reproduce/segmentation"),
    cache: StageCache = None,
    jobs: data.Jobs = None,
    seed: Seed = 0,
    quick: FewImages = False,
    overwrite: Overwrite = False,
    as_json: AsJSON = False,
) -> None:
    """Segmentation: several methods on Graz-02.

    Trains them on bike, car and people and prints a table, with the paper's figures in brackets
    and the lead of StructBoost with its uncertainty. With the presets default and fast,
    StructBoost is compared with a structured SVM and with the unary potential alone; with classic
    and paper, with the paper's methods. An interrupted run resumes when the command is repeated.
    """
    from segboost.features.presets import PRESETS

    if preset not in PRESETS:
        raise typer.BadParameter(f"expected one of {', '.join(PRESETS)}", param_hint="--preset")
    from segboost.cli.display.progress import TrainingProgress
    from segboost.pipelines.experiments.reproduce.reproduce_segmentation import (
        reproduce_segmentation,
        to_document,
        to_markdown,
    )

    shown = TrainingProgress(sys.stderr)
    with recorded_tables(output, ("table.json", "table.md"), overwrite), shown as progress:
        rows = reproduce_segmentation(
            lambda category: data.load_data(
                {"dataset": "graz02", "category": category}
                | ({} if data_root is None else {"data_root": data_root})
            ),
            preset,
            output,
            cache or output / "cache",
            data.count_jobs(jobs),
            progress,
            quick,
            seed=seed,
        )
    if as_json:
        typer.echo(json.dumps(to_document(rows, preset, quick), allow_nan=False))
    else:
        typer.echo(to_markdown(rows, preset, quick))
