"""Dates, times and durations as objects, in arrays and data frames."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

import numpy as np

DATES = "dates: replace it with numbers, such as year, month or days since a fixed day"
DURATIONS = "durations: replace it with numbers, such as seconds or days"
TIMES = "times of day: replace it with numbers, such as hours since midnight"


def refuse_time_columns(X: Any) -> None:
    """Raise ValueError if a column of a data frame or array holds dates, times or durations.

    Otherwise NumPy would silently count days or nanoseconds, or fail without naming the column.

    Parameters
    ----------
    X : data frame, or array-like of shape (N, d)
        Everything else is left to later checks.
    """
    if hasattr(X, "iloc") and hasattr(X, "dtypes") and getattr(X, "ndim", 0) == 2:
        for q, kind in enumerate(X.dtypes):
            found = _of_dtype(kind)
            if found is None and getattr(kind, "kind", "O") == "O" and str(kind) != "category":
                found = _of_values(X.iloc[:, q])
            if found is not None:
                raise ValueError(f"column {_label(X.columns[q])} holds {found}")
    elif isinstance(X, np.ndarray):
        found = _of_dtype(X.dtype)
        if found is not None:
            raise ValueError(f"X holds {found.replace('it with', 'them with')}")
        if X.dtype == object and X.ndim == 2:
            for q in range(X.shape[1]):
                if (found := _of_values(X[:, q].tolist())) is not None:
                    raise ValueError(f"column {q + 1} of X holds {found}")


def _label(name: Any) -> str:
    # The repr of a NumPy scalar would include its type.
    return repr(name.item() if isinstance(name, np.generic) else name)


def _of_dtype(kind: Any) -> str | None:
    if str(kind).startswith("period["):
        return DATES
    return {"M": DATES, "m": DURATIONS}.get(getattr(kind, "kind", "O"))


def _of_values(values: Iterable[Any]) -> str | None:
    for value in values:
        # NaT is an instance of datetime, but stands for a missing value of any kind.
        if type(value).__name__ == "NaTType":
            continue
        if isinstance(value, datetime.date | np.datetime64) or type(value).__name__ == "Period":
            return DATES
        if isinstance(value, datetime.timedelta | np.timedelta64):
            return DURATIONS
        if isinstance(value, datetime.time):
            return TIMES
    return None
