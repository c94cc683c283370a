"""Boosted trees as plain arrays: grown on codes, kept as thresholds on the features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray
from segboost.boosting.bins import bin_columns, thresholds_of
from segboost.boosting.growing import GrownTree, boost_trees
from segboost.boosting.settings import BoosterSettings
from segboost.boosting.walking import DAMAGED, CompleteTrees, check_trees


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

    @classmethod
    def mean(cls, boosters: Sequence[Self]) -> Self:
        """Return the booster whose log-odds are the mean of those of boosters of equal depth."""
        return cls(
            float(np.mean([b.baseline for b in boosters])),
            np.concatenate([b.feature for b in boosters]),
            np.concatenate([b.threshold for b in boosters]),
            np.concatenate([b.value for b in boosters]) / len(boosters),
            boosters[0].n_features,
        )

    def decision_function(self, X: npt.NDArray[Any]) -> FloatArray:
        """Return F of every row, shape (N,)."""
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"X has shape {X.shape}, expected (N, {self.n_features})")
        out = np.zeros((len(X), 1))
        self._complete.add_to(out, X)
        return self.baseline + out[:, 0]

    @cached_property
    def _complete(self) -> CompleteTrees:
        return CompleteTrees.of(self.feature, self.threshold, self.value[:, :, None])

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
        check_trees(self.feature, self.threshold, self.n_features)
        if self.value.shape != self.feature.shape or self.value.dtype.kind != "f":
            raise ValueError(DAMAGED)
