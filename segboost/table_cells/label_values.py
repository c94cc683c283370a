"""Checks for missing labels and labels of mixed types, which cannot be sorted."""

from __future__ import annotations

from typing import Any

import numpy as np


def refuse_odd_labels(y: Any) -> None:
    """Raise ValueError if labels are missing, or if some are text and others are not.

    Parameters
    ----------
    y : array-like of shape (N,)
        Only arrays of objects or text are checked; all else is left to later checks.
    """
    kind = getattr(y, "dtype", None)
    if kind is None or getattr(kind, "kind", "O") not in "OUT":
        return
    values = np.asarray(y, dtype=object).ravel().tolist()
    for value in values:
        if _is_missing(value):
            raise ValueError(f"y contains missing labels ({value}): remove these rows")
    text = next((v for v in values if isinstance(v, str)), None)
    other = next((v for v in values if not isinstance(v, str)), None)
    if text is not None and other is not None:
        raise ValueError(
            f"y mixes text and other labels ({text!r:.40} and {other!r:.40}): use one type for all"
        )


def _is_missing(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    # No comparison of other values: pandas.NA has no truth value.
    return value is None or type(value).__name__ == "NAType"
