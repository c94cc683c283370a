"""Read a table with the columns of the table that a model was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike

from segboost.datasets.tables.csv_format import ColumnChoices
from segboost.datasets.tables.csv_rows import first_cells
from segboost.datasets.tables.packed_files import MOST_BYTES, TableFileError, read_packed
from segboost.datasets.tables.table import Table, find_format, read_table


@dataclass(frozen=True)
class Columns:
    """Description of the columns of a table.

    Parameters
    ----------
    n_features : int
    feature_names : tuple of str
        The names of the features in their order, or empty.
    label_name : str
        The name of the label's column, or empty.
    label_column : int
        Its position in a CSV file, from 0; -1 if the table was not a CSV file.
    text_columns : tuple of int
        The features that are categories, from 0.
    feature_columns : tuple of int
        The positions of the features in a CSV file, from 0; empty if they are all but the label.
    id_name : str
        The name of the column with the rows' ids, or empty.
    id_column : int
        Its position in a CSV file, from 0; -1 if there is none.
    width : int
        Number of columns of the CSV file; 0 if unknown.
    ignored : tuple of str
        The names of columns that were left out.
    decimal : str
        The decimal sign of the CSV file.
    """

    n_features: int
    feature_names: tuple[str, ...] = ()
    label_name: str = ""
    label_column: int = -1
    text_columns: tuple[int, ...] = ()
    feature_columns: tuple[int, ...] = ()
    id_name: str = ""
    id_column: int = -1
    width: int = 0
    ignored: tuple[str, ...] = ()
    decimal: str = "."

    @classmethod
    def of(cls, table: Table, choices: ColumnChoices | None = None) -> Columns:
        """Return the columns of a table that was read with these choices."""
        choices = choices or ColumnChoices()
        return cls(
            n_features=table.X.shape[1],
            feature_names=table.feature_names,
            label_name=table.label_name,
            label_column=table.label_column,
            text_columns=table.text_columns,
            feature_columns=table.feature_columns,
            id_name=table.id_name,
            id_column=table.id_column,
            width=table.width,
            ignored=tuple(map(str, choices.ignore)),
            decimal=choices.decimal,
        )


def read_like(
    path: str | PathLike[str],
    columns: Columns,
    most_bytes: int = MOST_BYTES,
    decimal: str | None = None,
) -> Table:
    """Read a table file whose features are those of another table; labels may be missing.

    Named columns are found by name, in any order; unknown ones are ignored with a note. Without
    names, a CSV file must have the columns of the other table, or all but the label, or only the
    features. LIBSVM files with fewer features are padded with zeros.

    Parameters
    ----------
    path : path
    columns : Columns
    most_bytes : int
        Larger files and tables are rejected.
    decimal : "." or ",", optional
        Decimal sign of this CSV file, if it differs.

    Raises
    ------
    TableFileError
        If the features are not the expected ones.
    """
    data = read_packed(path, most_bytes)
    kind = find_format(path, data)
    if kind != "csv":
        n_features = columns.n_features if kind == "libsvm" else None
        table = read_table(path, n_features=n_features, most_bytes=most_bytes)
        return _in_order(table, columns, str(path))
    sign = decimal or columns.decimal
    first = first_cells(data, str(path), sign)
    if set(columns.feature_names) & set(first):
        label, choices, notes = _by_name(first, columns, str(path))
    else:
        label, choices = _by_place(first, columns, str(path))
        notes = ()
    choices = replace(choices, decimal=sign, strict=True)
    table = read_table(path, label, file_format="csv", most_bytes=most_bytes, choices=choices)
    if notes:
        table = replace(table, notes=(*table.notes, *notes))
    return _in_order(table, columns, str(path))


def _by_name(
    first: Sequence[str], columns: Columns, source: str
) -> tuple[str | int | None, ColumnChoices, tuple[str, ...]]:
    """Return the label's column, the other choices and notes for a file with a header."""
    missing = [name for name in columns.feature_names if name not in first]
    _check_none_missing(missing, source)
    rest = [name for name in first if name not in columns.feature_names]
    label = columns.label_name if columns.label_name in rest else None
    if not columns.label_name and len(rest) == 1:
        label = rest[0]  # the other table was not a CSV file
    identifier = columns.id_name if columns.id_name in rest else None
    ignore = tuple(name for name in rest if name not in (label, identifier))
    odd = [name for name in ignore if name not in columns.ignored]
    notes: tuple[str, ...] = ()
    if odd:
        shown = ", ".join(map(repr, odd[:5])) + (", …" if len(odd) > 5 else "")
        notes = (f"columns that the model does not know are ignored: {shown}",)
    categories = tuple(columns.feature_names[q] for q in columns.text_columns)
    return label, ColumnChoices(ignore, identifier, categories), notes


def _by_place(
    first: Sequence[str], columns: Columns, source: str
) -> tuple[str | int | None, ColumnChoices]:
    """Return the label's column and the other choices for a file without the model's names."""
    n, width = columns.n_features, len(first)
    whole = columns.width or n + 1
    at = columns.label_column if columns.label_column >= 0 else whole - 1
    features = columns.feature_columns or tuple(q for q in range(whole) if q != at)
    if width == whole:
        label, identifier = at + 1, columns.id_column
    elif width == whole - 1:  # all but the label
        label, features = None, tuple(q - (q > at) for q in features)
        identifier = columns.id_column - (columns.id_column > at)
    elif width == n:
        label, features, identifier = None, tuple(range(n)), -1
    else:
        raise TableFileError(
            f"{source} has {width} columns, expected {n} features, with or without a label"
        )
    used = {*features, identifier, -1 if label is None else label - 1}
    ignore = tuple(q + 1 for q in range(width) if q not in used)
    categories = tuple(features[q] + 1 for q in columns.text_columns)
    return label, ColumnChoices(ignore, identifier + 1 if identifier >= 0 else None, categories)


def _check_none_missing(missing: Sequence[str], source: str) -> None:
    """Raise a TableFileError that lists the missing features, if there are any."""
    if missing:
        shown = ", ".join(map(repr, missing[:5]))
        raise TableFileError(f"{source} lacks {len(missing)} of the model's features: {shown}")


def _in_order(table: Table, columns: Columns, source: str) -> Table:
    """Return the table with its columns in the order of the model's."""
    if table.X.shape[1] != columns.n_features:
        raise TableFileError(
            f"{source} has {table.X.shape[1]} features, expected {columns.n_features}"
        )
    if not columns.feature_names or not table.feature_names:
        return table
    if table.feature_names == columns.feature_names:
        return table
    place = {name: q for q, name in enumerate(table.feature_names)}
    missing = [name for name in columns.feature_names if name not in place]
    _check_none_missing(missing, source)
    X = table.X[:, [place[name] for name in columns.feature_names]]
    return replace(table, X=X, feature_names=columns.feature_names)
