"""Thresholds that turn a score into a rank, exactly optimal on the training data."""

from __future__ import annotations

from typing import Any

import numpy as np

from segboost._types import FloatArray, IntArray

ROUNDING = 1e-10


def rank_thresholds(
    scores: FloatArray, ranks: IntArray, n_ranks: int, sample_weight: Any = None
) -> FloatArray:
    """Return ascending thresholds t_0 ≤ … ≤ t_{k−2} of least weighted mean absolute error.

    The absolute error is a sum over thresholds, ``|r − r̂| = Σ_t [r > t] ≠ [f > θ_t]``, so that
    each one is optimal by itself; of several optima the lowest is taken, which keeps them in
    order. Scores that differ by rounding only are not told apart.

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
        # Below the cut every higher rank is an error, above it every lower one.
        missed = np.bincount(place, weight * above, len(low))
        false = np.bincount(place, weight * ~above, len(low))
        error = np.concatenate([[0.0], np.cumsum(missed)]) + np.concatenate(
            [np.cumsum(false[::-1])[::-1], [0.0]]
        )
        thresholds[t] = cuts[int(np.argmin(error))]
    return np.maximum.accumulate(thresholds)


def _distinct(scores: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the ends of every run of scores that are equal up to rounding, and each one's run."""
    values, place = np.unique(scores, return_inverse=True)
    tolerance = ROUNDING * (1.0 + np.abs(values).max(initial=0.0))
    first = np.concatenate([[True], np.diff(values) > tolerance])
    last = np.append(first[1:], True)
    return values[first], values[last], (np.cumsum(first) - 1)[place]
