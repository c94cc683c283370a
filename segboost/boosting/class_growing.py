"""Growing trees with a value per class at every leaf, boosted on the softmax loss.

All classes share the structure of a tree, so that a tree costs one pass over the rows for any
number of classes, and predicting costs one walk. Splits are searched at a quarter of the bytes'
resolution: 64 bins of K + 1 sums each stay in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.special import softmax

from segboost._types import ByteArray, FloatArray, Int64Array
from segboost.boosting.growing import GrownTree, descend, draw_columns
from segboost.boosting.settings import BoosterSettings

BINS = 64
"""Number of bins in the split search; columns with more codes have four codes per bin."""


@dataclass(frozen=True, eq=False)
class Search:
    """The rows and columns that a tree is grown on.

    Parameters
    ----------
    columns : ndarray of uint8, shape (D, N)
    rows : ndarray of int64, shape (n,)
    chosen : ndarray of int64, shape (C,)
    shift : ndarray of int64, shape (C,)
        Bits that are dropped from the codes of each chosen column.
    """

    columns: ByteArray
    rows: Int64Array
    chosen: Int64Array
    shift: Int64Array

    def add(
        self, part: Int64Array | slice, node: Int64Array, sums: FloatArray, out: FloatArray
    ) -> None:
        """Add the sums of a part of the rows, in these nodes, to a histogram."""
        add_sums_by_node(self.columns, self.chosen, self.shift, self.rows[part], node, sums, out)


def boost_class_trees(
    columns: ByteArray,
    rows: Int64Array,
    labels: Int64Array,
    n_classes: int,
    weight: FloatArray,
    settings: BoosterSettings,
    rng: np.random.Generator,
    more: tuple[int, int] | None = None,
) -> tuple[FloatArray, list[GrownTree]]:
    """Fit ``F_k = baseline_k + Σ_t tree_t[k]`` by Newton steps on the loss −log softmax(F)_y.

    Parameters
    ----------
    columns : ndarray of uint8, shape (D, N)
        One row per feature, so that a histogram reads memory in order.
    rows : ndarray of int64, shape (n,)
        The examples to learn from, as columns of `columns`.
    labels : ndarray of int64, shape (n,)
        0 … K−1; classes may be missing.
    n_classes : int
        K.
    weight : ndarray of shape (n,)
        Positive, of mean 1.
    settings : BoosterSettings
    rng : Generator
    more : tuple of int, optional
        As in `segboost.boosting.growing.boost_trees`.
    """
    share = np.bincount(labels, weight, n_classes)
    # A class without examples starts far below the others and stays there.
    baseline = np.log(np.maximum(share / share.sum(), 1e-6))
    score = np.tile(baseline, (len(rows), 1))
    trees = []
    shift = np.where(columns.max(axis=1) < BINS, 0, 2)
    n_rows = max(1, round(settings.row_share * len(rows)))
    for _ in range(settings.n_trees):
        sample = np.sort(rng.choice(len(rows), n_rows, replace=False))
        chosen = draw_columns(len(columns), settings.n_columns, more, rng)
        p = softmax(score[sample], axis=1)
        search = Search(columns, rows[sample], chosen, shift[chosen])
        tree = grow_class_tree(search, p, labels[sample], weight[sample], settings)
        trees.append(tree)
        add_class_tree(columns, rows, tree.feature, tree.cut, tree.value, score)
    return baseline, trees


def grow_class_tree(
    search: Search,
    p: FloatArray,
    labels: Int64Array,
    weight: FloatArray,
    settings: BoosterSettings,
) -> GrownTree:
    """Grow one tree, level by level.

    With gradients ``g_k = w (p_k − [y = k])`` and the curvature ``h = w Σ_k p_k (1 − p_k)``, a
    split gains ``Σ_k G_k² / (H + λ)`` on either side minus that of the node. Leaves take a Newton
    step per class, ``−rate · G_k / (H_k + λ)`` with ``H_k = Σ w p_k (1 − p_k)``.
    """
    n_classes, rows, chosen = p.shape[1], search.rows, search.chosen
    n_nodes = 2 ** (settings.depth + 1) - 1
    feature = np.full(n_nodes, -1, dtype=np.int64)
    cut = np.zeros(n_nodes, dtype=np.int64)
    node = np.zeros(len(rows), dtype=np.int64)
    curvature = p * (1 - p) * weight[:, None]
    sums = np.empty((len(rows), n_classes + 1))
    sums[:, :-1] = p * weight[:, None]
    sums[np.arange(len(rows)), labels] -= weight
    sums[:, -1] = curvature.sum(axis=1)
    total = np.zeros((n_nodes, n_classes + 1))
    total[0] = sums.sum(axis=0)
    histogram = np.zeros((len(chosen), 1, BINS, n_classes + 1))
    search.add(slice(None), node, sums, histogram)
    for level in range(settings.depth):
        first, n_level = 2**level - 1, 2**level
        best, left = best_class_cuts(
            histogram, total[first : first + n_level], settings.l2, settings.min_curvature
        )
        split = best[:, 0] >= 0
        parents = first + np.flatnonzero(split)
        if len(parents) == 0:
            break
        feature[parents] = chosen[best[split, 0]]
        cut[parents] = ((best[split, 1] + 1) << search.shift[best[split, 0]]) - 1
        total[2 * parents + 1] = left[split]
        total[2 * parents + 2] = total[parents] - left[split]
        node = descend(search.columns, rows, node, feature, cut)
        if level + 1 < settings.depth:
            histogram = _next_histograms(search, node, sums, histogram, level + 1)
    return GrownTree(feature, cut, _leaf_values(node, sums, curvature, n_nodes, settings))


def _leaf_values(
    node: Int64Array,
    sums: FloatArray,
    curvature: FloatArray,
    n_nodes: int,
    settings: BoosterSettings,
) -> FloatArray:
    """Return the Newton step of every class at every node, 0 where no row ended."""
    value = np.empty((n_nodes, curvature.shape[1]))
    for k in range(curvature.shape[1]):
        gradient = np.bincount(node, sums[:, k], n_nodes)
        value[:, k] = -settings.learning_rate * gradient
        value[:, k] /= np.bincount(node, curvature[:, k], n_nodes) + settings.l2
    return value


def _next_histograms(
    search: Search, node: Int64Array, sums: FloatArray, parent: FloatArray, level: int
) -> FloatArray:
    """Sum over the smaller of two siblings; the other one is the parent minus that."""
    first, n_level = 2**level - 1, 2**level
    here = node - first
    sizes = np.bincount(here[here >= 0], minlength=n_level).reshape(-1, 2)
    smaller = np.zeros((n_level // 2, 2), dtype=np.bool_)
    smaller[np.arange(n_level // 2), (sizes[:, 1] < sizes[:, 0]).astype(int)] = True
    smaller = smaller.ravel()
    summed = np.flatnonzero((here >= 0) & smaller[np.maximum(here, 0)])
    histogram = np.zeros((len(search.chosen), n_level, BINS, sums.shape[1]))
    search.add(summed, here[summed], sums[summed], histogram)
    for child in np.flatnonzero(smaller):
        histogram[:, child ^ 1] = parent[:, child // 2] - histogram[:, child]
    return histogram


@njit(cache=True, nogil=True)
def add_sums_by_node(columns, chosen, shift, rows, node, sums, out):  # type: ignore[no-untyped-def]
    """Add the rows' sums to ``out[c, node, columns[chosen[c], row] >> shift[c]]``."""
    width = sums.shape[1]
    for c in range(chosen.shape[0]):
        column = columns[chosen[c]]
        table = out[c]
        for i in range(rows.shape[0]):
            target = table[node[i], column[rows[i]] >> shift[c]]
            source = sums[i]
            for k in range(width):
                target[k] += source[k]


def add_sums_by_node_numpy(
    columns: ByteArray,
    chosen: Int64Array,
    shift: Int64Array,
    rows: Int64Array,
    node: Int64Array,
    sums: FloatArray,
    out: FloatArray,
) -> None:
    """Plain NumPy twin of `add_sums_by_node`."""
    for c, column in enumerate(chosen):
        np.add.at(out[c], (node, columns[column, rows] >> shift[c]), sums)


@njit(cache=True, nogil=True)
def best_class_cuts(histogram, total, l2, min_curvature):  # type: ignore[no-untyped-def]
    """Return column, bin and left sums of the best cut of every node; −1 if no cut gains."""
    n_columns, n_nodes, bins, width = histogram.shape
    n_classes = width - 1
    best = np.full((n_nodes, 2), -1, dtype=np.int64)
    left = np.zeros((n_nodes, width))
    gain = np.full(n_nodes, 1e-9)
    part = np.empty(width)
    for c in range(n_columns):
        for n in range(n_nodes):
            h = total[n, n_classes]
            if h < 2 * min_curvature:
                continue
            whole = 0.0
            for k in range(n_classes):
                whole += total[n, k] * total[n, k]
            whole /= h + l2
            part[:] = 0.0
            for b in range(bins - 1):
                for k in range(width):
                    part[k] += histogram[c, n, b, k]
                hl = part[n_classes]
                if hl < min_curvature:
                    continue
                hr = h - hl
                if hr < min_curvature:
                    break
                of_left, of_right = 0.0, 0.0
                for k in range(n_classes):
                    of_left += part[k] * part[k]
                    right = total[n, k] - part[k]
                    of_right += right * right
                found = of_left / (hl + l2) + of_right / (hr + l2) - whole
                if found > gain[n]:
                    gain[n] = found
                    best[n, 0], best[n, 1] = c, b
                    left[n] = part
    return best, left


@njit(cache=True, nogil=True)
def add_class_tree(columns, rows, feature, cut, value, score):  # type: ignore[no-untyped-def]
    """Add the values of a tree to the scores of every row, shape (n, K), in place."""
    for j in range(rows.shape[0]):
        k = 0
        while feature[k] >= 0:
            k = 2 * k + (2 if columns[feature[k], rows[j]] > cut[k] else 1)
        score[j] += value[k]
