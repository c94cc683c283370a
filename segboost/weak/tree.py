"""Shallow decision trees: complete binary trees of depth 1 to 8, stored as flat arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from segboost._types import AnyArray, FloatArray, Int64Array, IntArray, Outputs
from segboost.weak.base import Candidate
from segboost.weak.binning import BinnedMatrix, bin_features
from segboost.weak.checks import check_outputs, check_weights, column_of, read_array
from segboost.weak.growing import CodeTree, grow_trees
from segboost.weak.splitting import Cut
from segboost.weak.stump import Stump

MAX_DEPTH = 8


@dataclass(frozen=True, eq=False)
class Tree:
    """A complete binary tree of depth D.

    Node i has the children 2i + 1 (``x[feature_i] <= threshold_i``) and 2i + 2 (above); the
    children of the last nodes are the leaves, from left to right.

    Parameters
    ----------
    feature : ndarray of int64, shape (2^D - 1,)
    threshold : ndarray of float64, shape (2^D - 1,)
        -inf sends every row to the right.
    leaves : ndarray of float64, shape (2^D,)
        The outputs: ±1, or 0 and 1.
    """

    feature: Int64Array
    threshold: FloatArray
    leaves: FloatArray

    kind: ClassVar[str] = "tree"

    @property
    def depth(self) -> int:
        """The number D of tests from the root to a leaf."""
        return self.leaves.size.bit_length() - 1

    def predict(self, features: AnyArray) -> FloatArray:
        """Return the responses, shape (N,), for features of shape (N, d)."""
        if sparse.issparse(features):
            return self._predict_sparse(features)
        features = np.asarray(features)
        rows = np.arange(features.shape[0])
        node = np.zeros(features.shape[0], dtype=np.intp)
        for _ in range(self.depth):
            above = features[rows, self.feature[node]] > self.threshold[node]
            node = 2 * node + 1 + above
        return self.leaves[node - self.feature.size]

    def _predict_sparse(self, features: Any) -> FloatArray:
        """Return the responses on sparse features; only the columns used are made dense."""
        used, place = np.unique(self.feature, return_inverse=True)
        dense = np.column_stack([column_of(features, int(q)) for q in used])
        return Tree(place.astype(np.int64), self.threshold, self.leaves).predict(dense)

    def feature_shares(self, n_features: int) -> FloatArray:
        """Return each feature's share of the nodes that test a feature, shape (n_features,)."""
        counts = np.bincount(self.feature[np.isfinite(self.threshold)], minlength=n_features)
        return counts / max(1, counts.sum())

    @classmethod
    def pack(cls, hypotheses: Sequence[Tree]) -> dict[str, AnyArray]:
        """Return the concatenated arrays of the trees, and their depths."""
        return {
            "depth": np.array([t.depth for t in hypotheses], dtype=np.int64),
            "feature": np.concatenate([np.empty(0, np.int64), *(t.feature for t in hypotheses)]),
            "threshold": np.concatenate([np.empty(0), *(t.threshold for t in hypotheses)]),
            "leaves": np.concatenate([np.empty(0), *(t.leaves for t in hypotheses)]),
        }

    @classmethod
    def unpack(cls, arrays: Mapping[str, AnyArray]) -> list[Tree]:
        """Return the trees that `pack` stored; ValueError if the arrays do not fit."""
        depth = read_array(arrays, "depth", "i", (None,))
        if ((depth < 1) | (depth > MAX_DEPTH)).any():
            raise ValueError(f"stored trees have a depth outside 1 to {MAX_DEPTH}")
        n_leaves = 2**depth
        n_nodes = int((n_leaves - 1).sum())
        feature = read_array(arrays, "feature", "i", (n_nodes,))
        threshold = read_array(arrays, "threshold", "f", (n_nodes,), finite=False)
        leaves = read_array(arrays, "leaves", "f", (int(n_leaves.sum()),))
        if (feature < 0).any():
            raise ValueError("stored trees have a negative feature index")
        if not (np.isfinite(threshold) | np.isneginf(threshold)).all():
            raise ValueError("stored trees have a threshold that is NaN or +inf")
        nodes, ends = np.cumsum(n_leaves - 1)[:-1], np.cumsum(n_leaves)[:-1]
        parts = (np.split(feature, nodes), np.split(threshold, nodes), np.split(leaves, ends))
        return [cls(f, t, v) for f, t, v in zip(*parts, strict=True)] if depth.size else []


@dataclass(frozen=True)
class ShallowTree:
    """Weak learner: a tree grown greedily on histograms of the weights.

    Inner nodes maximise ``(Σ_L W)² / Σ_L |W| + (Σ_R W)² / Σ_R |W|``, the reduction of weighted
    variance; the last ones maximise ``W·φ`` itself. If the best single stump scores at least as
    high, that stump is returned. The search is not exact.

    Parameters
    ----------
    max_depth : int
        Depth of the tree, from 1 to 8; 2 or 3 is typical.
    max_bins : int
        Maximum number of bins per feature, from 2 to 256.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    >>> xor = np.array([[-1.0], [1.0], [1.0], [-1.5]])
    >>> ShallowTree(max_depth=2).bind(X, "signed").best(xor)[0].score
    4.5
    """

    max_depth: int = 2
    max_bins: int = 255

    def bind(self, features: AnyArray | BinnedMatrix, outputs: Outputs = "signed") -> BoundTree:
        """Bin the features, shape (N, d)."""
        if not 1 <= self.max_depth <= MAX_DEPTH:
            raise ValueError(f"max_depth must be from 1 to {MAX_DEPTH}, got {self.max_depth}")
        binned = bin_features(features, self.max_bins)
        return BoundTree(binned, check_outputs(outputs), self.max_depth)


@dataclass(frozen=True, eq=False)
class BoundTree:
    """Trees bound to binned features."""

    binned: BinnedMatrix
    outputs: Outputs
    max_depth: int

    exact: ClassVar[bool] = False

    def best(self, weights: FloatArray) -> list[Candidate]:
        """Return a tree of high ``W·φ`` for each column of `weights`, shape (N, K)."""
        weights = check_weights(weights, self.binned.n_rows)
        grown = grow_trees(self.binned, weights, self.max_depth, self.outputs)
        columns = np.arange(self.binned.n_features)
        return [
            better_candidate(*pair, self.binned, columns, w, self.outputs)
            for pair, w in zip(grown, weights.T, strict=True)
        ]


def better_candidate(
    tree: CodeTree,
    stump: Cut,
    binned: BinnedMatrix,
    columns: IntArray,
    weights: FloatArray,
    outputs: Outputs,
) -> Candidate:
    """Return the tree if it scores higher than the stump, else the stump.

    Both were grown on these columns of the table and number them from 0.
    """
    codes = binned.codes if columns.size == binned.n_features else binned.codes[columns]
    of_tree, of_stump = tree.responses(codes), stump.responses(codes, outputs)
    score_tree, score_stump = float(weights @ of_tree), float(weights @ of_stump)
    if score_tree > score_stump:
        return Candidate(_with_thresholds(tree, binned, columns), of_tree, score_tree)
    feature = int(columns[stump.feature])
    threshold = binned.threshold(feature, stump.cut)
    return Candidate(Stump(feature, threshold, stump.polarity, outputs), of_stump, score_stump)


def _with_thresholds(tree: CodeTree, binned: BinnedMatrix, columns: IntArray) -> Tree:
    """Return the tree with features of the whole table and thresholds instead of codes."""
    feature = columns[tree.feature]
    pairs = zip(feature, tree.cut, strict=True)
    thresholds = np.array([binned.threshold(int(f), int(b)) for f, b in pairs])
    return Tree(feature.astype(np.int64), thresholds, tree.leaves)
