"""``segboost reproduce auc`` and ``multiclass``: experiments on tables of numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from segboost.cli.options import data

if TYPE_CHECKING:
    from segboost.pipelines.experiments.protocol import Tables

Cache = Annotated[
    Path | None, typer.Option(help="A folder for finished fits (cache in the output).")
]
Seed = Annotated[int, typer.Option(min=0, help="Draws the parts of the sets.")]
Quick = Annotated[
    bool, typer.Option("--quick", help="Small sets, one repeat: does it work? Not a measurement.")
]
AsJSON = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SetNames = Annotated[
    list[str] | None, typer.Option("--set", help="Only this set; may be given several times.")
]


def auc(
    data_root: data.DataRoot = None,
    sets: SetNames = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A folder for tables and curves.")
    ] = Path("reproduce/auc"),
    cache: Cache = None,
    jobs: data.Jobs = None,
    seed: Seed = 0,
    quick: Quick = False,
    as_json: AsJSON = False,
) -> None:
    """AUC: three forms beside RankBoost and an SVM.

    Learns to order the rows of seven sets. The paper's figures stand in brackets beside ours.
    The same command again goes on where it was stopped.
    """
    from segboost.cli.display.progress import RichProgress
    from segboost.pipelines.experiments.paper_tables import AUC_SETS
    from segboost.pipelines.experiments.reproduce_auc import QUICK_SETS, reproduce_auc

    names = choose_sets(sets, QUICK_SETS if quick else AUC_SETS, AUC_SETS)
    tables = load_tables(names, data_root)
    check_output(output)
    with RichProgress() as progress:
        run = reproduce_auc(
            tables, output, cache or output / "cache", data.count_jobs(jobs), progress, quick, seed
        )
    typer.echo(json.dumps(run.to_document(), allow_nan=False) if as_json else run.table.to_text())


def multiclass(
    data_root: data.DataRoot = None,
    sets: SetNames = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A folder for tables and curves.")
    ] = Path("reproduce/multiclass"),
    cache: Cache = None,
    jobs: data.Jobs = None,
    seed: Seed = 0,
    quick: Quick = False,
    as_json: AsJSON = False,
) -> None:
    """Multi-class: seven sets, beside other boosters.

    StructBoost, the paper's methods and today's tree boosters. The paper's figures stand in
    brackets beside ours. The same command again goes on where it was stopped.
    """
    from segboost.cli.display.progress import RichProgress
    from segboost.pipelines.experiments.paper_tables import MULTICLASS_SETS
    from segboost.pipelines.experiments.reproduce_multiclass import QUICK_SETS, reproduce_multiclass

    names = choose_sets(sets, QUICK_SETS if quick else MULTICLASS_SETS, MULTICLASS_SETS)
    tables = load_tables(names, data_root)
    check_output(output)
    with RichProgress() as progress:
        run = reproduce_multiclass(
            tables, output, cache or output / "cache", data.count_jobs(jobs), progress, quick, seed
        )
    typer.echo(json.dumps(run.to_document(), allow_nan=False) if as_json else run.table.to_text())


def choose_sets(
    given: Sequence[str] | None, default: Sequence[str], known: Sequence[str]
) -> list[str]:
    """Return the sets to measure, in the table's order; an unknown one is misuse."""
    unknown = [name for name in given or () if name not in known]
    if unknown:
        raise typer.BadParameter(
            f"there is no set {unknown[0]!r} in this table: choose {', '.join(known)}",
            param_hint="--set",
        )
    return [name for name in known if name in (given or default)]


def load_tables(names: Sequence[str], data_root: Path | None) -> Tables:
    """Return the sets by name, all their files pooled."""
    from segboost.datasets.registry import find_data_root
    from segboost.datasets.tables.libsvm_sets import load_libsvm_set

    root = find_data_root(data_root)
    loaded = {name: load_libsvm_set(name, root) for name in names}
    return {name: (table.X, table.y) for name, table in loaded.items()}


def check_output(output: Path) -> None:
    """Refuse a place that cannot be a folder before hours are spent."""
    if output.exists() and not output.is_dir():
        raise typer.BadParameter(f"{output} is a file, not a folder", param_hint="--output")
