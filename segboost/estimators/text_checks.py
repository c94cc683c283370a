"""Checks of text columns before they become categories."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from segboost._types import AnyArray
from segboost.table_cells.misread_text import find_misread, holds_too_many, is_plain_number


def check_text(X: Any, columns: Sequence[AnyArray]) -> None:
    """Reject text that is not meant as categories; warn about columns with too many categories.

    Parameters
    ----------
    X : data frame or ndarray of shape (N, d)
        Frame columns of dtype "category" are never rejected. Nor are columns of arrays, which
        have no way to mark dates as categories.
    columns : sequence of ndarray, each of shape (N,)
        As `mixed_columns` returned them.

    Raises
    ------
    ValueError
        For dates and numbers with units or separators; the message names the column.
    """
    is_frame = hasattr(X, "iloc")
    for q, column in enumerate(columns):
        if column.dtype != object:
            continue
        known = [value for value in column.tolist() if value is not None]
        called = f"column {X.columns[q]!r}" if is_frame else f"column {q + 1} of X"
        if is_frame and str(X.dtypes.iloc[q]) != "category":
            _refuse_misread(known, called)
        if holds_too_many(known):
            _warn(known, called)


def _refuse_misread(known: Sequence[str], called: str) -> None:
    found = find_misread(known)
    if found is not None:
        raise ValueError(
            f"{called}: {found.example[:40]!r} {found.what}: {found.remedy}, leave the column out, "
            "or make it categorical with astype('category')"
        )


def _warn(known: Sequence[str], called: str) -> None:
    if all(is_plain_number(text) for text in known):
        kind, advice = "numbers written as text", "convert them to numbers"
    else:
        kind, advice = "texts", "leave the column out"
    warnings.warn(
        f"{called} holds {len(set(known))} different {kind} in {len(known)} rows, which become "
        f"categories: {advice}",
        UserWarning,
        stacklevel=5,
    )
