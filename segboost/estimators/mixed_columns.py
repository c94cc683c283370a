"""Columns of data frames and object arrays, which may hold numbers, text and missing values."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from segboost._types import AnyArray, FloatArray
from segboost.table_cells.time_values import refuse_time_columns

LARGEST = 1e100
"""Largest accepted magnitude of a feature: sums of squares must not overflow."""


def mixed_columns(X: Any) -> list[AnyArray] | None:
    """Return the columns of a data frame, object array or masked array with text or gaps.

    Parameters
    ----------
    X : data frame, or array-like of shape (N, d)

    Returns
    -------
    list of ndarray, each of shape (N,), or None
        Float64 with NaN where a number is missing, or objects: text, or None where missing.
        None for everything that scikit-learn's own validation should read, such as plain arrays.

    Raises
    ------
    ValueError
        For dates, times and durations.
    """
    refuse_time_columns(X)
    columns: list[AnyArray | None]
    if hasattr(X, "iloc") and hasattr(X, "dtypes") and getattr(X, "ndim", 0) == 2:
        columns = [_frame_column(X.iloc[:, q], X.columns[q]) for q in range(X.shape[1])]
    elif isinstance(X, np.ma.MaskedArray) and X.ndim == 2 and X.dtype.kind in "biuf":
        # scikit-learn ignores masks.
        columns = list(np.ma.filled(X.astype(np.float64), np.nan).T)
    elif isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 2:
        columns = [_object_column(X[:, q]) for q in range(X.shape[1])]
    else:
        return None
    found = [column for column in columns if column is not None]
    if len(found) < len(columns) or not len(X):
        return None  # values of other types: scikit-learn reports the error
    plain = all(c.dtype != object and not np.isnan(c).any() for c in found)
    return None if plain else found


def check_columns(columns: list[AnyArray]) -> list[AnyArray]:
    """Return the columns; ValueError if a numeric one contains infinity or very large values."""
    for q, column in enumerate(columns):
        if column.dtype == object:
            continue
        if np.isinf(column).any():
            raise ValueError(f"column {q + 1} of X contains infinity: expected finite numbers")
        if is_too_large(column):
            raise ValueError(_too_large(q))
    return columns


def column_of_text(values: AnyArray) -> AnyArray:
    """Return values of any kind as text, with None where they are missing, shape (N,)."""
    found = np.empty(len(values), dtype=object)
    found[:] = [None if _is_missing(v) else _text(v) for v in values.tolist()]
    return found


def check_magnitude(X: AnyArray) -> None:
    """Raise ValueError for numbers so large that sums over them overflow."""
    if sparse.issparse(X):
        if np.abs(X.data).max(initial=0.0) > LARGEST:
            raise ValueError(f"X has values beyond ±{LARGEST:g}: rescale or leave out the column")
        return
    if X.dtype != np.float64 or not X.size:
        return
    low, high = np.fmin.reduce(X, axis=None), np.fmax.reduce(X, axis=None)
    if low < -LARGEST or high > LARGEST:
        raise ValueError(_too_large(int(np.argwhere((X < -LARGEST) | (X > LARGEST))[0, 1])))


def is_too_large(column: AnyArray) -> bool:
    """Whether a column of numbers and NaN, shape (N,), has values beyond ±`LARGEST`."""
    return bool((np.abs(column) > LARGEST).any())


def _too_large(q: int) -> str:
    return f"X has values beyond ±{LARGEST:g} in column {q + 1}: rescale or leave out the column"


def _frame_column(column: Any, name: object) -> AnyArray:
    kind = getattr(column.dtype, "kind", "O")
    if kind in "biuf" and str(column.dtype) != "category":
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    values = np.asarray(column.to_numpy(dtype=object))
    is_text = str(column.dtype) == "category" or kind == "U"
    found = column_of_text(values) if is_text else _object_column(values)
    return _numbers(values, name) if found is None else found


def _object_column(values: AnyArray) -> AnyArray | None:
    """Return floats if all known values are numbers, text if any is text, else None."""
    kept = [None if _is_missing(v) else v for v in values.tolist()]
    if not all(v is None or isinstance(v, (str, int, float, np.number)) for v in kept):
        return None
    if any(isinstance(v, str) for v in kept):
        return column_of_text(values)
    try:
        return np.array([np.nan if v is None else float(v) for v in kept])
    except OverflowError:
        raise ValueError(
            f"X has values beyond ±{LARGEST:g}: rescale or leave out the column"
        ) from None


def _numbers(values: AnyArray, name: object) -> FloatArray:
    """Return objects such as decimals as floats; raise ValueError with the column name if not."""
    try:
        return np.array([np.nan if _is_missing(v) else float(v) for v in values.tolist()])
    except (TypeError, ValueError):
        odd = next(v for v in values.tolist() if not isinstance(v, (str, int, float)))
        raise ValueError(
            f"column {name!r} holds {odd!r:.40}: expected numbers, text or categories"
        ) from None


def _is_missing(value: Any) -> bool:
    # NaN and NaT differ from themselves; pandas.NA has no truth value.
    if value is None or type(value).__name__ == "NAType":
        return True
    differs = value != value
    return isinstance(differs, (bool, np.bool_)) and bool(differs)


def _text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)
