"""Tables: rows of numbers with a label each, from LIBSVM, CSV and npz files."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from segboost.datasets.tables.csv_format import parse_csv
from segboost.datasets.tables.libsvm_format import parse_libsvm
from segboost.datasets.tables.npz_format import parse_npz
from segboost.datasets.tables.packed_files import MOST_BYTES, TableFileError, bare_name, read_packed

Format = Literal["auto", "libsvm", "csv", "npz"]

CSV_ENDINGS = (".csv", ".tsv", ".tab")
LIBSVM_ENDINGS = (".libsvm", ".svm", ".svmlight", ".scale", ".t", ".tr", ".val")


@dataclass(frozen=True, eq=False)
class Table:
    """Rows, a label for each, and what they are called.

    Parameters
    ----------
    X : ndarray of float64, shape (N, d)
        Finite numbers.
    y : ndarray of shape (N,)
        As in the file: integers, other numbers or text. Of a file without labels, shape (0,).
    name : str
    feature_names : tuple of str
        The d names of the columns, or none.
    label_name : str
        What the label's column is called, if it has a name.
    label_column : int
        Which column of a CSV file the labels were, from 0; -1 where there is none.
    """

    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]
    name: str
    feature_names: tuple[str, ...] = ()
    label_name: str = ""
    label_column: int = -1

    @property
    def has_labels(self) -> bool:
        """Whether there is a label for every row."""
        return len(self.y) == len(self.X)


def read_table(
    path: str | PathLike[str],
    label: str | int | None = "auto",
    n_features: int | None = None,
    file_format: Format = "auto",
    most_bytes: int = MOST_BYTES,
) -> Table:
    """Read a table file: LIBSVM, CSV or npz, each plain or packed with gzip or bzip2.

    Parameters
    ----------
    path : path
    label : str, int or None
        Of CSV files, the column with the labels: its name, or its number from 1 (from -1 at the
        end). ``"auto"``: the one column named label, class or target, else the last one. None:
        the file has no labels. Of npz files, the name of the array (``y``). LIBSVM files have
        labels where their first line begins with one.
    n_features : int, optional
        How many columns X shall have. LIBSVM files leave out zeros, so that only the highest
        index is known of them: fewer are padded with zeros, more are an error.
    file_format : {"auto", "libsvm", "csv", "npz"}
        ``"auto"`` goes by the name and then by the content.
    most_bytes : int
        What the unpacked file and the table may take in memory.

    Raises
    ------
    TableFileError
        With the file, the line and what was expected there.

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
    source = str(path)
    names: tuple[str, ...] = ()
    label_name, label_column = "", -1
    if kind == "libsvm":
        X, y = parse_libsvm(data, source, n_features, most_bytes)
    elif kind == "npz":
        X, y, names = parse_npz(data, source, label, most_bytes)
    elif kind == "csv":
        found = parse_csv(data, source, label, most_bytes)
        X, y, names = found.X, found.y, found.feature_names
        label_name, label_column = found.label_name, found.label_column
    else:
        raise ValueError(f"file_format must be auto, libsvm, csv or npz, got {file_format!r}")
    if n_features is not None and X.shape[1] != n_features:
        raise TableFileError(f"{path} has {X.shape[1]} features, expected {n_features}")
    return Table(X, y, bare_name(path), names, label_name, label_column)


def find_format(path: str | PathLike[str], data: bytes) -> Format:
    """Return the format of a file by its first bytes, then its name, then its first line."""
    suffix = Path(bare_name(path)).suffix.lower()
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
