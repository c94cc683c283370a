"""Codes of features for tree boosting: a byte each, and back to thresholds of the features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray

MOST_VALUES = 256
"""What a byte can tell apart."""


def find_edges(column: npt.NDArray[Any]) -> FloatArray:
    """Return increasing edges between a column's values: all midpoints, or 255 quantiles."""
    values = np.asarray(column, dtype=np.float64)
    distinct = np.unique(values)
    if len(distinct) <= MOST_VALUES:
        return (distinct[1:] + distinct[:-1]) / 2
    shares = np.linspace(0, 100, MOST_VALUES + 1)[1:-1]
    return np.unique(np.percentile(values, shares, method="averaged_inverted_cdf"))


def byte_edges() -> FloatArray:
    """Return the edges of a column of bytes, whose codes are the bytes themselves."""
    return np.arange(MOST_VALUES - 1, dtype=np.float64)


def encode(X: npt.NDArray[Any], edges: Sequence[FloatArray]) -> npt.NDArray[np.uint8]:
    """Return codes of the shape of X: how many of its column's edges lie below a value.

    So ``x ≤ edges[k]`` holds where the code is k at most.
    """
    codes = np.empty(X.shape, dtype=np.uint8)
    for j, known in enumerate(edges):
        codes[:, j] = np.searchsorted(known, X[:, j].astype(np.float64), side="left")
    return codes


def decode_cuts(
    feature: npt.NDArray[Any], cut: npt.NDArray[Any], edges: Sequence[FloatArray]
) -> FloatArray:
    """Return the thresholds of values that split as these cuts of codes do, in their shape.

    Parameters
    ----------
    feature : ndarray of int
        The column that a cut is of; negative where there is none.
    cut : ndarray of int, shape as `feature`
        Codes up to it go left.
    edges : sequence of ndarray
    """
    threshold = np.zeros(feature.shape)
    for place in zip(*np.nonzero(feature >= 0), strict=True):
        threshold[place] = edges[feature[place]][cut[place]]
    return threshold
