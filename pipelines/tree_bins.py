"""Codes of features for tree boosting: few distinct values, found once and quickly.

With sample weights scikit-learn looks for the quantiles of every column one by one, which takes
longer than the trees. Columns that hold at most 255 values spare it that search.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

MOST_VALUES = 255
"""The bins that scikit-learn has for a column."""


def find_edges(column: npt.NDArray[Any]) -> FloatArray:
    """Return increasing edges between a column's values: all midpoints, or 254 quantiles."""
    values = np.asarray(column, dtype=np.float64)
    distinct = np.unique(values)
    if len(distinct) <= MOST_VALUES:
        return (distinct[1:] + distinct[:-1]) / 2
    shares = np.linspace(0, 100, MOST_VALUES + 1)[1:-1]
    return np.unique(np.percentile(values, shares, method="averaged_inverted_cdf"))


def encode(X: npt.NDArray[Any], edges: list[FloatArray]) -> FloatArray:
    """Return codes of the shape of X: how many of its column's edges lie below a value.

    So ``x ≤ edges[k]`` holds where the code is k at most.
    """
    codes = np.empty(X.shape)
    for j, known in enumerate(edges):
        codes[:, j] = np.searchsorted(known, X[:, j].astype(np.float64), side="left")
    return codes


def decode_thresholds(
    feature: npt.NDArray[Any], threshold: npt.NDArray[Any], edges: list[FloatArray]
) -> FloatArray:
    """Return the thresholds of values that split as these thresholds of codes do.

    Parameters
    ----------
    feature : ndarray of int, shape (M,)
        The column that a threshold is of; negative where there is none.
    threshold : ndarray of shape (M,)
    edges : list of ndarray
    """
    pairs = zip(feature, threshold, strict=True)
    return np.array([edges[f][int(t)] if f >= 0 else 0.0 for f, t in pairs], dtype=np.float64)
