"""Boosted trees of several classes as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from segboost._types import FloatArray
from segboost.boosting.bins import bin_columns, thresholds_of
from segboost.boosting.class_growing import ClassTree, boost_class_trees
from segboost.boosting.settings import BoosterSettings
from segboost.boosting.walking import DAMAGED, CompleteTrees, check_trees


@dataclass(frozen=True, eq=False)
class ClassBooster:
    """F(x) = baseline + Σ_t tree_t(x), a score per class; softmax(F) are probabilities.

    The nodes of a tree are in heap order: the children of k are 2k + 1 and 2k + 2.

    Parameters
    ----------
    baseline : ndarray of shape (K,)
    feature : ndarray of int32, shape (T, M)
        The feature that a node splits on; −1 at leaves.
    threshold : ndarray of float64, shape (T, M)
        A row with ``x[feature] ≤ threshold`` goes left.
    value : ndarray of float32, shape (T, M, K)
        What a leaf adds to the scores.
    n_features : int
    """

    baseline: FloatArray
    feature: npt.NDArray[np.int32]
    threshold: FloatArray
    value: npt.NDArray[np.float32]
    n_features: int

    @classmethod
    def fit(
        cls,
        X: npt.NDArray[Any],
        y: npt.NDArray[Any],
        n_classes: int,
        sample_weight: FloatArray | None = None,
        settings: BoosterSettings | None = None,
        seed: int | Sequence[int] = 0,
    ) -> Self:
        """Learn from features X, shape (N, d), finite, and labels y in 0 … K−1, shape (N,)."""
        binned = bin_columns(X)
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        baseline, trees = boost_class_trees(
            binned.codes,
            np.arange(len(X)),
            np.asarray(y, np.int64),
            n_classes,
            weight / weight.mean(),
            settings or BoosterSettings(),
            np.random.default_rng(seed),
        )
        return cls.from_trees(baseline, trees, binned.thresholds)

    @classmethod
    def from_trees(
        cls, baseline: FloatArray, trees: Sequence[ClassTree], thresholds: FloatArray
    ) -> Self:
        """Return the booster of trees grown on codes with these thresholds, shape (d, B − 1)."""
        feature = np.stack([t.feature for t in trees])
        cut = np.stack([t.cut for t in trees])
        value = np.stack([t.value for t in trees]).astype(np.float32)
        threshold = thresholds_of(feature, np.minimum(cut, thresholds.shape[1] - 1), thresholds)
        return cls(baseline, feature.astype(np.int32), threshold, value, len(thresholds))

    @classmethod
    def mean(cls, boosters: Sequence[Self]) -> Self:
        """Return the booster whose scores are the mean of those of boosters of equal depth."""
        return cls(
            np.mean([b.baseline for b in boosters], axis=0),
            np.concatenate([b.feature for b in boosters]),
            np.concatenate([b.threshold for b in boosters]),
            (np.concatenate([b.value for b in boosters]) / len(boosters)).astype(np.float32),
            boosters[0].n_features,
        )

    @property
    def n_classes(self) -> int:
        """The number of classes K."""
        return len(self.baseline)

    def decision_function(self, X: npt.NDArray[Any]) -> FloatArray:
        """Return F of every row, shape (N, K)."""
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"X has shape {X.shape}, expected (N, {self.n_features})")
        out = np.tile(self.baseline, (len(X), 1))
        self._complete.add_to(out, X)
        return out

    @cached_property
    def _complete(self) -> CompleteTrees:
        return CompleteTrees.of(self.feature, self.threshold, self.value)

    def log_probabilities(self, X: npt.NDArray[Any]) -> FloatArray:
        """Return the logarithms of the probabilities of every row, shape (N, K)."""
        found: FloatArray = log_softmax(self.decision_function(X), axis=1)
        return found

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that `from_arrays` takes."""
        return {
            "baseline": self.baseline,
            "feature": self.feature,
            "threshold": self.threshold,
            "value": self.value,
            "n_features": np.array(self.n_features),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Return the booster that `to_arrays` stored; ValueError if the arrays are damaged."""
        found = cls(
            np.asarray(arrays["baseline"]),
            np.asarray(arrays["feature"]),
            np.asarray(arrays["threshold"]),
            np.asarray(arrays["value"]),
            int(arrays["n_features"]),
        )
        found._check()
        return found

    def _check(self) -> None:
        """Refuse arrays that would make the kernel read out of bounds."""
        check_trees(self.feature, self.threshold, self.n_features)
        fits = self.baseline.ndim == 1
        fits = fits and self.value.shape == (*self.feature.shape, len(self.baseline))
        if not fits or [a.dtype.kind for a in (self.baseline, self.value)] != ["f", "f"]:
            raise ValueError(DAMAGED)
