"""Gradient-boosted trees for two or more classes, on tables of moderate size.

A tree is grown by one compiled function: with a few thousand rows, the calls in `boosting.growing`
would cost more than the sums themselves. `growing.grow_tree` is the plain equivalent.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.special import expit, softmax

from segboost._types import FloatArray, Int64Array, IntArray
from segboost.boosting.ensemble import TreeBooster
from segboost.boosting.growing import GrownTree, walk_columns
from segboost.boosting.settings import BoosterSettings
from segboost.weak.binning import BinnedMatrix

_RARE = 1e-6  # added to the share of every class: a class of zero weight keeps a finite score


def boost_classes(
    binned: BinnedMatrix,
    y: IntArray,
    n_classes: int,
    weight: FloatArray,
    settings: BoosterSettings,
    rng: np.random.Generator,
) -> tuple[TreeBooster, ...]:
    """Fit one sum of trees per class by Newton steps on the softmax loss.

    Parameters
    ----------
    binned : BinnedMatrix
        The features of N rows as codes.
    y : ndarray of int, shape (N,)
        Classes from 0; every class occurs.
    n_classes : int
        At least 2. Two classes have a single sum, the log-odds of class 1.
    weight : ndarray of shape (N,)
        Not negative, of mean 1.
    settings : BoosterSettings
        ``n_columns`` of the features are drawn for each round.
    rng : Generator

    Returns
    -------
    tuple of TreeBooster, one per class (a single one for two classes)
    """
    n = len(y)
    target, baseline = _targets(y, n_classes, weight)
    scores = np.repeat(baseline[:, None], n, axis=1)
    every = np.arange(n)
    trees: list[list[GrownTree]] = [[] for _ in baseline]
    n_rows = max(1, round(settings.row_share * n))
    n_columns = min(settings.n_columns, binned.n_features)
    for _ in range(settings.n_trees):
        rows = np.sort(rng.permutation(n)[:n_rows])
        chosen = np.sort(rng.permutation(binned.n_features)[:n_columns])
        gradient, curvature = _derivatives(scores, target, weight)
        for q, grown in enumerate(trees):
            tree = grow_tree_by_partition(
                binned, rows, chosen, gradient[q, rows], curvature[q, rows], settings
            )
            scores[q] += walk_columns(binned.codes, every, tree.feature, tree.cut, tree.value)
            grown.append(tree)
    return tuple(
        TreeBooster.from_trees(float(b), grown, binned.thresholds)
        for b, grown in zip(baseline, trees, strict=True)
    )


def _targets(y: IntArray, n_classes: int, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return targets in {0, 1}, shape (Q, N), and the scores of the class shares, shape (Q,)."""
    share = np.bincount(y, weights=weight, minlength=n_classes) + _RARE * len(y)
    share /= share.sum()
    if n_classes == 2:
        return (y == 1).astype(np.float64)[None, :], np.log(share[1:] / share[:1])
    return (y == np.arange(n_classes)[:, None]).astype(np.float64), np.log(share)


def _derivatives(
    scores: FloatArray, target: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return gradient and curvature of the loss, each of shape (Q, N)."""
    k = len(scores)
    p = expit(scores) if k == 1 else softmax(scores, axis=0)
    # Friedman's factor: the curvature of one of k scores whose sum is free.
    return (p - target) * weight, p * (1 - p) * weight * (k / (k - 1) if k > 1 else 1.0)


def grow_tree_by_partition(
    binned: BinnedMatrix,
    rows: Int64Array,
    chosen: Int64Array,
    gradient: FloatArray,
    curvature: FloatArray,
    settings: BoosterSettings,
) -> GrownTree:
    """Grow the tree of `segboost.boosting.growing.grow_tree`, with the rows sorted by node.

    Parameters
    ----------
    binned : BinnedMatrix
    rows : ndarray of int64, shape (n,)
    chosen : ndarray of int64, shape (C,)
    gradient, curvature : ndarray of shape (n,)
    settings : BoosterSettings
    """
    n_nodes = 2 ** (settings.depth + 1) - 1
    feature, cut = np.full(n_nodes, -1, dtype=np.int64), np.zeros(n_nodes, dtype=np.int64)
    total = np.zeros((n_nodes, 2))
    _grow(
        binned.codes, binned.n_bins, rows.copy(), chosen, gradient.copy(), curvature.copy(),
        settings.depth, settings.l2, settings.min_curvature, feature, cut, total,
    )  # fmt: skip
    value = -settings.learning_rate * total[:, 0] / (total[:, 1] + settings.l2)
    value[feature >= 0] = 0.0
    return GrownTree(feature, cut, value)


@njit(cache=True, nogil=True)
def _grow(codes, n_bins, rows, chosen, g, h, depth, l2, least, feature, cut, total):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Fill `feature`, `cut` and `total`; `rows`, `g` and `h` are sorted by node on the way."""
    width = 0
    for f in chosen:
        width = max(width, n_bins[f])
    start = np.zeros(feature.size + 1, np.int64)
    end = np.zeros(feature.size + 1, np.int64)
    end[0] = rows.size
    total[0, 0], total[0, 1] = g.sum(), h.sum()
    # Histograms of two levels: that of the parents and that of their children.
    sums = np.empty((2, 2 ** (depth - 1), chosen.size, width, 2))
    sums[0, 0] = 0.0
    for c in range(chosen.size):
        _add(codes[chosen[c]], rows, g, h, 0, rows.size, sums[0, 0, c])
    for level in range(depth):
        first, now = 2**level - 1, level % 2
        for j in range(2**level):
            k = first + j
            if end[k] == start[k] or total[k, 1] < 2 * least:
                continue
            c, b = _best_cut(sums[now, j], n_bins, chosen, total, k, l2, least)
            if c < 0:
                continue
            feature[k], cut[k] = chosen[c], b
            middle = _divide(codes[chosen[c]], rows, g, h, start[k], end[k], b)
            start[2 * k + 1], end[2 * k + 1] = start[k], middle
            start[2 * k + 2], end[2 * k + 2] = middle, end[k]
            if level + 1 == depth:
                continue
            small = 2 * k + 1 if middle - start[k] <= end[k] - middle else 2 * k + 2
            at = small - (2 ** (level + 1) - 1)
            few, many = sums[1 - now, at], sums[1 - now, at ^ 1]
            few[:] = 0.0
            for i in range(chosen.size):
                _add(codes[chosen[i]], rows, g, h, start[small], end[small], few[i])
                for bin in range(n_bins[chosen[i]]):
                    many[i, bin, 0] = sums[now, j, i, bin, 0] - few[i, bin, 0]
                    many[i, bin, 1] = sums[now, j, i, bin, 1] - few[i, bin, 1]


@njit(cache=True, nogil=True)
def _add(column, rows, g, h, start, end, out):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    for i in range(start, end):
        code = column[rows[i]]
        out[code, 0] += g[i]
        out[code, 1] += h[i]


@njit(cache=True, nogil=True)
def _best_cut(sums, n_bins, chosen, total, k, l2, least):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Return column and byte of the best cut of node k and write its children's totals."""
    g, h = total[k]
    whole = g * g / (h + l2)
    gain, column, byte = 1e-9, -1, -1
    for c in range(chosen.size):
        gl, hl = 0.0, 0.0
        for b in range(n_bins[chosen[c]] - 1):
            gl += sums[c, b, 0]
            hl += sums[c, b, 1]
            if hl < least:
                continue
            hr = h - hl
            if hr < least:
                break
            gr = g - gl
            found = gl * gl / (hl + l2) + gr * gr / (hr + l2) - whole
            if found > gain:
                gain, column, byte = found, c, b
                total[2 * k + 1, 0], total[2 * k + 1, 1] = gl, hl
                total[2 * k + 2, 0], total[2 * k + 2, 1] = gr, hr
    return column, byte


@njit(cache=True, nogil=True)
def _divide(column, rows, g, h, start, end, byte):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Partition the rows of a node, those up to the byte first; return where the others begin."""
    n = end - start
    right, gr, hr = np.empty(n, rows.dtype), np.empty(n), np.empty(n)
    left, found = start, 0
    for i in range(start, end):
        if column[rows[i]] <= byte:
            rows[left], g[left], h[left] = rows[i], g[i], h[i]
            left += 1
        else:
            right[found], gr[found], hr[found] = rows[i], g[i], h[i]
            found += 1
    rows[left:end], g[left:end], h[left:end] = right[:found], gr[:found], hr[:found]
    return left


def split_shares(boosters: tuple[TreeBooster, ...], n_features: int) -> FloatArray:
    """Return the share of the splits on each feature, shape (len(boosters), n_features)."""
    shares = np.zeros((len(boosters), n_features))
    for row, booster in zip(shares, boosters, strict=True):
        row += np.bincount(booster.feature[booster.feature >= 0], minlength=n_features)
    return shares / np.maximum(1.0, shares.sum(axis=1, keepdims=True))
