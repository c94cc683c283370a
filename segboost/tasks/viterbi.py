"""Exact decoding of chains: the labelling of highest score by dynamic programming.

``F(y) = Σ_t s_t(y_t) + Σ_{t>1} r(y_{t−1}, y_t)`` is maximised by the recursion
``M_t(b) = s_t(b) + max_a [M_{t−1}(a) + r(a, b)]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from segboost._types import FloatArray, IntArray


@njit(cache=True, nogil=True)
def best_paths(emission: FloatArray, transition: FloatArray, start: IntArray) -> IntArray:
    """Return the best labels of several chains; ties go to the lower label.

    Parameters
    ----------
    emission : ndarray of shape (T, K)
        s, all chains joined.
    transition : ndarray of shape (K, K)
        r(a, b), from a to b.
    start : ndarray of int, shape (m + 1,)
        Chain i has the tokens ``start[i]:start[i + 1]``.

    Returns
    -------
    ndarray of int, shape (T,)
    """
    n_tokens, k = emission.shape
    path = np.zeros(n_tokens, np.intp)
    came_from = np.zeros((n_tokens, k), np.intp)
    best = np.empty(k)
    for i in range(len(start) - 1):
        first, stop = start[i], start[i + 1]
        if first == stop:
            continue
        before = emission[first].copy()
        for t in range(first + 1, stop):
            for b in range(k):
                best[b] = before[0] + transition[0, b]
                for a in range(1, k):
                    value = before[a] + transition[a, b]
                    if value > best[b]:
                        best[b] = value
                        came_from[t, b] = a
            for b in range(k):
                before[b] = best[b] + emission[t, b]
        path[stop - 1] = np.argmax(before)
        for t in range(stop - 1, first, -1):
            path[t - 1] = came_from[t, path[t]]
    return path


def best_path_numpy(emission: FloatArray, transition: FloatArray) -> IntArray:
    """Return the best labels of one chain: plain NumPy twin of `best_paths`."""
    n_tokens, k = emission.shape
    came_from = np.zeros((n_tokens, k), np.intp)
    best = emission[0] if n_tokens else np.zeros(k)
    for t in range(1, n_tokens):
        total = best[:, None] + transition
        came_from[t] = total.argmax(axis=0)
        best = total.max(axis=0) + emission[t]
    path = np.zeros(n_tokens, np.intp)
    if n_tokens:
        path[-1] = best.argmax()
    for t in range(n_tokens - 1, 0, -1):
        path[t - 1] = came_from[t, path[t]]
    return path
