"""Read a table for a model: with the columns of the table that the model was learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike

from segboost.datasets.tables.csv_format import first_cells
from segboost.datasets.tables.packed_files import MOST_BYTES, TableFileError, read_packed
from segboost.datasets.tables.table import Table, find_format, read_table


@dataclass(frozen=True)
class Columns:
    """What is known of the columns of a table.

    Parameters
    ----------
    n_features : int
    feature_names : tuple of str
        Those of the features in their order, or none.
    label_name : str
        The name of the label's column, or none.
    label_column : int
        Its place in a CSV file, from 0; -1 where the table was no CSV file.
    """

    n_features: int
    feature_names: tuple[str, ...] = ()
    label_name: str = ""
    label_column: int = -1

    @classmethod
    def of(cls, table: Table) -> Columns:
        """Return the columns of a table."""
        n = table.X.shape[1]
        return cls(n, table.feature_names, table.label_name, table.label_column)


def read_like(path: str | PathLike[str], columns: Columns, most_bytes: int = MOST_BYTES) -> Table:
    """Read a table file whose features are those of another table; labels may be missing.

    Named columns are found by name, in any order. Without names, a CSV file has as many columns
    as there are features (no labels), or one more: the label stands where it stood. LIBSVM files
    of fewer features are padded with zeros.

    Raises
    ------
    TableFileError
        For other features than expected.
    """
    data = read_packed(path, most_bytes)
    kind = find_format(path, data)
    if kind != "csv":
        table = read_table(path, n_features=columns.n_features if kind == "libsvm" else None)
        return _in_order(table, columns, str(path))
    first = first_cells(data, str(path))
    table = read_table(path, _label_of(first, columns, str(path)), file_format="csv")
    return _in_order(table, columns, str(path))


def _label_of(first: Sequence[str], columns: Columns, source: str) -> str | int | None:
    """Return what the label's column is for `read_table`; None for a file without labels."""
    names = set(columns.feature_names)
    if names and names & set(first):
        rest = [name for name in first if name not in names]
        _complain_of_names(
            [n for n in columns.feature_names if n not in first], rest, columns, source
        )
        return rest[0] if rest else None
    if len(first) == columns.n_features:
        return None
    if len(first) != columns.n_features + 1:
        raise TableFileError(
            f"{source} has {len(first)} columns, expected {columns.n_features} features, with or "
            "without a label"
        )
    return columns.label_column + 1 if columns.label_column >= 0 else -1


def _complain_of_names(
    lost: Sequence[str], rest: Sequence[str], columns: Columns, source: str
) -> None:
    """Raise where features are missing, or more is left than the label."""
    if lost:
        shown = ", ".join(map(repr, lost[:5]))
        raise TableFileError(f"{source} lacks {len(lost)} of the model's features: {shown}")
    odd = [name for name in rest if name != columns.label_name]
    if odd and (len(rest) > 1 or columns.label_name):
        shown = ", ".join(map(repr, odd[:5]))
        raise TableFileError(f"{source} has columns that the model does not know: {shown}")


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
    lost = [name for name in columns.feature_names if name not in place]
    _complain_of_names(lost, [], columns, source)
    X = table.X[:, [place[name] for name in columns.feature_names]]
    return replace(table, X=X, feature_names=columns.feature_names)
