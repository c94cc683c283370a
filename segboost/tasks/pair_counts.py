"""Counts of violated pairs per example in O(n log n), without listing all pairs.

For scores f, ranks r and example weights v, a pair (i, j) with r_i > r_j is *violated* if
``f_j > f_i − 1``. The ranking cut needs two sums over violated pairs:

    above_i = Σ_{j: r_j < r_i, f_j > f_i − 1} v_j        (for i in the block)
    below_j = Σ_{i in block: r_i > r_j, f_j > f_i − 1} v_i

Both sides use the same rounded ``f_i − 1``, so that they agree on every pair.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from segboost._types import BoolArray, FloatArray, IntArray


def violated_pairs(
    scores: FloatArray, ranks: IntArray, weights: FloatArray, in_block: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return (above, below), each of shape (n,).

    Parameters
    ----------
    scores : ndarray of shape (n,)
    ranks : ndarray of int, shape (n,)
        0 … R−1, higher is better.
    weights : ndarray of shape (n,)
    in_block : ndarray of bool, shape (n,)
        Whether an example may be the upper one of a pair.
    """
    order = np.argsort(scores, kind="stable")
    n_ranks = int(ranks.max(initial=0)) + 1
    return _sweep(scores, ranks, weights, in_block, order, n_ranks)


@njit(cache=True, nogil=True)
def _sweep(scores, ranks, weights, in_block, order, n_ranks):  # type: ignore[no-untyped-def]
    """Sweep the scores downwards and upwards with a Fenwick tree over the ranks."""
    n = scores.shape[0]
    above = np.zeros(n)
    below = np.zeros(n)
    tree = np.zeros(n_ranks + 1)
    # Downwards: before i is queried, every j with f_j > f_i − 1 is in the tree.
    at = n - 1
    for k in range(n - 1, -1, -1):
        i = order[k]
        threshold = scores[i] - 1.0
        while at >= 0 and scores[order[at]] > threshold:
            _add(tree, ranks[order[at]] + 1, weights[order[at]])
            at -= 1
        if in_block[i]:
            above[i] = _prefix(tree, ranks[i])
    # Upwards: before j is queried, every i in the block with f_i − 1 < f_j is in the tree.
    tree[:] = 0.0
    at = 0
    for k in range(n):
        j = order[k]
        while at < n and scores[order[at]] - 1.0 < scores[j]:
            i = order[at]
            if in_block[i]:
                _add(tree, n_ranks - ranks[i], weights[i])
            at += 1
        below[j] = _prefix(tree, n_ranks - 1 - ranks[j])
    return above, below


@njit(cache=True, nogil=True)
def _add(tree, index, value):  # type: ignore[no-untyped-def]
    while index < tree.shape[0]:
        tree[index] += value
        index += index & -index


@njit(cache=True, nogil=True)
def _prefix(tree, index):  # type: ignore[no-untyped-def]
    total = 0.0
    while index > 0:
        total += tree[index]
        index -= index & -index
    return total


def violated_pairs_numpy(
    scores: FloatArray, ranks: IntArray, weights: FloatArray, in_block: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Plain NumPy twin of `violated_pairs`, over all pairs."""
    pair = (ranks[:, None] > ranks[None, :]) & (scores[None, :] > scores[:, None] - 1.0)
    pair &= in_block[:, None]
    return pair @ weights, weights @ pair
