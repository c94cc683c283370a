"""Tables: rows of features with one label each, from LIBSVM, CSV and npz files."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np

from segboost._types import AnyArray
from segboost.datasets.tables.csv_format import ColumnChoices, CsvTable, parse_csv
from segboost.datasets.tables.libsvm_format import parse_libsvm
from segboost.datasets.tables.npz_format import parse_npz
from segboost.datasets.tables.packed_files import MOST_BYTES, TableFileError, bare_name, read_packed

Format = Literal["auto", "libsvm", "csv", "npz"]

CSV_ENDINGS = (".csv", ".tsv", ".tab")
LIBSVM_ENDINGS = (".libsvm", ".svm", ".svmlight", ".scale", ".t", ".tr", ".val")


@dataclass(frozen=True, eq=False)
class Table:
    """Rows with their labels and names.

    Parameters
    ----------
    X : ndarray or scipy.sparse.csc_array of shape (N, d)
        Float64, NaN where a value is missing. If a CSV file has columns of text, objects: numbers
        as before, text, and None where text is missing.
    y : ndarray of shape (N,)
        As in the file: integers, other numbers or text. Shape (0,) for a file without labels.
    name : str
    feature_names : tuple of str
        The names of the d columns, or empty.
    label_name : str
        The name of the label's column, if it has one.
    label_column : int
        The column of the labels in a CSV file, from 0; -1 if there is none.
    label_reason : str
        Why this column was chosen.
    ids : ndarray of text, shape (N,) or (0,)
        Names of the rows, if a column holds them.
    id_name : str
    id_column : int
        The column of the ids in a CSV file, from 0; -1 if there is none.
    feature_columns : tuple of int
        The columns of the features in a CSV file, from 0.
    width : int
        Number of columns of the CSV file; 0 for other files.
    notes : tuple of str
        Remarks on the columns for the user.
    """

    X: AnyArray
    y: AnyArray
    name: str
    feature_names: tuple[str, ...] = ()
    label_name: str = ""
    label_column: int = -1
    label_reason: str = ""
    ids: AnyArray = field(default_factory=lambda: np.zeros(0, dtype=str))
    id_name: str = ""
    id_column: int = -1
    feature_columns: tuple[int, ...] = ()
    width: int = 0
    notes: tuple[str, ...] = ()

    @property
    def has_labels(self) -> bool:
        """Whether there is a label for every row."""
        return len(self.y) == self.X.shape[0]

    @property
    def text_columns(self) -> tuple[int, ...]:
        """The features that are categories, from 0."""
        if self.X.dtype != object:
            return ()
        return tuple(q for q, column in enumerate(self.X.T) if not _all_numbers(column))


def read_table(
    path: str | PathLike[str],
    label: str | int | None = "auto",
    n_features: int | None = None,
    file_format: Format = "auto",
    most_bytes: int = MOST_BYTES,
    choices: ColumnChoices | None = None,
) -> Table:
    """Read a table file: LIBSVM, CSV or npz, each plain or compressed with gzip or bzip2.

    Parameters
    ----------
    path : path
    label : str, int or None
        For CSV files, the column with the labels: its name, or its number from 1 (-1 is the last).
        ``"auto"``: the one column named label, class or target, else the last one. None: the file
        has no labels. For npz files, the name of the array (by default ``y``). LIBSVM files have
        labels if their first line begins with one.
    n_features : int, optional
        Number of columns of X. LIBSVM files leave out zeros, so only their highest index is known:
        fewer columns are padded with zeros, more are an error.
    file_format : {"auto", "libsvm", "csv", "npz"}
        ``"auto"``: see `find_format`.
    most_bytes : int
        Limit on the memory of the unpacked file and of the table.
    choices : ColumnChoices, optional
        For CSV files: columns to leave out, ids, categories, the decimal sign.

    Raises
    ------
    TableFileError
        If the file cannot be used; the message names it and, if possible, the line.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("fruit.csv").write_text("weight,colour,class\\n7,0.5,apple\\n9,0.1,pear\\n")
    >>> table = read_table("fruit.csv")
    >>> table.X.shape, table.y.tolist(), table.feature_names
    ((2, 2), ['apple', 'pear'], ('weight', 'colour'))
    """
    data = read_packed(path, most_bytes)
    kind = find_format(path, data) if file_format == "auto" else file_format
    if choices not in (None, ColumnChoices()) and kind != "csv":
        raise TableFileError(f"{path} is not a CSV file: omit the options that choose columns")
    table = _parse(data, path, kind, label, n_features, most_bytes, choices)
    if n_features is not None and table.X.shape[1] != n_features:
        raise TableFileError(f"{path} has {table.X.shape[1]} features, expected {n_features}")
    return table


def _parse(
    data: bytes, path: str | PathLike[str], kind: Format, label: str | int | None,
    n_features: int | None, most_bytes: int, choices: ColumnChoices | None,
) -> Table:  # fmt: skip
    source, name = str(path), bare_name(path)
    if kind == "libsvm":
        X, y = parse_libsvm(data, source, n_features, most_bytes)
        return Table(X, y, name, label_reason="LIBSVM lines begin with it")
    if kind == "npz":
        X, y, names = parse_npz(data, source, label, most_bytes)
        reason = "arrays of this name hold labels" if label == "auto" else "it was named"
        return Table(X, y, name, names, label_reason=reason)
    if kind == "csv":
        return _of_csv(parse_csv(data, source, label, most_bytes, choices), name)
    raise ValueError(f"file_format must be auto, libsvm, csv or npz, got {kind!r}")


def _of_csv(found: CsvTable, name: str) -> Table:
    return Table(name=name, **{f.name: getattr(found, f.name) for f in fields(found)})


def _all_numbers(column: AnyArray) -> bool:
    return all(isinstance(value, float) for value in column.tolist())


def _is_workbook(data: bytes) -> bool:
    """Whether a file is a spreadsheet: an old Excel file, or an archive of XML files."""
    archive = data[:4] == b"PK\x03\x04"
    marks = (b"xl/", b"[Content_Types].xml", b"mimetypeapplication/vnd.oasis")
    return data[:4] == b"\xd0\xcf\x11\xe0" or (archive and any(m in data[:4096] for m in marks))


def find_format(path: str | PathLike[str], data: bytes) -> Format:
    """Return the format of a file by its first bytes, then its name, then its first line.

    Raises
    ------
    TableFileError
        For workbooks.
    """
    suffix = Path(bare_name(path)).suffix.lower()
    if _is_workbook(data):
        raise TableFileError(
            f"{path} is an Excel or OpenDocument workbook: save the sheet as CSV and use that"
        )
    if data[:4] == b"PK\x03\x04" or suffix == ".npz":
        return "npz"
    if suffix in CSV_ENDINGS:
        return "csv"
    if suffix in LIBSVM_ENDINGS:
        return "libsvm"
    return "libsvm" if _looks_like_libsvm(data) else "csv"


def _looks_like_libsvm(data: bytes) -> bool:
    """Whether the first line with content is a number and index:value pairs, or pairs alone."""
    for line in data[: 1 << 20].splitlines():
        words = line.partition(b"#")[0].split()
        if words:
            pairs = all(word.count(b":") == 1 for word in words[1:])
            return pairs and not any(mark in words[0] for mark in (b",", b";"))
    return False
