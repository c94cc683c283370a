"""Gradient-boosted trees as plain arrays: fitted by scikit-learn, kept and evaluated without it.

scikit-learn's histogram gradient boosting learns the trees; what a model keeps are their nodes,
which JSON and npz files can hold and a short kernel walks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from segboost.pipelines.tree_bins import decode_thresholds, encode, find_edges

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BoosterSettings:
    """How the trees are grown; see scikit-learn's HistGradientBoostingClassifier."""

    n_trees: int = 200
    learning_rate: float = 0.05
    max_leaves: int = 31
    min_samples_leaf: int = 200
    l2: float = 10.0
    max_features: float = 0.3


@dataclass(frozen=True, eq=False)
class TreeBooster:
    """F(x) = baseline + Σ_t tree_t(x), the log-odds of the foreground.

    Parameters
    ----------
    baseline : float
    root : ndarray of int64, shape (T,)
        The node that each tree starts at.
    feature : ndarray of int32, shape (M,)
        The feature that a node asks about; −1 at leaves.
    threshold : ndarray of float64, shape (M,)
        A row with ``x[feature] ≤ threshold`` goes left.
    left, right : ndarray of int64, shape (M,)
    value : ndarray of float64, shape (M,)
        What a leaf adds.
    n_features : int
    """

    baseline: float
    root: npt.NDArray[np.int64]
    feature: npt.NDArray[np.int32]
    threshold: FloatArray
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    value: FloatArray
    n_features: int

    @classmethod
    def fit(
        cls,
        X: npt.NDArray[Any],
        y: npt.NDArray[Any],
        sample_weight: FloatArray | None = None,
        settings: BoosterSettings | None = None,
        seed: int = 0,
    ) -> TreeBooster:
        """Learn from features X, shape (N, d), finite, and labels y in {0, 1}, shape (N,)."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        s = settings or BoosterSettings()
        edges = [find_edges(column) for column in X.T]
        model = HistGradientBoostingClassifier(
            max_iter=s.n_trees,
            learning_rate=s.learning_rate,
            max_leaf_nodes=s.max_leaves,
            min_samples_leaf=s.min_samples_leaf,
            l2_regularization=s.l2,
            max_features=s.max_features,
            early_stopping=False,
            random_state=seed,
        ).fit(encode(X, edges), y, sample_weight=sample_weight)
        nodes = [predictors[0].nodes for predictors in model._predictors]
        baseline = float(np.ravel(model._baseline_prediction)[0])
        return cls._from_nodes(nodes, baseline, edges)

    @classmethod
    def _from_nodes(cls, trees: list[Any], baseline: float, edges: list[FloatArray]) -> TreeBooster:
        sizes = np.array([len(t) for t in trees], dtype=np.int64)
        root = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        nodes = np.concatenate(trees)
        shift = np.repeat(root, sizes)
        leaf = nodes["is_leaf"].astype(bool)
        feature = np.where(leaf, -1, nodes["feature_idx"]).astype(np.int32)
        return cls(
            baseline=baseline,
            root=root,
            feature=feature,
            threshold=decode_thresholds(feature, nodes["num_threshold"], edges),
            left=np.where(leaf, 0, nodes["left"].astype(np.int64) + shift),
            right=np.where(leaf, 0, nodes["right"].astype(np.int64) + shift),
            value=np.where(leaf, nodes["value"], 0.0).astype(np.float64),
            n_features=len(edges),
        )

    def decision_function(self, X: npt.NDArray[Any]) -> FloatArray:
        """Return F of every row, shape (N,)."""
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"X has shape {X.shape}, expected (N, {self.n_features})")
        table = np.ascontiguousarray(X, dtype=np.float64)
        arrays = (self.root, self.feature, self.threshold, self.left, self.right, self.value)
        return self.baseline + _walk(table, *arrays)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that `from_arrays` takes."""
        return {
            "baseline": np.array(self.baseline),
            "root": self.root,
            "feature": self.feature,
            "threshold": self.threshold,
            "left": self.left,
            "right": self.right,
            "value": self.value,
            "n_features": np.array(self.n_features),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> TreeBooster:
        """Return the booster that `to_arrays` took apart; ValueError where it cannot be walked."""
        found = cls(
            baseline=float(arrays["baseline"]),
            root=arrays["root"],
            feature=arrays["feature"],
            threshold=arrays["threshold"],
            left=arrays["left"],
            right=arrays["right"],
            value=arrays["value"],
            n_features=int(arrays["n_features"]),
        )
        found._check()
        return found

    def _check(self) -> None:
        """Refuse arrays that would send the kernel astray: children must lie behind parents."""
        m = len(self.feature)
        node = np.arange(m)
        inner = self.feature >= 0
        sizes = {len(a) for a in (self.threshold, self.left, self.right, self.value)}
        inside = [
            ((child[inner] > node[inner]) & (child[inner] < m)).all()
            for child in (self.left, self.right)
        ]
        roots = ((self.root >= 0) & (self.root < m)).all()
        if sizes != {m} or not all(inside) or not roots or (self.feature >= self.n_features).any():
            raise ValueError("the trees of the model are damaged")


@njit(cache=True, nogil=True)
def _walk(table, root, feature, threshold, left, right, value):  # type: ignore[no-untyped-def]
    out = np.zeros(table.shape[0])
    for tree in range(root.shape[0]):
        for row in range(table.shape[0]):
            node = root[tree]
            while feature[node] >= 0:
                below = table[row, feature[node]] <= threshold[node]
                node = left[node] if below else right[node]
            out[row] += value[node]
    return out
