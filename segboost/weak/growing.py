"""Growing shallow trees from histograms of W and |W|.

One pass over the rows builds the root histograms of several columns of weights. Below the root,
only the smaller child of a node is summed; its sibling is the parent minus that child.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba as nb
import numpy as np

from segboost._types import FloatArray, IntArray, Outputs
from segboost.weak.binning import BinnedMatrix
from segboost.weak.histogram import TILE, Codes, Rows, add_rows_tile, histogram
from segboost.weak.splitting import TIE, Bins, Cut, best_cuts, pick


@dataclass(frozen=True, eq=False)
class CodeTree:
    """A complete tree on codes: arrays of 2^D - 1 nodes and 2^D leaves, numbered as a heap."""

    feature: IntArray
    cut: IntArray
    leaves: FloatArray

    def responses(self, codes: Codes) -> FloatArray:
        """Return the leaf values, shape (N,), on `codes`, shape (d, N)."""
        node = np.zeros(codes.shape[1], dtype=np.intp)
        rows = np.arange(codes.shape[1])
        for _ in range(self.leaves.size.bit_length() - 1):
            above = codes[self.feature[node], rows] > self.cut[node]
            node = 2 * node + 1 + above
        return self.leaves[node - self.feature.size]


@dataclass(frozen=True, eq=False)
class _Node:
    """The rows of one node and the histograms of W and |W| (unused on the last level)."""

    rows: Rows
    values: FloatArray
    sums: FloatArray
    masses: FloatArray


def grow_trees(
    binned: BinnedMatrix, weights: FloatArray, depth: int, outputs: Outputs
) -> list[tuple[CodeTree, Cut]]:
    """Return a tree and the best stump for each column of `weights`, shape (N, K)."""
    half = TILE // 2
    grown: list[tuple[CodeTree, Cut]] = []
    for start in range(0, weights.shape[1], half):
        part = weights[:, start : start + half]
        rows = np.flatnonzero(part.any(axis=1)).astype(np.int32)
        values = part[rows]
        sums = _root_histograms(binned, rows, values)
        for k in range(part.shape[1]):
            root = _Node(
                rows,
                np.ascontiguousarray(values[:, k]),
                np.ascontiguousarray(sums[:, :, k]),
                np.ascontiguousarray(sums[:, :, half + k]),
            )
            stump = _best_stump(root, binned.n_bins, outputs)
            grown.append((_Grower(binned, depth, outputs).grow(root), stump))
    return grown


def _root_histograms(binned: BinnedMatrix, rows: Rows, values: FloatArray) -> FloatArray:
    """Return histograms of W in the first half of the lanes and of |W| in the second."""
    half = TILE // 2
    tile = np.zeros((rows.size, TILE))
    tile[:, : values.shape[1]] = values
    tile[:, half : half + values.shape[1]] = np.abs(values)
    sums = np.zeros((binned.n_features, binned.width, TILE))
    add_rows_tile(binned.codes, rows, tile, sums)
    return sums


def _best_stump(node: _Node, n_bins: Bins, outputs: Outputs) -> Cut:
    """Return the stump, constants included, of greatest ``W·φ`` on the rows of `node`."""
    total, slack = float(node.values.sum()), float(TIE * np.abs(node.values).sum())
    binary = outputs == "binary"
    sums = node.sums[:, :, None]
    found = best_cuts(sums, n_bins, np.array([total]), np.array([slack]), binary)
    return pick(found, 0, total, slack, binary)


class _Grower:
    """Grows one tree; the arrays fill node by node."""

    def __init__(self, binned: BinnedMatrix, depth: int, outputs: Outputs) -> None:
        self._binned = binned
        self._depth = depth
        self._outputs: Outputs = outputs
        self._feature = np.zeros(2**depth - 1, dtype=np.intp)
        self._cut = np.full(2**depth - 1, -1, dtype=np.intp)
        self._leaves = np.zeros(2**depth)

    def grow(self, root: _Node) -> CodeTree:
        """Return the tree grown from `root`."""
        self._expand(0, root, self._depth)
        return CodeTree(self._feature, self._cut, self._leaves)

    def _expand(self, i: int, node: _Node, levels: int) -> None:
        """Choose the split of node i, with `levels` left, and expand its children."""
        if levels == 1:
            self._finish(i, node)
            return
        feature, cut = best_variance_cut(node.sums, node.masses, self._binned.n_bins)
        if feature < 0:  # no cut separates anything: all rows go to the right
            self._expand(2 * i + 2, node, levels - 1)
            return
        self._feature[i], self._cut[i] = feature, cut
        for child, part in enumerate(self._split(node, feature, cut, levels == 2)):
            self._expand(2 * i + 1 + child, part, levels - 1)

    def _finish(self, i: int, node: _Node) -> None:
        """Make node i a stump; its two children are leaves."""
        best = _best_stump(node, self._binned.n_bins, self._outputs)
        self._feature[i], self._cut[i] = best.feature, best.cut
        leaf = 2 * i + 1 - self._feature.size
        if self._outputs == "signed":
            self._leaves[leaf : leaf + 2] = (-best.polarity, best.polarity)
        elif best.score > 0:
            self._leaves[leaf : leaf + 2] = (best.polarity < 0, best.polarity > 0)

    def _split(self, node: _Node, feature: int, cut: int, last: bool) -> tuple[_Node, _Node]:
        """Return the children of `node`, at or below the cut and above it."""
        above = self._binned.codes[feature, node.rows] > cut
        small = above if 2 * np.count_nonzero(above) <= above.size else ~above
        rows, values = node.rows[small], node.values[small]
        sums = self._sum(rows, values)
        few = _Node(rows, values, sums, node.masses if last else self._sum(rows, np.abs(values)))
        many = _Node(
            node.rows[~small],
            node.values[~small],
            node.sums - sums,
            node.masses if last else node.masses - few.masses,
        )
        return (many, few) if small is above else (few, many)

    def _sum(self, rows: Rows, values: FloatArray) -> FloatArray:
        return histogram(self._binned.codes, rows, values, self._binned.width)


def best_variance_cut_numpy(sums: FloatArray, masses: FloatArray, n_bins: Bins) -> tuple[int, int]:
    """Return the feature and cut of greatest ``(Σ_L W)²/Σ_L |W| + (Σ_R W)²/Σ_R |W|``.

    Parameters
    ----------
    sums, masses : ndarray of float64, shape (d, B)
        Histograms of W and of |W|.
    n_bins : ndarray of int, shape (d,)

    Returns
    -------
    feature, cut : int
        The first of the best; (-1, -1) if no cut leaves weight on both sides.
    """
    total, mass = sums[0].sum(), masses[0].sum()
    slack = TIE * mass
    below, lower = np.cumsum(sums, axis=1)[:, :-1], np.cumsum(masses, axis=1)[:, :-1]
    valid = (lower > slack) & (mass - lower > slack)
    valid &= np.arange(below.shape[1]) < n_bins[:, None] - 1
    gain = np.full(below.shape, -np.inf)
    b, m = below[valid], lower[valid]
    gain[valid] = b**2 / m + (total - b) ** 2 / (mass - m)
    if not valid.any():
        return -1, -1
    feature, cut = np.unravel_index(np.argmax(gain >= gain.max() - slack), gain.shape)
    return int(feature), int(cut)


@nb.njit(cache=True, nogil=True)
def best_variance_cut(
    sums: FloatArray, masses: FloatArray, n_bins: Bins
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Compiled `best_variance_cut_numpy`."""
    d = sums.shape[0]
    total = sums[0].sum()
    mass = masses[0].sum()
    slack = TIE * mass
    best = np.full(d, -np.inf)
    for f in range(d):
        below = 0.0
        lower = 0.0
        for b in range(n_bins[f] - 1):
            below += sums[f, b]
            lower += masses[f, b]
            upper = mass - lower
            if lower > slack and upper > slack:
                best[f] = max(best[f], below * below / lower + (total - below) ** 2 / upper)
    floor = best.max() - slack
    for f in range(d):
        if best[f] < floor or best[f] == -np.inf:
            continue
        below = 0.0
        lower = 0.0
        for b in range(n_bins[f] - 1):
            below += sums[f, b]
            lower += masses[f, b]
            upper = mass - lower
            if lower > slack and upper > slack:
                gain = below * below / lower + (total - below) ** 2 / upper
                if gain >= floor:
                    return f, b
    return -1, -1
