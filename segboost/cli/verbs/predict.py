"""``segboost predict``: predict the labels of the rows of a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from segboost.cli.options.output import AsJSON, Overwrite, check_output_file
from segboost.cli.options.usage_errors import as_usage_error

if TYPE_CHECKING:
    from segboost.pipelines.tables.predict import Predictions


def predict(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="LIBSVM, CSV or npz file; may be compressed (.gz, .bz2)."
        ),
    ],
    model: Annotated[Path, typer.Option(help="Model folder written by `segboost fit`.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file for the predictions.")
    ] = None,
    as_json: AsJSON = False,
    scores: Annotated[
        bool, typer.Option("--scores", help="Also write a score per class, or the ranking score.")
    ] = False,
    decimal: Annotated[
        str | None,
        typer.Option(help="Decimal sign of a CSV file; by default that of the training file."),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Predict the labels of a table's rows.

    If the table has labels, scores are printed too.

    Predictions are written as CSV to --output, or to standard output. With --json, standard
    output is one JSON object. An existing --output file is replaced if it holds predictions;
    any other file only with --overwrite, and the input never.
    """
    if output is not None:
        _check_output(output, file, model, overwrite)
    with as_usage_error():
        if decimal not in (None, ".", ","):
            raise ValueError(f"--decimal must be a point or a comma, got {decimal!r}")
        found = _predict(model, file, decimal)
    if output is not None:
        from segboost.storage.whole_file import write_whole

        write_whole(output, found.to_csv(scores).encode())
    if as_json:
        typer.echo(json.dumps(found.to_document(scores), allow_nan=False))
    elif output is None:
        typer.echo(found.to_csv(scores), nl=False)
    _print_result(found, output, to_error=as_json or output is None)


def _check_output(output: Path, file: Path, model: Path, overwrite: bool) -> None:
    from segboost.pipelines.tables.predict import check_predictions_file
    from segboost.storage.whole_file import NotReplaceableError

    check_output_file(output)
    inputs = [file, *(model.iterdir() if model.is_dir() else ())]
    try:
        check_predictions_file(output, inputs, overwrite)
    except NotReplaceableError as error:
        raise typer.BadParameter(f"{error}; without --output, predictions are printed") from None


def _predict(model: Path, file: Path, decimal: str | None) -> Predictions:
    from segboost.datasets.tables.table_like import read_like
    from segboost.pipelines.runtime.single_thread import single_threaded
    from segboost.pipelines.tables.model import TableModel
    from segboost.pipelines.tables.predict import predict_table

    loaded = TableModel.load(model)
    table = read_like(file, loaded.columns, decimal=decimal)
    with single_threaded():
        return predict_table(loaded, table)


def _print_result(found: Predictions, output: Path | None, to_error: bool) -> None:
    """Print the scores, on standard error if standard output carries the predictions."""
    from segboost.pipelines.tables.estimators import TITLES

    for name, value in found.measures.items():
        typer.echo(f"{TITLES[name]}: {value:.4f}", err=to_error)
    for note in (*found.notes, *([found.measure_note] if found.measure_note else [])):
        typer.echo(f"note: {note}", err=to_error)
    if output is not None:
        typer.echo(f"{len(found.predictions)} predictions written to {output}", err=to_error)
