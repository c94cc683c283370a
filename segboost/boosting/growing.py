"""Gradient-boosted trees over thousands of byte columns, each tree on a random few of them.

For one booster over all raw features at once. A tree sees a sample of rows and of columns, which
makes it cheap and the sum of many better; its histograms of gradients are counted only for the
smaller of two siblings, the other one is what the parent leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.special import expit

from segboost._types import ByteArray, FloatArray, Int64Array

BINS = 256


@dataclass(frozen=True)
class BoosterSettings:
    """How the trees are grown.

    Parameters
    ----------
    n_trees, depth : int
    learning_rate : float
    row_share : float
        The share of the rows that a tree is grown on.
    n_columns : int
        The columns that a tree may ask about.
    l2 : float
        Added to the curvature of every leaf.
    min_curvature : float
        Of a leaf; rows of mean weight count up to 1/4 each.
    """

    n_trees: int = 400
    depth: int = 5
    learning_rate: float = 0.1
    row_share: float = 0.5
    n_columns: int = 400
    l2: float = 10.0
    min_curvature: float = 10.0


@dataclass(frozen=True, eq=False)
class GrownTree:
    """One tree, its nodes in heap order: the children of k are 2k + 1 and 2k + 2.

    Parameters
    ----------
    feature : ndarray of int64, shape (2^(depth+1) − 1,)
        −1 at leaves.
    cut : ndarray of int64, shape as `feature`
        Bytes up to it go left.
    value : FloatArray
        What a leaf adds.
    """

    feature: Int64Array
    cut: Int64Array
    value: FloatArray


def boost_trees(
    columns: ByteArray,
    rows: Int64Array,
    labels: npt.NDArray[np.bool_],
    weight: FloatArray,
    settings: BoosterSettings,
    rng: np.random.Generator,
) -> tuple[float, list[GrownTree]]:
    """Fit ``F = baseline + Σ_t tree_t`` by Newton steps on the logistic loss.

    Parameters
    ----------
    columns : ndarray of uint8, shape (D, N)
        Features, one a row, so that a histogram reads memory in order.
    rows : ndarray of int64, shape (n,)
        The examples to learn from, as columns of `columns`.
    labels : ndarray of bool, shape (n,)
    weight : ndarray of shape (n,)
        Of mean 1.
    settings : BoosterSettings
    rng : Generator
    """
    share = float(np.average(labels, weights=weight))
    baseline = float(np.log(share / (1 - share)))
    score = np.full(len(rows), baseline)
    trees = []
    n_rows = max(1, round(settings.row_share * len(rows)))
    n_columns = min(settings.n_columns, len(columns))
    for _ in range(settings.n_trees):
        sample = np.sort(rng.choice(len(rows), n_rows, replace=False))
        chosen = np.sort(rng.choice(len(columns), n_columns, replace=False))
        p = expit(score[sample])
        gradient = (p - labels[sample]) * weight[sample]
        curvature = p * (1 - p) * weight[sample]
        tree = grow_tree(columns, rows[sample], chosen, gradient, curvature, settings)
        trees.append(tree)
        score += walk_columns(columns, rows, tree.feature, tree.cut, tree.value)
    return baseline, trees


def grow_tree(
    columns: ByteArray,
    rows: Int64Array,
    chosen: Int64Array,
    gradient: FloatArray,
    curvature: FloatArray,
    settings: BoosterSettings,
) -> GrownTree:
    """Grow one tree level by level on the rows and columns given."""
    n_nodes = 2 ** (settings.depth + 1) - 1
    feature = np.full(n_nodes, -1, dtype=np.int64)
    cut = np.zeros(n_nodes, dtype=np.int64)
    node = np.zeros(len(rows), dtype=np.int64)
    total = np.zeros((n_nodes, 2))
    total[0] = gradient.sum(), curvature.sum()
    histogram = np.zeros((len(chosen), 1, BINS, 2))
    count_bytes(columns, chosen, rows, node, gradient, curvature, histogram)
    for level in range(settings.depth):
        first, n_level = 2**level - 1, 2**level
        best, left = best_cuts(
            histogram, total[first : first + n_level], settings.l2, settings.min_curvature
        )
        split = best[:, 0] >= 0
        parents = first + np.flatnonzero(split)
        if len(parents) == 0:
            break
        feature[parents] = chosen[best[split, 0]]
        cut[parents] = best[split, 1]
        total[2 * parents + 1] = left[split]
        total[2 * parents + 2] = total[parents] - left[split]
        node = descend(columns, rows, node, feature, cut)
        if level + 1 < settings.depth:
            smaller = _smaller_children(node, parents, 2 * first + 1, 2 * n_level)
            histogram = _next_histograms(
                columns, chosen, rows, node - (2 * first + 1), gradient, curvature, histogram,
                smaller,
            )  # fmt: skip
    inner = feature >= 0
    value = -settings.learning_rate * total[:, 0] / (total[:, 1] + settings.l2)
    value[inner] = 0.0
    return GrownTree(feature, cut, value)


def _smaller_children(
    node: Int64Array, parents: Int64Array, first: int, n_level: int
) -> npt.NDArray[np.bool_]:
    """Return which nodes of the next level, counted from `first`, have their rows counted."""
    sizes = np.bincount(node[node >= first] - first, minlength=n_level)
    smaller = np.zeros(n_level, dtype=np.bool_)
    for left in 2 * parents + 1 - first:
        smaller[left if sizes[left] <= sizes[left + 1] else left + 1] = True
    return smaller


def _next_histograms(
    columns: ByteArray,
    chosen: Int64Array,
    rows: Int64Array,
    node: Int64Array,
    gradient: FloatArray,
    curvature: FloatArray,
    parent: FloatArray,
    smaller: npt.NDArray[np.bool_],
) -> FloatArray:
    """Count the smaller children and take them from their parents for the others."""
    counted = np.flatnonzero((node >= 0) & smaller[np.maximum(node, 0)])
    histogram = np.zeros((len(chosen), len(smaller), BINS, 2))
    count_bytes(
        columns, chosen, rows[counted], node[counted], gradient[counted], curvature[counted],
        histogram,
    )  # fmt: skip
    for child in np.flatnonzero(smaller):
        sibling = child ^ 1
        histogram[:, sibling] = parent[:, child // 2] - histogram[:, child]
    return histogram


@njit(cache=True, nogil=True)
def count_bytes(columns, chosen, rows, node, gradient, curvature, histogram):  # type: ignore[no-untyped-def]
    """Add gradients and curvatures to histogram[column, node, byte, (0, 1)]."""
    for k in range(chosen.shape[0]):
        column = columns[chosen[k]]
        for j in range(rows.shape[0]):
            cell = histogram[k, node[j], column[rows[j]]]
            cell[0] += gradient[j]
            cell[1] += curvature[j]


@njit(cache=True, nogil=True)
def best_cuts(histogram, total, l2, min_curvature):  # type: ignore[no-untyped-def]
    """Return column and byte of the best cut of every node, −1 where none gains, and its left.

    The gain of a cut is ``G_l²/(H_l + λ) + G_r²/(H_r + λ) − G²/(H + λ)``.
    """
    n_columns, n_nodes, bins, _ = histogram.shape
    best = np.full((n_nodes, 2), -1, dtype=np.int64)
    left = np.zeros((n_nodes, 2))
    gain = np.full(n_nodes, 1e-9)
    for k in range(n_columns):
        for n in range(n_nodes):
            g, h = total[n]
            if h < 2 * min_curvature:
                continue
            whole = g * g / (h + l2)
            gl, hl = 0.0, 0.0
            for b in range(bins - 1):
                gl += histogram[k, n, b, 0]
                hl += histogram[k, n, b, 1]
                if hl < min_curvature:
                    continue
                hr = h - hl
                if hr < min_curvature:
                    break
                gr = g - gl
                found = gl * gl / (hl + l2) + gr * gr / (hr + l2) - whole
                if found > gain[n]:
                    gain[n] = found
                    best[n, 0], best[n, 1] = k, b
                    left[n, 0], left[n, 1] = gl, hl
    return best, left


@njit(cache=True, nogil=True)
def descend(columns, rows, node, feature, cut):  # type: ignore[no-untyped-def]
    """Return the child that every row goes to; rows at leaves stay."""
    out = node.copy()
    for j in range(rows.shape[0]):
        f = feature[node[j]]
        if f >= 0:
            right = columns[f, rows[j]] > cut[node[j]]
            out[j] = 2 * node[j] + (2 if right else 1)
    return out


@njit(cache=True, nogil=True)
def walk_columns(columns, rows, feature, cut, value):  # type: ignore[no-untyped-def]
    """Return a tree's value of every row."""
    out = np.empty(rows.shape[0])
    for j in range(rows.shape[0]):
        k = 0
        while feature[k] >= 0:
            k = 2 * k + (2 if columns[feature[k], rows[j]] > cut[k] else 1)
        out[j] = value[k]
    return out
