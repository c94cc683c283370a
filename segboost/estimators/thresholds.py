"""Thresholds that turn scores into ranks, exactly optimal on the training data."""

from __future__ import annotations

from typing import Any

import numpy as np

from segboost._types import FloatArray, IntArray

ROUNDING = 1e-10


def rank_thresholds(
    scores: FloatArray, ranks: IntArray, n_ranks: int, sample_weight: Any = None
) -> FloatArray:
    """Return ascending thresholds t_0 ≤ … ≤ t_{k−2} that minimise the weighted absolute error.

    The absolute error is a sum over thresholds, ``|r − r̂| = Σ_t |[r > t] − [f > θ_t]|``, so that
    each threshold is optimal by itself; ties go to the lowest, which keeps them ascending. Scores
    that differ only by rounding are treated as equal.

    Parameters
    ----------
    scores : ndarray of shape (n,)
    ranks : ndarray of int, shape (n,)
        0 … n_ranks−1.
    n_ranks : int
    sample_weight : array-like of shape (n,), optional
    """
    weight = np.ones(len(scores)) if sample_weight is None else np.asarray(sample_weight, float)
    low, high, place = _distinct(scores)
    cuts = np.concatenate([[-np.inf], (high[:-1] + low[1:]) / 2, [np.inf]])
    thresholds = np.empty(n_ranks - 1)
    for t in range(n_ranks - 1):
        above = ranks > t
        # Every higher rank below the cut and every lower rank above it is an error.
        missed = np.bincount(place, weight * above, len(low))
        false = np.bincount(place, weight * ~above, len(low))
        error = np.concatenate([[0.0], np.cumsum(missed)]) + np.concatenate(
            [np.cumsum(false[::-1])[::-1], [0.0]]
        )
        thresholds[t] = cuts[int(np.argmin(error))]
    return np.maximum.accumulate(thresholds)


def _distinct(scores: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return both ends of every run of scores equal up to rounding, and the run of each score."""
    values, place = np.unique(scores, return_inverse=True)
    tolerance = ROUNDING * (1.0 + np.abs(values).max(initial=0.0))
    first = np.concatenate([[True], np.diff(values) > tolerance])
    last = np.append(first[1:], True)
    return values[first], values[last], (np.cumsum(first) - 1)[place]
