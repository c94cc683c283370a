"""Rows and cells of CSV files, before their content is interpreted."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from segboost.datasets.tables.packed_files import TableFileError

_DELIMITERS = ",;\t"


@dataclass(frozen=True)
class Row:
    """The cells of a row and the number of its last line, from 1."""

    number: int
    cells: list[str]


def read_rows(data: bytes, source: str, decimal: str = ".") -> list[Row]:
    """Return the rows with content; there is at least one.

    With decimal commas, cells are separated by semicolons or tabs.
    """
    return list(_iterate(data, source, decimal))


def first_cells(data: bytes, source: str, decimal: str = ".") -> list[str]:
    """Return the cells of the first row, whether it is a header or not."""
    return [cell.strip() for cell in next(_iterate(data, source, decimal)).cells]


def column_at(column: str | int, names: Sequence[str], source: str) -> int:
    """Return the index of a column, from 0, by its name or its number from 1 (-1 is the last)."""
    if isinstance(column, str):
        if column in names:
            return names.index(column)
        if not _is_whole(column):
            shown = ", ".join(names[:20])
            raise TableFileError(f"{source} has no column {column!r}; its first line is {shown}")
    number = int(column)
    place = number - 1 if number > 0 else len(names) + number
    if number == 0 or not 0 <= place < len(names):
        raise TableFileError(f"{source} has no column {number}: it has {len(names)}, from 1")
    return place


def check_widths(rows: Sequence[Row], width: int, source: str) -> None:
    """Raise TableFileError unless all rows have this many cells."""
    for row in rows:
        if len(row.cells) != width:
            raise TableFileError(
                f"{source}, line {row.number}: {len(row.cells)} cells, expected {width} as in "
                "the first line"
            )


def check_names(names: Sequence[str], source: str) -> None:
    """Raise TableFileError if two columns have the same name."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise TableFileError(f"{source} has two columns named {twice[0]!r}: rename one")


def _iterate(data: bytes, source: str, decimal: str) -> Iterator[Row]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TableFileError(f"{source}, line {line}: expected UTF-8 text") from None
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS.replace(decimal, ""), key=first.count)
    if _has_spaces(text, first):
        for number, words in enumerate(map(str.split, text.split("\n")), start=1):
            if words:
                yield Row(number, words)
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    empty = True
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                empty = False
                yield Row(reader.line_num, cells)
    except csv.Error as error:
        raise TableFileError(f"{source}, line {reader.line_num}: {error}") from None
    if empty:
        raise TableFileError(f"{source} has no rows: expected lines of numbers and a label")


def _has_spaces(text: str, first: str) -> bool:
    """Whether spaces separate the cells, as `numpy.savetxt` writes them."""
    if any(mark in first for mark in (*_DELIMITERS, '"')):
        return False
    last = text.rstrip().rpartition("\n")[2]
    return len(first.split()) == len(last.split()) > 1


def _is_whole(text: str) -> bool:
    """Whether it is an integer that int64 holds."""
    return re.fullmatch(r"\s*[-+]?[0-9]{1,18}\s*", text) is not None
