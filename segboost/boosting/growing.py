"""Growing gradient-boosted trees over thousands of byte columns.

Each tree sees a random sample of the rows and of the columns, which makes it cheap and the sum of
many trees more accurate. Gradients are summed only over the smaller of two siblings; the sums of
the other are the parent's minus those.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.special import expit

from segboost._types import BoolArray, ByteArray, FloatArray, Int64Array
from segboost.boosting.settings import BoosterSettings
from segboost.boosting.splitting import best_cuts
from segboost.weak.binning import MAX_BINS
from segboost.weak.histogram import add_pairs_by_node


@dataclass(frozen=True, eq=False)
class GrownTree:
    """One tree, its nodes in heap order: the children of k are 2k + 1 and 2k + 2.

    Parameters
    ----------
    feature : ndarray of int64, shape (2^(depth+1) − 1,)
        −1 at leaves.
    cut : ndarray of int64, shape as `feature`
        Bytes up to it go left.
    value : ndarray of shape (2^(depth+1) − 1,) or (2^(depth+1) − 1, K)
        The value that a leaf adds, or one per class.
    """

    feature: Int64Array
    cut: Int64Array
    value: FloatArray


def boost_trees(
    columns: ByteArray,
    rows: Int64Array,
    labels: BoolArray,
    weight: FloatArray,
    settings: BoosterSettings,
    rng: np.random.Generator,
    more: tuple[int, int] | None = None,
) -> tuple[float, list[GrownTree]]:
    """Fit ``F = baseline + Σ_t tree_t`` by Newton steps on the logistic loss.

    Parameters
    ----------
    columns : ndarray of uint8, shape (D, N)
        One row per feature, so that a histogram reads memory in order.
    rows : ndarray of int64, shape (n,)
        The examples to learn from, as columns of `columns`.
    labels : ndarray of bool, shape (n,)
    weight : ndarray of shape (n,)
        Positive, of mean 1.
    settings : BoosterSettings
    rng : Generator
    more : tuple of int, optional
        (D', n'): `settings.n_columns` columns are drawn from the first D' only, and n' from the
        others, so that many columns do not crowd out a few.
    """
    share = float(np.average(labels, weights=weight))
    baseline = float(np.log(share / (1 - share)))
    score = np.full(len(rows), baseline)
    trees = []
    n_rows = max(1, round(settings.row_share * len(rows)))
    for _ in range(settings.n_trees):
        sample = np.sort(rng.choice(len(rows), n_rows, replace=False))
        chosen = draw_columns(len(columns), settings.n_columns, more, rng)
        p = expit(score[sample])
        gradient = (p - labels[sample]) * weight[sample]
        curvature = p * (1 - p) * weight[sample]
        tree = grow_tree(columns, rows[sample], chosen, gradient, curvature, settings)
        trees.append(tree)
        score += walk_columns(columns, rows, tree.feature, tree.cut, tree.value)
    return baseline, trees


def draw_columns(
    n_all: int, n_columns: int, more: tuple[int, int] | None, rng: np.random.Generator
) -> Int64Array:
    """Return the columns that a tree may split on, ascending."""
    first, n_more = more or (n_all, 0)
    chosen = np.sort(rng.choice(first, min(n_columns, first), replace=False))
    n_more = min(n_more, n_all - first)
    if not n_more:
        return chosen
    return np.concatenate([chosen, first + np.sort(rng.choice(n_all - first, n_more, False))])


def grow_tree(
    columns: ByteArray,
    rows: Int64Array,
    chosen: Int64Array,
    gradient: FloatArray,
    curvature: FloatArray,
    settings: BoosterSettings,
) -> GrownTree:
    """Grow one tree, level by level, on the given rows and the chosen columns."""
    n_nodes = 2 ** (settings.depth + 1) - 1
    feature = np.full(n_nodes, -1, dtype=np.int64)
    cut = np.zeros(n_nodes, dtype=np.int64)
    node = np.zeros(len(rows), dtype=np.int64)
    total = np.zeros((n_nodes, 2))
    total[0] = gradient.sum(), curvature.sum()
    pairs = np.stack([gradient, curvature], axis=1)
    histogram = np.zeros((len(chosen), 1, MAX_BINS, 2))
    add_pairs_by_node(columns, chosen, rows, node, pairs, histogram)
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
            first, n_level = 2 * first + 1, 2 * n_level
            smaller = _smaller_children(node, parents, first, n_level)
            histogram = _next_histograms(
                columns, chosen, rows, node - first, pairs, histogram, smaller
            )
    inner = feature >= 0
    value = -settings.learning_rate * total[:, 0] / (total[:, 1] + settings.l2)
    value[inner] = 0.0
    return GrownTree(feature, cut, value)


def _smaller_children(node: Int64Array, parents: Int64Array, first: int, n_level: int) -> BoolArray:
    """Return which nodes of a level, numbered from `first`, are the smaller of two siblings."""
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
    pairs: FloatArray,
    parent: FloatArray,
    smaller: BoolArray,
) -> FloatArray:
    """Sum over the smaller children and subtract them from their parents for the others.

    `node` is relative to the level and negative for rows that ended in a leaf above it.
    """
    summed = np.flatnonzero((node >= 0) & smaller[np.maximum(node, 0)])
    histogram = np.zeros((len(chosen), len(smaller), MAX_BINS, 2))
    add_pairs_by_node(columns, chosen, rows[summed], node[summed], pairs[summed], histogram)
    for child in np.flatnonzero(smaller):
        sibling = child ^ 1
        histogram[:, sibling] = parent[:, child // 2] - histogram[:, child]
    return histogram


@njit(cache=True, nogil=True)
def descend(columns, rows, node, feature, cut):  # type: ignore[no-untyped-def]
    """Return the node that every row moves to; rows at leaves stay."""
    out = node.copy()
    for j in range(rows.shape[0]):
        f = feature[node[j]]
        if f >= 0:
            right = columns[f, rows[j]] > cut[node[j]]
            out[j] = 2 * node[j] + (2 if right else 1)
    return out


@njit(cache=True, nogil=True)
def walk_columns(columns, rows, feature, cut, value):  # type: ignore[no-untyped-def]
    """Return the value of a tree for every row."""
    out = np.empty(rows.shape[0])
    for j in range(rows.shape[0]):
        k = 0
        while feature[k] >= 0:
            k = 2 * k + (2 if columns[feature[k], rows[j]] > cut[k] else 1)
        out[j] = value[k]
    return out
