"""``segboost fit``: train a model on a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segboost.cli.options import data
from segboost.cli.options.output import check_output_folder
from segboost.cli.options.usage_errors import as_usage_error

if TYPE_CHECKING:
    from segboost.datasets.tables.csv_format import ColumnChoices
    from segboost.datasets.tables.table import Table
    from segboost.pipelines.tables.estimators import EstimatorSettings
    from segboost.pipelines.tables.fit import TableFit
    from segboost.pipelines.tables.labels import LabelRule

MOST_C = 1e15
"""Equal to `segboost.solver.options.LARGEST_C`, which would be slow to import."""

LEARNERS = ("auto", "stump", "tree", "perceptron", "svm", "sigmoid")

Label = Annotated[
    str,
    typer.Option(
        help="Label column, by name or by number from 1; by default the one named label, "
        "class or target, else the last. For npz files, the label array (y by default)."
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN…",
        help="CSV columns to leave out, by name or number, separated by commas; may be repeated.",
    ),
]
Category = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN…",
        help="CSV columns whose numbers are categories; text columns are recognised.",
    ),
]
Identifier = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="CSV column that identifies the rows: not learned, carried into the predictions.",
    ),
]
Decimal = Annotated[
    str, typer.Option(help="Decimal sign of a CSV file: a point, or a comma with --decimal ,")
]
Positive = Annotated[
    str | None, typer.Option(help="For auc: the positive class; all others are negative.")
]
Ranks = Annotated[
    str | None, typer.Option(help="For ordinal: the labels from low to high, separated by commas.")
]
LossWeight = Annotated[
    float | None,
    typer.Option(
        "--C",
        help="Weight of the training loss; by default chosen on a quarter of the rows, held "
        "out for validation.",
    ),
]

Learner = Annotated[
    str,
    typer.Option(
        help="stump, tree, perceptron, svm or sigmoid. The default, auto, learns sigmoids on "
        "the features and the scores of boosted trees; stumps for auc and ordinal."
    ),
]
Rounds = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Maximum number of boosting rounds; 200 by default, 5 for classifiers with "
        "--weak-learner auto.",
    ),
]


def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="LIBSVM, CSV or npz file; may be compressed (.gz, .bz2)."
        ),
    ],
    task: Annotated[
        str, typer.Option(help="multiclass, auc, ordinal or hierarchy.")
    ] = "multiclass",
    taxonomy: Annotated[
        Path | None,
        typer.Option(help="For hierarchy: nested JSON, or a file of child,parent lines."),
    ] = None,
    label: Label = "auto",
    ignore: Ignore = None,
    identifier: Identifier = None,
    category: Category = None,
    decimal: Decimal = ".",
    positive: Positive = None,
    ranks: Ranks = None,
    weak_learner: Learner = "auto",
    C: LossWeight = None,
    iterations: Rounds = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Model folder; models/NAME by default.")
    ] = None,
    jobs: data.Jobs = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
) -> None:
    """Train a model on the rows of a table.

    Use the model with `segboost predict`.

    Labels may be numbers or text. Features may be numbers or categories; cells may be empty.
    """
    folder = output or Path("models") / file.name.split(".")[0]
    check_output_folder(folder)
    _check_choice(task, ("multiclass", "auc", "ordinal", "hierarchy"), "--task")
    _check_choice(weak_learner, LEARNERS, "--weak-learner")
    _check_choice(decimal, (".", ","), "--decimal")
    if C is not None and not 0 < C <= MOST_C:
        expected = f"a finite number above 0, at most {MOST_C:g}"
        raise typer.BadParameter(f"expected {expected}, got {C}", param_hint="--C")
    _check_folder(folder, [file] if taxonomy is None else [file, taxonomy])
    with as_usage_error():
        table, choices = _read(file, label, ignore, identifier, category, decimal)
        rule, settings = _prepare(
            table, task, taxonomy, positive, ranks, weak_learner, iterations, seed
        )
        if C is None:
            from segboost.pipelines.tables.fit import split_validation

            split_validation(rule.encode(table.y), seed)  # fail early if there are too few rows
    _print_columns(table, rule)
    found = _learn(table, rule, settings, C, data.count_jobs(jobs))
    _save(found, table, choices, rule, folder)
    _print_result(found, table, rule, folder)


def _check_folder(folder: Path, inputs: list[Path]) -> None:
    """Raise if saving the model would replace an input or a file that segboost did not write."""
    from segboost.pipelines.tables.model import TABLE, check_table_folder
    from segboost.storage.output_record import check_inputs_stay
    from segboost.storage.ownership import DOCUMENT, owned_arrays

    arrays = owned_arrays(folder)
    targets = [folder / DOCUMENT, folder / TABLE, *([] if arrays is None else [arrays])]
    check_inputs_stay(inputs, targets)
    check_table_folder(folder)


def _check_choice(value: str, choices: tuple[str, ...], option: str) -> None:
    if value not in choices:
        raise typer.BadParameter(
            f"unknown value {value!r}: choose one of {', '.join(choices)}", param_hint=option
        )


def _read(
    file: Path, label: str, ignore: list[str] | None, identifier: str | None,
    category: list[str] | None, decimal: str,
) -> tuple[Table, ColumnChoices]:  # fmt: skip
    """Read the table; raise if it has no labels."""
    from segboost.datasets.tables.csv_format import ColumnChoices
    from segboost.datasets.tables.table import read_table
    from segboost.pipelines.tables.describe import check_magnitudes

    choices = ColumnChoices(_split(ignore), identifier, _split(category), decimal)
    table = read_table(file, label, choices=choices)
    if not table.has_labels:
        raise ValueError(f"{file} has no labels: training needs one in every row")
    check_magnitudes(table)
    return table, choices


def _split(given: list[str] | None) -> tuple[str, ...]:
    """Return the columns named by a repeated option with comma-separated values."""
    parts = [part.strip() for value in given or [] for part in value.split(",")]
    return tuple(part for part in parts if part)


def _prepare(
    table: Table, task: Any, taxonomy: Path | None, positive: str | None,
    ranks: str | None, weak_learner: str, iterations: int | None, seed: int,
) -> tuple[LabelRule, EstimatorSettings]:  # fmt: skip
    """Check the remaining inputs; return the label rule and the settings of the estimator."""
    from segboost.datasets.tables.taxonomy_files import match_classes, read_taxonomy
    from segboost.pipelines.tables.describe import check_classes
    from segboost.pipelines.tables.estimators import EstimatorSettings
    from segboost.pipelines.tables.labels import LabelRule

    if (taxonomy is not None) != (task == "hierarchy"):
        needs = "needs" if task == "hierarchy" else "does not take"
        raise ValueError(f"--task {task} {needs} --taxonomy")
    check_classes(table, task)
    rule = LabelRule.from_labels(task, table.y, positive, ranks.split(",") if ranks else ())
    tree = None
    if taxonomy is not None:
        try:
            tree = match_classes(read_taxonomy(taxonomy), rule.values.tolist())
        except ValueError as error:
            prefix = "" if str(taxonomy) in str(error) else f"{taxonomy}: "
            raise ValueError(f"{prefix}{error}") from None
    return rule, EstimatorSettings(task, weak_learner, iterations, seed, tree)


def _learn(
    table: Table, rule: LabelRule, settings: EstimatorSettings, C: float | None, jobs: int
) -> TableFit:
    from segboost.cli.display.progress import RichProgress
    from segboost.pipelines.tables.fit import fit_table

    with RichProgress() as progress:
        return fit_table(table.X, rule.encode(table.y), settings, C, jobs, progress)


def _print_columns(table: Table, rule: LabelRule) -> None:
    from segboost.pipelines.tables.describe import describe_columns, find_doubts

    for line in describe_columns(table):
        typer.echo(line)
    for note in find_doubts(table, rule.task):
        typer.echo(f"note: {note}", err=True)


def _save(
    found: TableFit, table: Table, choices: ColumnChoices, rule: LabelRule, folder: Path
) -> None:
    from dataclasses import asdict

    from segboost.datasets.tables.table_like import Columns
    from segboost.pipelines.tables.model import TableModel

    training = {
        "table": table.name,
        "n_rows": table.X.shape[0],
        "C": found.C,
        "n_validation": found.n_validation,
        "trials": [asdict(trial) for trial in found.trials],
        "measures": found.measures,
    }
    TableModel(found.model, Columns.of(table, choices), rule, training).save(folder)


def _print_result(found: TableFit, table: Table, rule: LabelRule, folder: Path) -> None:
    from segboost.pipelines.tables.estimators import MEASURES, TITLES

    n, d = table.X.shape
    typer.echo(f"{n} rows, {d} features, {len(rule.values)} labels, task {rule.task}")
    main = MEASURES[rule.task]
    for trial in found.trials:
        mark = "  <- chosen" if trial.C == found.C else ""
        typer.echo(f"  C = {trial.C:<6g} validation {main} {trial.measures[main]:.4f}{mark}")
    if found.trials:
        typer.echo(
            f"C = {found.C:g} was chosen on {found.n_validation} validation rows; the final model "
            f"was trained on all {n}"
        )
    for name, value in found.measures.items():
        typer.echo(f"{TITLES[name]} on the training rows: {value:.4f}")
    for warning in found.warnings:
        typer.echo(f"note: {warning}", err=True)
    typer.echo(f"model folder: {folder}")
