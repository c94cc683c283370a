"""``segboost reproduce auc`` and ``multiclass``: experiments on tabular data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from segboost.cli.options import data
from segboost.cli.options.experiments import (
    FitCache,
    SplitSeed,
    recorded_tables,
    table_outputs,
)
from segboost.cli.options.output import AsJSON, Overwrite

if TYPE_CHECKING:
    from segboost.pipelines.experiments.protocol.table_protocol import Tables

Quick = Annotated[
    bool, typer.Option("--quick", help="Smoke test on small sets; the scores are not meaningful.")
]
SetNames = Annotated[
    list[str] | None, typer.Option("--set", help="Only this data set; can be repeated.")
]


def auc(
    data_root: data.DataRoot = None,
    sets: SetNames = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for tables and curves.")
    ] = Path("reproduce/auc"),
    cache: FitCache = None,
    jobs: data.Jobs = None,
    seed: SplitSeed = 0,
    quick: Quick = False,
    overwrite: Overwrite = False,
    as_json: AsJSON = False,
) -> None:
    """AUC: StructBoost against RankBoost and an SVM.

    Learns to rank the rows of seven data sets, with three forms of StructBoost. The paper's
    figures are in brackets. An interrupted run resumes when the command is repeated.
    """
    from segboost.cli.display.progress import RichProgress
    from segboost.pipelines.experiments.published.paper_tables import AUC_SETS
    from segboost.pipelines.experiments.reproduce.reproduce_auc import QUICK_SETS, reproduce_auc

    names = choose_sets(sets, QUICK_SETS if quick else AUC_SETS, AUC_SETS)
    tables = load_tables(names, data_root)
    outputs = table_outputs("objective", "time", "test-auc")
    with recorded_tables(output, outputs, overwrite, cache), RichProgress() as progress:
        run = reproduce_auc(
            tables, output, cache or output / "cache", data.count_jobs(jobs), progress, quick, seed
        )
    typer.echo(json.dumps(run.to_document(), allow_nan=False) if as_json else run.table.to_text())


def multiclass(
    data_root: data.DataRoot = None,
    sets: SetNames = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for tables and curves.")
    ] = Path("reproduce/multiclass"),
    cache: FitCache = None,
    jobs: data.Jobs = None,
    seed: SplitSeed = 0,
    quick: Quick = False,
    overwrite: Overwrite = False,
    as_json: AsJSON = False,
) -> None:
    """Multi-class: seven sets, several boosters.

    Compares StructBoost, the paper's other methods and current tree boosters. The paper's
    figures are in brackets. An interrupted run resumes when the command is repeated.
    """
    from segboost.cli.display.progress import RichProgress
    from segboost.pipelines.experiments.published.paper_tables import MULTICLASS_SETS
    from segboost.pipelines.experiments.reproduce.reproduce_multiclass import (
        QUICK_SETS,
        reproduce_multiclass,
    )

    names = choose_sets(sets, QUICK_SETS if quick else MULTICLASS_SETS, MULTICLASS_SETS)
    tables = load_tables(names, data_root)
    outputs = table_outputs("test-error", "objective")
    with recorded_tables(output, outputs, overwrite, cache), RichProgress() as progress:
        run = reproduce_multiclass(
            tables, output, cache or output / "cache", data.count_jobs(jobs), progress, quick, seed
        )
    typer.echo(json.dumps(run.to_document(), allow_nan=False) if as_json else run.table.to_text())


def choose_sets(
    given: Sequence[str] | None, default: Sequence[str], known: Sequence[str]
) -> list[str]:
    """Return the data sets to run, in the table's order; an unknown name is a usage error."""
    unknown = [name for name in given or () if name not in known]
    if unknown:
        raise typer.BadParameter(
            f"unknown data set {unknown[0]!r}: choose from {', '.join(known)}",
            param_hint="--set",
        )
    return [name for name in known if name in (given or default)]


def load_tables(names: Sequence[str], data_root: Path | None) -> Tables:
    """Return the data sets by name, each with all its files pooled."""
    from segboost.datasets.registry import find_data_root
    from segboost.datasets.tables.libsvm_sets import load_libsvm_set

    root = find_data_root(data_root)
    loaded = {name: load_libsvm_set(name, root) for name in names}
    return {name: (table.X, table.y) for name, table in loaded.items()}
