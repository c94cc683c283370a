"""Sums of many trees over many rows.

Walking rows down a tree one by one causes unpredictable branches, which stall the processor. Here
all trees are complete, and many rows descend one level at a time: there are no branches to predict,
and the reads of different rows overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from numba import njit

from segboost._types import AnyArray, FloatArray, Int32Array

DAMAGED = "the trees of the model are damaged"
ROWS_AT_A_TIME = 64
"""Rows that are scored together; with a thousand columns they fit in a second-level cache."""


@dataclass(frozen=True, eq=False)
class CompleteTrees:
    """Trees of one depth d whose leaves are all on the last level.

    Parameters
    ----------
    feature : ndarray of uint32, shape (T, 2^d − 1)
        The feature that an inner node splits on; nodes are in heap order. Unsigned, because
        indices that may be negative make the kernel take twice the time.
    threshold : ndarray of float64, shape (T, 2^d − 1)
        A row with ``x[feature] ≤ threshold`` goes left.
    value : ndarray of shape (T, 2^d, K)
        The values that a leaf adds to the K scores.
    """

    feature: npt.NDArray[np.uint32]
    threshold: FloatArray
    value: AnyArray

    @classmethod
    def of(cls, feature: Int32Array, threshold: FloatArray, value: AnyArray) -> Self:
        """Return complete trees from trees with leaves on any level, by copying leaves downwards.

        Parameters
        ----------
        feature : ndarray of int32, shape (T, M)
            −1 at leaves; M = 2^(d + 1) − 1.
        threshold : ndarray of float64, shape (T, M)
        value : ndarray of shape (T, M, K)
        """
        n_inner = feature.shape[1] // 2
        feature, threshold, value = feature.copy(), threshold.copy(), value.copy()
        for node in range(n_inner):
            leaf = feature[:, node] < 0
            feature[leaf, node] = 0
            for child in (2 * node + 1, 2 * node + 2):
                value[leaf, child] = value[leaf, node]
                feature[leaf, child] = -1
        inner = slice(None), slice(n_inner)
        return cls(
            np.ascontiguousarray(feature[inner]).astype(np.uint32),
            np.ascontiguousarray(threshold[inner]),
            np.ascontiguousarray(value[:, n_inner:]),
        )

    @property
    def depth(self) -> int:
        """The number d of levels above the leaves."""
        return self.value.shape[1].bit_length() - 1

    def add_to(self, out: FloatArray, table: AnyArray) -> None:
        """Add all trees, in their order, to the scores of the rows of a table.

        Parameters
        ----------
        out : ndarray of shape (N, K)
            Changed in place.
        table : ndarray of shape (N, D)
        """
        rows = np.ascontiguousarray(table)
        _add_trees(rows, self.feature, self.threshold, self.value, self.depth, out)


def check_trees(feature: AnyArray, threshold: AnyArray, n_features: int) -> None:
    """Raise ValueError for stored trees, shape (T, M), that would cause out-of-bounds reads."""
    shape = feature.shape
    whole = len(shape) == 2 and shape[1] > 0 and (shape[1] + 1) & shape[1] == 0
    kinds = feature.dtype.kind == "i" and threshold.dtype.kind == "f"
    if not (whole and kinds and threshold.shape == shape):
        raise ValueError(DAMAGED)
    ends = feature[:, shape[1] // 2 :]
    # Below a leaf, the walk continues on feature 0, which must exist.
    if (ends >= 0).any() or (np.maximum(feature, 0) >= n_features).any():
        raise ValueError(DAMAGED)


def add_trees_numpy(trees: CompleteTrees, out: FloatArray, table: AnyArray) -> None:
    """Plain NumPy twin of `CompleteTrees.add_to`, tree by tree."""
    rows = np.arange(len(table))
    for feature, threshold, value in zip(trees.feature, trees.threshold, trees.value, strict=True):
        node = np.zeros(len(table), np.int64)
        for _ in range(trees.depth):
            below = table[rows, feature[node]] <= threshold[node]
            node = 2 * node + np.where(below, 1, 2)
        out += value[node - len(feature)]


@njit(cache=True, nogil=True)
def _add_trees(table, feature, threshold, value, depth, out):  # type: ignore[no-untyped-def]
    # A block of rows at a time, tree by tree: a tree stays in the cache for the whole block, and
    # the block for all trees. Each row adds the trees in their order.
    n_rows, n_inner = table.shape[0], np.uint32(feature.shape[1])
    one, two = np.uint32(1), np.uint32(2)
    node = np.zeros(ROWS_AT_A_TIME, np.uint32)
    for first in range(0, n_rows, ROWS_AT_A_TIME):
        rows = table[first : first + ROWS_AT_A_TIME]
        for tree in range(feature.shape[0]):
            column, cut, leaves = feature[tree], threshold[tree], value[tree]
            node[:] = 0
            for _ in range(depth):
                for r in range(len(rows)):
                    k = node[r]
                    right = one if not rows[r, column[k]] <= cut[k] else np.uint32(0)
                    node[r] = two * k + one + right
            for r in range(len(rows)):
                leaf = node[r] - n_inner
                for c in range(out.shape[1]):
                    out[first + r, c] += leaves[leaf, c]
