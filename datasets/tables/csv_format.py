"""CSV files: rows of numbers, categories and a label, with or without names in the first line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from segboost._types import AnyArray
from segboost.datasets.tables.csv_columns import (
    MISSING,
    Kind,
    is_number,
    looks_like_ids,
    plain_labels,
    read_column,
)
from segboost.datasets.tables.csv_rows import Row, check_names, check_widths, column_at, read_rows
from segboost.datasets.tables.packed_files import MOST_BYTES, TableFileError
from segboost.table_cells.misread_text import holds_too_many, is_plain_number

LABEL_NAMES = ("label", "class", "target")
"""A column of one of these names holds the labels if no other is named; case does not matter."""


@dataclass(frozen=True)
class ColumnChoices:
    """Roles of the columns of a CSV file, by name or by number from 1.

    Parameters
    ----------
    ignore : tuple of str or int
        Columns that are left out.
    identifier : str, int or None
        The column that identifies the rows; not a feature.
    categories : tuple of str or int
        Columns of categories, even if they look like numbers.
    decimal : "." or ","
    strict : bool
        All other columns must be numbers; their types are not guessed.
    """

    ignore: tuple[str | int, ...] = ()
    identifier: str | int | None = None
    categories: tuple[str | int, ...] = ()
    decimal: str = "."
    strict: bool = False


@dataclass(frozen=True)
class CsvTable:
    """The content of a CSV file; the fields are those of a `Table`."""

    X: AnyArray
    y: AnyArray
    feature_names: tuple[str, ...]
    label_name: str
    label_column: int
    label_reason: str
    ids: AnyArray
    id_name: str
    id_column: int
    feature_columns: tuple[int, ...]
    width: int
    notes: tuple[str, ...]


class _LabelReason(StrEnum):
    """Why a column holds the labels, in words that follow "because"."""

    NO_LABEL = ""
    GIVEN = "it was named with --label"
    OWN_NAME = "of its name"
    LAST = "it is the last column"
    LAST_USED = "it is the last column that is not left out"


@dataclass(frozen=True)
class _Roles:
    """Whether there is a header, and the roles of the columns, numbered from 0."""

    header: bool
    label: int | None
    reason: _LabelReason
    identifier: int | None
    features: tuple[int, ...]
    text: frozenset[int]


def parse_csv(
    data: bytes,
    source: str,
    label: str | int | None = "auto",
    most_bytes: int = MOST_BYTES,
    choices: ColumnChoices | None = None,
) -> CsvTable:
    """Return the table of a CSV file's content.

    Cells are separated by commas, semicolons or tabs, whichever the first line has most of, or by
    spaces if it has none of them. The first line is a header if it has a word above a column of
    numbers, or words above words only.

    Parameters
    ----------
    data : bytes
        UTF-8 text, with or without a byte-order mark.
    source : str
        The file's name, for errors.
    label : str, int or None
        See `read_table`.
    most_bytes : int
        Limit on the size of the table.
    choices : ColumnChoices, optional

    Examples
    --------
    >>> table = parse_csv(b"a;b;kind\\n1;2;good\\n3;;bad\\n", "example")
    >>> table.X.tolist(), table.y.tolist(), table.label_name
    ([[1.0, 2.0], [3.0, nan]], ['good', 'bad'], 'kind')
    """
    choices = choices or ColumnChoices()
    rows = read_rows(data, source, choices.decimal)
    roles = _find_roles(rows, label, choices, source)
    body = rows[1:] if roles.header else rows
    width = len(rows[0].cells)
    if not body:
        raise TableFileError(f"{source} has a header but no rows below it")
    if not roles.features:
        raise TableFileError(f"{source} has no features: expected columns besides the label")
    if len(body) * width * 8 > most_bytes:
        raise TableFileError(f"{source} takes more than the limit of {most_bytes} bytes: split it")
    check_widths(body, width, source)
    names = [cell.strip() for cell in rows[0].cells] if roles.header else []
    check_names(names, source)
    return _assemble(body, names, roles, choices, source)


def _assemble(
    body: Sequence[Row], names: Sequence[str], roles: _Roles, choices: ColumnChoices, source: str
) -> CsvTable:
    columns, notes = [], []
    for q in roles.features:
        kind: Kind = "text" if q in roles.text else "number" if choices.strict else "auto"
        column = _read(body, q, kind, names, choices.decimal, source)
        columns.append(column)
        called = _called(q, names)
        if kind == "text" and not choices.strict:
            notes += _note_categories(column, called)
        if kind == "auto" and looks_like_ids(column, names[q] if names else "-"):
            notes.append(
                f"column {called!r} looks like a row number or id: leave it out with --ignore "
                f"{called!r}, or carry it into the predictions with --id {called!r}"
            )
    label, identifier = roles.label, roles.identifier
    y = np.zeros(0) if label is None else _labels(body, label, names, choices, source)
    ids = [] if identifier is None else [row.cells[identifier].strip() for row in body]
    return CsvTable(
        X=_stack(columns),
        y=y,
        feature_names=tuple(names[q] for q in roles.features) if names else (),
        label_name=names[label] if names and label is not None else "",
        label_column=-1 if label is None else label,
        label_reason=roles.reason.value,
        ids=np.array(ids, dtype=str),
        id_name="" if identifier is None else _called(identifier, names),
        id_column=-1 if identifier is None else identifier,
        feature_columns=roles.features,
        width=len(body[0].cells),
        notes=tuple(notes),
    )


def _note_categories(column: AnyArray, called: str) -> list[str]:
    """Return a note if a column that was named with --category has too many categories."""
    known = [value for value in column.tolist() if value is not None]
    if not holds_too_many(known):
        return []
    said = f"column {called!r} holds {len(set(known))} different categories in {len(known)} rows"
    if all(is_plain_number(text) for text in known):
        return [f"{said}, all of them numbers: omit --category {called!r} to learn them as numbers"]
    return [f"{said}: leave it out with --ignore {called!r}"]


def _stack(columns: Sequence[AnyArray]) -> AnyArray:
    """Return float64 rows, or rows of objects if there is a column of text, shape (N, d)."""
    if all(column.dtype != object for column in columns):
        return np.column_stack(columns)
    X = np.empty((len(columns[0]), len(columns)), dtype=object)
    for q, column in enumerate(columns):
        X[:, q] = column
    return X


def _read(
    body: Sequence[Row], q: int, kind: Kind, names: Sequence[str], decimal: str, source: str
) -> AnyArray:
    title = f"{q + 1} ({names[q]})" if names else str(q + 1)

    def place(i: int) -> str:
        return f"{source}, line {body[i].number}, column {title}"

    return read_column([row.cells[q] for row in body], kind, decimal, _called(q, names), place)


def _labels(
    body: Sequence[Row], q: int, names: Sequence[str], choices: ColumnChoices, source: str
) -> AnyArray:
    """Return the labels: whole numbers, other numbers, or text if one of them is not a number."""
    cells = [row.cells[q].strip() for row in body]
    if choices.strict and not any(cells):
        return np.zeros(0)  # a column to be filled in
    if "" in cells:
        line = body[cells.index("")].number
        raise TableFileError(f"{source}, line {line}, column {q + 1}: the label is empty")
    known = [cell for cell in cells if cell.lower() not in MISSING]
    if known and all(is_number(cell, choices.decimal) for cell in known):
        if len(known) < len(cells):
            i = next(i for i, cell in enumerate(cells) if cell.lower() in MISSING)
            place = f"{source}, line {body[i].number}, column {q + 1}"
            raise TableFileError(f"{place}: the label {cells[i]!r} is a missing value")
        numbers = _read(body, q, "number", names, choices.decimal, source)
        return plain_labels(numbers)
    return np.array(cells)


def _called(q: int, names: Sequence[str]) -> str:
    return names[q] if names and names[q] else str(q + 1)


def _find_roles(
    rows: Sequence[Row], label: str | int | None, choices: ColumnChoices, source: str
) -> _Roles:
    names = [cell.strip() for cell in rows[0].cells]
    q, reason = _find_label(names, label, source)
    named = [label, choices.identifier, *choices.ignore, *choices.categories]
    by_name = any(isinstance(c, str) and c in names and c != "auto" for c in named)
    identifier = None
    if choices.identifier is not None:
        identifier = column_at(choices.identifier, names, source)
    ignored = {column_at(c, names, source) for c in choices.ignore}
    if reason is _LabelReason.LAST:
        q = max((p for p in range(len(names)) if p not in {*ignored, identifier}), default=q)
        if q != len(names) - 1:
            reason = _LabelReason.LAST_USED
    if q is not None and q in {*ignored, identifier}:
        raise TableFileError(f"{source}: the label column {q + 1} is left out: name another")
    text = frozenset(column_at(c, names, source) for c in choices.categories)
    skipped = {*ignored, q, identifier}
    features = tuple(p for p in range(len(names)) if p not in skipped)
    blank = reason is _LabelReason.OWN_NAME and not any(names[p] for p in features)
    tested = [p for p in features if p not in text]
    header = by_name or blank or _has_header(rows, tested, choices.decimal)
    return _Roles(header, q, reason, identifier, features, text)


def _find_label(
    names: Sequence[str], label: str | int | None, source: str
) -> tuple[int | None, _LabelReason]:
    """Return the label's column and the reason for choosing it."""
    if label is None:
        return None, _LabelReason.NO_LABEL
    if label != "auto":
        return column_at(label, names, source), _LabelReason.GIVEN
    found = [q for q, name in enumerate(names) if name.lower() in LABEL_NAMES]
    if len(found) > 1:
        both = ", ".join(names[q] for q in found)
        raise TableFileError(f"{source} has several label columns ({both}): name one with --label")
    if found:
        return found[0], _LabelReason.OWN_NAME
    return len(names) - 1, _LabelReason.LAST


def _has_header(rows: Sequence[Row], features: Sequence[int], decimal: str) -> bool:
    """Whether the first row names the columns: words above numbers, or words only."""
    first = rows[0].cells
    words = [
        q
        for q in features
        if not is_number(first[q], decimal) and first[q].strip().lower() not in MISSING
    ]
    if any(_is_numeric(rows[1:], q, decimal) for q in words):
        return True
    return bool(words) and not any(is_number(first[q], decimal) for q in features)


def _is_numeric(rows: Sequence[Row], q: int, decimal: str) -> bool:
    """Whether most known cells of a column are numbers."""
    cells = [row.cells[q] for row in rows if q < len(row.cells)]
    known = [cell for cell in cells if cell.strip().lower() not in MISSING]
    return 2 * sum(is_number(cell, decimal) for cell in known) >= len(known) > 0
