"""CSV files: rows of numbers and a label, with or without names in the first line."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost.datasets.tables.packed_files import MOST_BYTES, TableFileError

LABEL_NAMES = ("label", "class", "target")
"""A column of one of these names holds the labels where no other is named; case is the same."""

_DELIMITERS = ",;\t"


@dataclass(frozen=True)
class CsvTable:
    """The content of a CSV file; the fields are those of a `Table`."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]
    feature_names: tuple[str, ...]
    label_name: str
    label_column: int


@dataclass(frozen=True)
class _Row:
    number: int
    cells: list[str]


def parse_csv(
    data: bytes, source: str, label: str | int | None = "auto", most_bytes: int = MOST_BYTES
) -> CsvTable:
    """Return the table of a CSV file's content.

    Cells are parted by commas, semicolons or tabs, whichever the first line has most of. The
    first line is a header where one of its feature cells is no number.

    Parameters
    ----------
    data : bytes
        UTF-8 text, with or without a byte-order mark.
    source : str
        The file's name, for errors.
    label : str, int or None
        See `read_table`.
    most_bytes : int
        What the table may take.

    Examples
    --------
    >>> table = parse_csv(b"a;b;kind\\n1;2;good\\n3;4;bad\\n", "example")
    >>> table.X.tolist(), table.y.tolist(), table.label_name
    ([[1.0, 2.0], [3.0, 4.0]], ['good', 'bad'], 'kind')
    """
    rows = list(_iterate(data, source))
    header, column = _find_label(rows[0].cells, label, source)
    body = rows[1:] if header else rows
    if not body:
        raise TableFileError(f"{source} has a header but no rows below it")
    width = len(rows[0].cells)
    if width - (column is not None) < 1:
        raise TableFileError(f"{source} has no features: expected them beside the labels")
    if len(body) * width * 8 > most_bytes:
        raise TableFileError(f"{source} takes more than {most_bytes} bytes, which is the limit")
    _check_widths(body, width, source)
    names = [cell.strip() for cell in rows[0].cells] if header else []
    _check_names(names, source)
    X = _numbers(body, column, names, source)
    y = np.zeros(0) if column is None else _labels(body, column, source)
    label_name = names.pop(column) if names and column is not None else ""
    return CsvTable(X, y, tuple(names), label_name, -1 if column is None else column)


def first_cells(data: bytes, source: str) -> list[str]:
    """Return the cells of the first row, a header or not."""
    return [cell.strip() for cell in next(_iterate(data, source)).cells]


def _iterate(data: bytes, source: str) -> Iterator[_Row]:
    """Yield the rows with content and the numbers of their last lines; there is at least one."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TableFileError(f"{source}, line {line}: expected UTF-8 text") from None
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    empty = True
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                empty = False
                yield _Row(reader.line_num, cells)
    except csv.Error as error:
        raise TableFileError(f"{source}, line {reader.line_num}: {error}") from None
    if empty:
        raise TableFileError(f"{source} has no rows: expected lines of numbers and a label")


def _find_label(
    first: Sequence[str], label: str | int | None, source: str
) -> tuple[bool, int | None]:
    """Return whether the first row is a header, and the label's column."""
    names = [cell.strip() for cell in first]
    if label is None:
        return not all(map(_is_number, names)), None
    if isinstance(label, str) and label != "auto":
        if label in names:
            return True, names.index(label)
        if not _is_whole(label):
            shown = ", ".join(names[:20])
            raise TableFileError(f"{source} has no column {label!r}; its first line is {shown}")
    if label == "auto":
        column = _auto_column(names, source)
    else:
        column = _position(int(label), names, source)
    return not all(_is_number(n) for q, n in enumerate(names) if q != column), column


def _auto_column(names: Sequence[str], source: str) -> int:
    found = [q for q, name in enumerate(names) if name.lower() in LABEL_NAMES]
    if len(found) > 1:
        both = ", ".join(names[q] for q in found)
        raise TableFileError(f"{source} has several columns for labels ({both}): name one")
    return found[0] if found else len(names) - 1


def _position(number: int, names: Sequence[str], source: str) -> int:
    column = number - 1 if number > 0 else len(names) + number
    if number == 0 or not 0 <= column < len(names):
        raise TableFileError(f"{source} has no column {number}: it has {len(names)}, from 1")
    return column


def _check_widths(rows: Sequence[_Row], width: int, source: str) -> None:
    for row in rows:
        if len(row.cells) != width:
            raise TableFileError(
                f"{source}, line {row.number}: {len(row.cells)} cells, expected {width} as in "
                "the first line"
            )


def _check_names(names: Sequence[str], source: str) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise TableFileError(f"{source} has two columns named {twice[0]!r}: rename one")


def _numbers(
    rows: Sequence[_Row], label: int | None, names: Sequence[str], source: str
) -> npt.NDArray[np.float64]:
    columns = [q for q in range(len(rows[0].cells)) if q != label]
    X = np.empty((len(rows), len(columns)))
    for i, row in enumerate(rows):
        try:
            X[i] = [float(row.cells[q]) for q in columns]
        except ValueError:
            X[i] = np.nan  # told below, with the cell
        if not np.isfinite(X[i]).all() or "_" in "".join(row.cells):
            _refuse_cells(row, columns, names, source)
    return X


def _refuse_cells(row: _Row, columns: Sequence[int], names: Sequence[str], source: str) -> None:
    """Raise for the first cell of a row that is no finite number."""
    for q in columns:
        if not _is_number(row.cells[q]):
            name = f"{q + 1} ({names[q]})" if names else str(q + 1)
            cell = row.cells[q][:40]
            raise TableFileError(
                f"{source}, line {row.number}, column {name}: expected a finite number, "
                f"got {cell!r}"
            )


def _labels(rows: Sequence[_Row], column: int, source: str) -> npt.NDArray[Any]:
    """Return the labels: whole numbers, other numbers, or text where any of them is no number."""
    cells = [row.cells[column].strip() for row in rows]
    if "" in cells:
        line = rows[cells.index("")].number
        raise TableFileError(f"{source}, line {line}, column {column + 1}: the label is empty")
    if all(map(_is_whole, cells)):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    if all(map(_is_number, cells)):
        return np.array([float(cell) for cell in cells])
    return np.array(cells)


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell)) and "_" not in cell
    except ValueError:
        return False


def _is_whole(cell: str) -> bool:
    """Whether it is an integer that int64 holds."""
    digits = cell.strip().lstrip("+-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 18
