"""Single columns of CSV files: numbers with gaps, or text categories."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from segboost._types import AnyArray, FloatArray
from segboost.datasets.tables.packed_files import TableFileError
from segboost.table_cells.decorated_numbers import AMBIGUOUS, describe_decoration, find_decoration
from segboost.table_cells.misread_text import FEW_ROWS, Misread, find_misread, holds_too_many

Kind = Literal["auto", "number", "text"]
Place = Callable[[int], str]
"""Function from the number of a row to a description of its cell's position, for errors."""

MISSING = frozenset({"", "na", "n/a", "nan", "null", "?"})
"""Cells that stand for a missing value; case does not matter."""

_MINUS = str.maketrans(dict.fromkeys("\u2212\u2013\uff0d", "-"))
_GROUPED = re.compile(r"[-+]?\d{1,3}(\.\d{3})+(,.*)?")
_ID_NAME = re.compile(r"(?i:|(.*[_ ])?(id|index|nr|no|number|key|row)|unnamed.*)|.*[a-z]Id")


def read_column(
    cells: Sequence[str], kind: Kind, decimal: str, name: str, place: Place
) -> AnyArray:
    """Return a column, shape (N,): float64 with NaN, or objects (text, None where missing).

    Parameters
    ----------
    cells : sequence of str
    kind : "auto", "number" or "text"
        "auto": text if more of the known cells are words than numbers.
    decimal : "." or ","
    name : str
        The column's name or number, for errors.
    place : callable
        See `Place`.

    Raises
    ------
    TableFileError
        For words among numbers, dates, numbers with units or separators, unexpected decimal
        commas, and text with nearly as many values as rows.
    """
    if kind == "text":
        return _text(cells)
    values = _floats(cells, decimal)
    odd = [i for i, cell in enumerate(cells) if not _is_cell(cell, values[i])]
    if not odd:
        return values
    stripped = [cell.strip() for cell in cells]
    known = [cell for cell in stripped if cell.lower() not in MISSING]
    if kind == "auto" and 2 * len(odd) > len(known):
        _refuse_infinity([stripped[i] for i in odd], place(odd[0]))
        found = find_misread(known) or _decimal_points(known, decimal)
        if found is not None:
            raise TableFileError(_explain(found, place(stripped.index(found.example)), name))
        text = _text(cells)
        _refuse_free_text(text, place(odd[0]), name)
        return text
    word = stripped[odd[0]]
    advice = _advice(word, name, kind)
    raise TableFileError(f"{place(odd[0])}: expected a finite number, got {word[:40]!r}{advice}")


def is_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell is a finite number."""
    return math.isfinite(_float(cell, decimal))


def looks_like_ids(values: AnyArray, name: str) -> bool:
    """Whether numbers, shape (N,), count or name the rows rather than measure something.

    They are whole and distinct, and either rise from row to row or the name suggests an id.
    """
    if values.dtype == object or len(values) < FEW_ROWS or np.isnan(values).any():
        return False
    whole = bool((values == np.rint(values)).all())
    if not whole or len(np.unique(values)) < len(values):
        return False
    return bool((np.diff(values) > 0).all()) or _ID_NAME.fullmatch(name) is not None


def plain_labels(values: AnyArray) -> AnyArray:
    """Return numbers as integers if all of them are whole, however they are written."""
    if values.dtype.kind != "f" or not values.size:
        return values
    whole = bool(np.all(values == np.rint(values)) and np.all(np.abs(values) < 2**53))
    return values.astype(np.int64) if whole else values


def _floats(cells: Sequence[str], decimal: str) -> FloatArray:
    if decimal == "." and not any("_" in cell for cell in cells):
        try:
            return np.array(list(map(float, cells)))
        except ValueError:
            pass
    return np.array([_float(cell, decimal) for cell in cells])


def _float(cell: str, decimal: str) -> float:
    """Return a number; NaN for everything else. Python's notation 1_000 is not a number.

    The sign may be a mathematical or a full-width minus, or an en dash.
    """
    if decimal == ",":
        if _GROUPED.fullmatch(cell.strip()):
            cell = cell.replace(".", "")
        elif "." in cell:
            return math.nan
        cell = cell.replace(",", ".")
    try:
        return math.nan if "_" in cell else float(cell.translate(_MINUS))
    except ValueError:
        return math.nan


def _is_cell(cell: str, value: float) -> bool:
    return math.isfinite(value) or (math.isnan(value) and cell.strip().lower() in MISSING)


def _text(cells: Sequence[str]) -> AnyArray:
    found = np.empty(len(cells), dtype=object)
    stripped = [cell.strip() for cell in cells]
    found[:] = [None if cell.lower() in MISSING else cell for cell in stripped]
    return found


def _refuse_infinity(words: Sequence[str], place: str) -> None:
    infinite = next((word for word in words if math.isinf(_float(word, "."))), None)
    if infinite is not None:
        raise TableFileError(f"{place}: expected a finite number, got {infinite[:40]!r}")


def _decimal_points(known: Sequence[str], decimal: str) -> Misread | None:
    """Detect decimal points in a column where commas are expected; None if there are none."""
    numbers = [cell for cell in known if is_number(cell)]
    if decimal == "." or 2 * len(numbers) < len(known):
        return None
    example = next((cell for cell in numbers if not is_number(cell, decimal)), None)
    if example is None:
        return None
    return Misread("decimal point", example, "has a decimal point", "omit --decimal ,")


def _explain(found: Misread, place: str, name: str) -> str:
    """Return an error message about a column, with a remedy."""
    said = f"{place}: {found.example[:40]!r} {found.what}"
    if found.kind in ("decimal comma", "dots"):
        return f"{said}: add --decimal , to the command"
    if found.kind == "decimal point":
        return f"{said}: {found.remedy}"
    if AMBIGUOUS.fullmatch(found.example):
        return f"{said}: {found.remedy}, or add --decimal , if they are decimal commas"
    return (
        f"{said}: {found.remedy}, leave the column out with --ignore {name!r}, or add --category "
        f"{name!r} to learn its values as categories"
    )


def _refuse_free_text(values: AnyArray, place: str, name: str) -> None:
    known = [v for v in values.tolist() if v is not None]
    if holds_too_many(known):
        raise TableFileError(
            f"{place}: the column holds {len(set(known))} different texts in {len(known)} rows, "
            f"too many for categories: leave it out with --ignore {name!r}, or carry it into the "
            f"predictions with --id {name!r}"
        )


def _advice(word: str, name: str, kind: Kind) -> str:
    """Return advice on a word among numbers, to append to the error message."""
    if math.isinf(_float(word, ".")):
        return ""
    found = find_decoration(word)
    if found is not None and found.kind != "unit":
        if found.kind in ("decimal comma", "dots"):
            return "; for decimal commas add --decimal ,"
        what, remedy = describe_decoration(found, word)
        either = ", or add --decimal ," if AMBIGUOUS.fullmatch(word) else ""
        return f", which {what}; {remedy}{either}"
    return f"; if the column holds categories, add --category {name!r}" if kind == "auto" else ""
