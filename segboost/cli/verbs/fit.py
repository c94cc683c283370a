"""``segboost fit``: learn a model from a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segboost.cli.options import data
from segboost.cli.options.usage_errors import as_usage_error

if TYPE_CHECKING:
    from segboost.datasets.tables.table import Table
    from segboost.pipelines.tables.estimators import EstimatorSettings
    from segboost.pipelines.tables.fit import TableFit
    from segboost.pipelines.tables.labels import LabelRule

LEARNERS = ("stump", "tree", "perceptron", "svm", "sigmoid")


def fit(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="LIBSVM, CSV or npz; plain, .gz or .bz2.")
    ],
    task: Annotated[
        str, typer.Option(help="multiclass, auc, ordinal or hierarchy.")
    ] = "multiclass",
    taxonomy: Annotated[
        Path | None, typer.Option(help="Of the hierarchy: nested JSON or child,parent lines.")
    ] = None,
    label: Annotated[
        str,
        typer.Option(
            help="The column of the labels, by name or number from 1; by default one named "
            "label, class or target, else the last. Of npz files the array (y)."
        ),
    ] = "auto",
    positive: Annotated[
        str | None, typer.Option(help="Of auc: the class that stands against the rest.")
    ] = None,
    ranks: Annotated[
        str | None, typer.Option(help="Of ordinal: the labels from low to high, with commas.")
    ] = None,
    weak_learner: Annotated[
        str, typer.Option(help="stump, tree, perceptron, svm or sigmoid.")
    ] = "stump",
    C: Annotated[
        float | None,
        typer.Option("--C", help="By default chosen on a quarter of the rows, then fitted on all."),
    ] = None,
    iterations: Annotated[int, typer.Option(min=1, help="Most rounds of boosting.")] = 200,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The model folder (models/NAME).")
    ] = None,
    jobs: data.Jobs = None,
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn.")] = 0,
) -> None:
    """Learn a model from the rows of a table.

    The model is for `segboost predict`.

    Labels are numbers or text. Features are finite numbers.
    """
    folder = output or Path("models") / file.name.split(".")[0]
    if folder.exists() and not folder.is_dir():
        raise typer.BadParameter(f"{folder} is a file: name a folder", param_hint="--output")
    _check_choice(task, ("multiclass", "auc", "ordinal", "hierarchy"), "--task")
    _check_choice(weak_learner, LEARNERS, "--weak-learner")
    if C is not None and not 0 < C < float("inf"):
        raise typer.BadParameter(f"expected a finite number above 0, got {C}", param_hint="--C")
    with as_usage_error():
        table, rule, settings = _prepare(
            file, task, taxonomy, label, positive, ranks, weak_learner, iterations, seed
        )
        if C is None:
            from segboost.pipelines.tables.fit import split_validation

            split_validation(rule.encode(table.y), seed)  # too few rows show before work starts
    found = _learn(table, rule, settings, C, data.count_jobs(jobs))
    _save(found, table, rule, folder)
    _tell(found, table, rule, folder)


def _check_choice(value: str, choices: tuple[str, ...], option: str) -> None:
    if value not in choices:
        raise typer.BadParameter(
            f"there is no {value!r}: choose {', '.join(choices)}", param_hint=option
        )


def _prepare(
    file: Path, task: Any, taxonomy: Path | None, label: str, positive: str | None,
    ranks: str | None, weak_learner: str, iterations: int, seed: int,
) -> tuple[Table, LabelRule, EstimatorSettings]:  # fmt: skip
    """Read and check all that is given."""
    from segboost.datasets.tables.table import read_table
    from segboost.datasets.tables.taxonomy_files import match_classes, read_taxonomy
    from segboost.pipelines.tables.estimators import EstimatorSettings
    from segboost.pipelines.tables.labels import LabelRule

    if (taxonomy is not None) != (task == "hierarchy"):
        needs = "needs" if task == "hierarchy" else "has no"
        raise ValueError(f"--task {task} {needs} --taxonomy")
    table = read_table(file, label)
    if not table.has_labels:
        raise ValueError(f"{file} has no labels to learn from: put one in front of every row")
    rule = LabelRule.of(task, table.y, positive, ranks.split(",") if ranks else ())
    tree = None
    if taxonomy is not None:
        try:
            tree = match_classes(read_taxonomy(taxonomy), rule.values.tolist())
        except ValueError as error:
            prefix = "" if str(taxonomy) in str(error) else f"{taxonomy}: "
            raise ValueError(f"{prefix}{error}") from None
    return table, rule, EstimatorSettings(task, weak_learner, iterations, seed, tree)


def _learn(
    table: Table, rule: LabelRule, settings: EstimatorSettings, C: float | None, jobs: int
) -> TableFit:
    from segboost.cli.display.progress import RichProgress
    from segboost.pipelines.tables.fit import fit_table

    with RichProgress() as progress:
        return fit_table(table.X, rule.encode(table.y), settings, C, jobs, progress)


def _save(found: TableFit, table: Table, rule: LabelRule, folder: Path) -> None:
    from dataclasses import asdict

    from segboost.datasets.tables.table_like import Columns
    from segboost.pipelines.tables.model import TableModel

    training = {
        "table": table.name,
        "n_rows": len(table.X),
        "C": found.C,
        "n_validation": found.n_validation,
        "trials": [asdict(trial) for trial in found.trials],
        "measures": found.measures,
    }
    TableModel(found.model, Columns.of(table), rule, training).save(folder)


def _tell(found: TableFit, table: Table, rule: LabelRule, folder: Path) -> None:
    from segboost.pipelines.tables.estimators import MEASURES, TITLES

    n, d = table.X.shape
    typer.echo(f"{n} rows, {d} features, {len(rule.values)} labels, task {rule.task}")
    main = MEASURES[rule.task]
    for trial in found.trials:
        mark = "  <- chosen" if trial.C == found.C else ""
        typer.echo(f"  C = {trial.C:<6g} validation {main} {trial.measures[main]:.4f}{mark}")
    if found.trials:
        typer.echo(
            f"C = {found.C:g} was chosen on {found.n_validation} rows; the model was then fitted "
            f"on all {n}"
        )
    for name, value in found.measures.items():
        typer.echo(f"{TITLES[name]} on the rows it was learned from: {value:.4f}")
    for warning in found.warnings:
        typer.echo(f"note: {warning}", err=True)
    typer.echo(f"model folder: {folder}")
