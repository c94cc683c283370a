"""The LIBSVM format: a label and index:value pairs per line, indices from 1, zeros left out."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from operator import lt
from typing import Any

import numpy as np
from scipy import sparse

from segboost._types import AnyArray
from segboost.datasets.tables.csv_columns import plain_labels
from segboost.datasets.tables.packed_files import MOST_BYTES, TableFileError

LARGE = 2 * 10**6
"""Number of cells above which a table with few values stays sparse."""
SPARSE = 0.25
"""Share of the cells with a value below which a large table stays sparse."""
MANY_FEATURES = 10**6
"""Number of features above which there must be at least as many values as features."""
_LARGEST_INDEX = 2**62
_PAIRS = re.compile(rb"(?:\d+:[-+.\deE]+(?: |$))*")


@dataclass
class _Cells:
    """Parsed lines: row, column and value of every cell; the labels of the rows."""

    rows: array[int] = field(default_factory=lambda: array("q"))
    columns: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))
    labels: array[float] = field(default_factory=lambda: array("d"))
    n_rows: int = 0
    highest: int = 0
    highest_place: str = ""


def parse_libsvm(
    data: bytes,
    source: str,
    n_features: int | None = None,
    most_bytes: int = MOST_BYTES,
) -> tuple[Any, AnyArray]:
    """Return the rows, shape (N, d), and labels, shape (N,), of a LIBSVM file's content.

    The rows are a dense array, or a `scipy.sparse.csc_array` if the table is large and fewer than
    a quarter of its cells have a value. If the first line begins with index:value, no line has a
    label, and the labels have shape (0,).

    Parameters
    ----------
    data : bytes
    source : str
        The file's name, for errors.
    n_features : int, optional
        d; by default the highest index.
    most_bytes : int
        Limit on the size of the table; checked before memory is allocated.

    Examples
    --------
    >>> X, y = parse_libsvm(b"1 1:0.5 3:2\\n-1 2:1 # a comment\\n", "example")
    >>> X.tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1, -1])
    """
    cells = _Cells()
    labelled: bool | None = None
    for number, line in _lines(data):
        place = f"{source}, line {number}"
        words = line.split()
        if labelled is None:
            labelled = b":" not in words[0]
        if labelled:
            cells.labels.append(_label(words.pop(0), place))
        _append(words, cells, place)
    if not cells.n_rows:
        raise TableFileError(f"{source} has no rows: expected lines 'label index:value ...'")
    return _table(cells, source, n_features, most_bytes), plain_labels(
        np.asarray(cells.labels, dtype=np.float64)
    )


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with content and their numbers, without comments."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        content = line.partition(b"#")[0].strip()
        if content:
            yield number, content


def _append(words: Sequence[bytes], cells: _Cells, place: str) -> None:
    """Add a row of index:value words."""
    indices, values = _fast_pairs(words) or _checked_pairs(words, place)
    cells.rows.extend(repeat(cells.n_rows, len(indices)))
    cells.columns.extend(indices)
    cells.values.extend(values)
    cells.n_rows += 1
    if indices and indices[-1] > cells.highest:
        cells.highest, cells.highest_place = indices[-1], place


def _fast_pairs(words: Sequence[bytes]) -> tuple[list[int], list[float]] | None:
    """Return indices and values of a valid row, without parsing single words; else None.

    Equal to `_checked_pairs`, which is three times slower but reports what is wrong.
    """
    line = b" ".join(words)
    if not _PAIRS.fullmatch(line):
        return None
    numbers = line.replace(b":", b" ").split()
    try:
        indices, values = list(map(int, numbers[::2])), list(map(float, numbers[1::2]))
    except ValueError:
        return None
    rising = all(map(lt, chain((0,), indices), indices))
    fits = not indices or indices[-1] <= _LARGEST_INDEX
    return (indices, values) if rising and fits and all(map(math.isfinite, values)) else None


def _checked_pairs(words: Sequence[bytes], place: str) -> tuple[list[int], list[float]]:
    """Return indices and values of a row; an error names the first word that is wrong."""
    indices: list[int] = []
    values: list[float] = []
    for word in words:
        index, value = _pair(word, place)
        if indices and index <= indices[-1]:
            raise TableFileError(
                f"{place}: index {index} after {indices[-1]}, expected rising indices"
            )
        indices.append(index)
        values.append(value)
    return indices, values


def _pair(word: bytes, place: str) -> tuple[int, float]:
    left, _, right = word.partition(b":")
    try:
        index, value = int(left.replace(b"_", b"?")), _number(right)
    except ValueError:
        raise TableFileError(
            f"{place}: expected index:value, both numbers, got {_shown(word)}"
        ) from None
    if not 1 <= index <= _LARGEST_INDEX:
        raise TableFileError(f"{place}: index {index}, expected indices from 1")
    return index, value


def _label(word: bytes, place: str) -> float:
    try:
        return _number(word)
    except ValueError:
        raise TableFileError(f"{place}: expected a number as label, got {_shown(word)}") from None


def _number(word: bytes) -> float:
    """Return a finite number; Python's notation 1_000 is refused."""
    value = float(word)
    if not math.isfinite(value) or b"_" in word:
        raise ValueError
    return value


def _shown(word: bytes) -> str:
    text = word.decode("utf-8", "replace")
    return repr(text if len(text) <= 40 else text[:40] + "…")


def _table(cells: _Cells, source: str, n_features: int | None, most_bytes: int) -> Any:
    width = cells.highest if n_features is None else n_features
    if cells.highest > width:
        raise TableFileError(
            f"{cells.highest_place}: index {cells.highest}, expected at most {width} features"
        )
    _check_width(cells, width, source)
    n_cells, columns = cells.n_rows * width, np.asarray(cells.columns, dtype=np.int64) - 1
    rows, values = np.asarray(cells.rows, dtype=np.int64), np.asarray(cells.values)
    if n_cells > LARGE and len(values) < SPARSE * n_cells:
        return sparse.csc_array((values, (rows, columns)), shape=(cells.n_rows, width))
    if n_cells * 8 > most_bytes:
        where = f" (index {cells.highest} in {cells.highest_place})" if n_features is None else ""
        raise TableFileError(
            f"{source}: {cells.n_rows} rows of {width} features{where} take more than "
            f"{most_bytes} bytes, which is the limit"
        )
    X = np.zeros((cells.n_rows, width))
    X[rows, columns] = values
    return X


def _check_width(cells: _Cells, width: int, source: str) -> None:
    """Refuse a very wide table with fewer values than columns, which would take long."""
    if width > MANY_FEATURES and len(cells.values) < width:
        raise TableFileError(
            f"{source}: {cells.n_rows} rows of {width} features have only {len(cells.values)} "
            f"values (index {cells.highest} in {cells.highest_place}): number the features that "
            "occur from 1 without gaps"
        )
