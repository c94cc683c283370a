"""``segboost reproduce classes``: several classes on CamVid."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options import data
from segboost.cli.options.experiments import FewImages, Seed, StageCache, recorded_tables
from segboost.cli.options.output import AsJSON, Overwrite

SETS = ("camvid", "synthetic-classes")
PRESETS = ("default", "fast")


def classes(
    data_root: data.DataRoot = None,
    dataset: Annotated[str, typer.Option(help="camvid or synthetic-classes.")] = "camvid",
    preset: Annotated[str, typer.Option(help="Features: default or fast.")] = "default",
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for models and tables.")
    ] = Path("reproduce/classes"),
    cache: StageCache = None,
    jobs: data.Jobs = None,
    seed: Seed = 0,
    quick: FewImages = False,
    overwrite: Overwrite = False,
    as_json: AsJSON = False,
) -> None:
    """Several classes: road scenes of CamVid.

    Trains StructBoost, a structured SVM and the unary potential without a CRF on the official
    training images, and prints their scores on the test images beside published ones, with
    intervals. An interrupted run resumes when the command is repeated.
    """
    if preset not in PRESETS:
        raise typer.BadParameter(f"expected one of {', '.join(PRESETS)}", param_hint="--preset")
    if dataset not in SETS:
        raise typer.BadParameter(f"expected one of {', '.join(SETS)}", param_hint="--dataset")
    from segboost.cli.display.progress import TrainingProgress
    from segboost.pipelines.experiments.reproduce.reproduce_classes import reproduce_classes

    options = {"dataset": dataset}
    found = data.load_data(options if data_root is None else {**options, "data_root": data_root})
    shown = TrainingProgress(sys.stderr)
    with recorded_tables(output, ("table.json", "table.md"), overwrite), shown as progress:
        table = reproduce_classes(
            found,
            preset,
            output,
            cache or output / "cache",
            data.count_jobs(jobs),
            progress,
            quick,
            seed=seed,
        )
    if as_json:
        typer.echo(json.dumps(table.to_document(), allow_nan=False))
    else:
        typer.echo(table.to_markdown())
