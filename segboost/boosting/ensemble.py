"""Boosted trees as plain arrays: grown on codes, kept as thresholds on the features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from numba import njit

from segboost._types import FloatArray
from segboost.boosting.bins import bin_columns, thresholds_of
from segboost.boosting.growing import GrownTree, boost_trees
from segboost.boosting.settings import BoosterSettings


@dataclass(frozen=True, eq=False)
class TreeBooster:
    """F(x) = baseline + Σ_t tree_t(x), the log-odds of the foreground.

    The nodes of a tree are in heap order: the children of k are 2k + 1 and 2k + 2.

    Parameters
    ----------
    baseline : float
    feature : ndarray of int32, shape (T, M)
        The feature that a node splits on; −1 at leaves.
    threshold : ndarray of float64, shape (T, M)
        A row with ``x[feature] ≤ threshold`` goes left.
    value : ndarray of float64, shape (T, M)
        The value that a leaf adds.
    n_features : int
    """

    baseline: float
    feature: npt.NDArray[np.int32]
    threshold: FloatArray
    value: FloatArray
    n_features: int

    @classmethod
    def fit(
        cls,
        X: npt.NDArray[Any],
        y: npt.NDArray[Any],
        sample_weight: FloatArray | None = None,
        settings: BoosterSettings | None = None,
        seed: int | Sequence[int] = 0,
    ) -> Self:
        """Learn from features X, shape (N, d), finite, and labels y in {0, 1}, shape (N,)."""
        binned = bin_columns(X)
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        baseline, trees = boost_trees(
            binned.codes,
            np.arange(len(X)),
            np.asarray(y) == 1,
            weight / weight.mean(),
            settings or BoosterSettings(),
            np.random.default_rng(seed),
        )
        return cls.from_trees(baseline, trees, binned.thresholds)

    @classmethod
    def from_trees(
        cls, baseline: float, trees: Sequence[GrownTree], thresholds: FloatArray
    ) -> Self:
        """Return the booster of trees grown on codes with these thresholds, shape (d, B - 1)."""
        feature = np.stack([t.feature for t in trees])
        cut = np.stack([t.cut for t in trees])
        value = np.stack([t.value for t in trees])
        threshold = thresholds_of(feature, cut, thresholds)
        return cls(baseline, feature.astype(np.int32), threshold, value, len(thresholds))

    def decision_function(self, X: npt.NDArray[Any]) -> FloatArray:
        """Return F of every row, shape (N,)."""
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"X has shape {X.shape}, expected (N, {self.n_features})")
        table = np.ascontiguousarray(X)
        return self.baseline + _walk(table, self.feature, self.threshold, self.value)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that `from_arrays` takes."""
        return {
            "baseline": np.array(self.baseline),
            "feature": self.feature,
            "threshold": self.threshold,
            "value": self.value,
            "n_features": np.array(self.n_features),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Return the booster that `to_arrays` stored; ValueError if the arrays are damaged."""
        found = cls(
            baseline=float(arrays["baseline"]),
            feature=np.asarray(arrays["feature"]),
            threshold=np.asarray(arrays["threshold"]),
            value=np.asarray(arrays["value"]),
            n_features=int(arrays["n_features"]),
        )
        found._check()
        return found

    def _check(self) -> None:
        """Refuse arrays that would make the kernel read out of bounds."""
        shape = self.feature.shape
        whole = len(shape) == 2 and shape[1] > 0 and (shape[1] + 1) & shape[1] == 0
        fits = self.threshold.shape == self.value.shape == shape
        kinds = [a.dtype.kind for a in (self.feature, self.threshold, self.value)]
        if not (whole and fits and kinds == ["i", "f", "f"]):
            raise ValueError("the trees of the model are damaged")
        ends = self.feature[:, shape[1] // 2 :]
        if (ends >= 0).any() or (self.feature >= self.n_features).any():
            raise ValueError("the trees of the model are damaged")


@njit(cache=True, nogil=True)
def _walk(table, feature, threshold, value):  # type: ignore[no-untyped-def]
    # Row by row, so that a row of a wide table stays in the cache for all trees.
    out = np.zeros(table.shape[0])
    for row in range(table.shape[0]):
        for tree in range(feature.shape[0]):
            k = 0
            while feature[tree, k] >= 0:
                below = table[row, feature[tree, k]] <= threshold[tree, k]
                k = 2 * k + (1 if below else 2)
            out[row] += value[tree, k]
    return out
