"""Trees as plain arrays: the base of the boosters for two and for several classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from segboost._types import AnyArray, FloatArray, Int32Array
from segboost.boosting.bins import thresholds_of
from segboost.boosting.growing import GrownTree
from segboost.boosting.walking import DAMAGED, CompleteTrees, check_trees


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """F(x) = baseline + Σ_t tree_t(x), a single number or one per class.

    The nodes of a tree are in heap order: the children of k are 2k + 1 and 2k + 2.

    Parameters
    ----------
    baseline : ndarray of shape () or (K,)
    feature : ndarray of int32, shape (T, M)
        The feature that a node splits on; −1 at leaves.
    threshold : ndarray of float64, shape (T, M)
        A row with ``x[feature] ≤ threshold`` goes left.
    value : ndarray of floats, shape (T, M) or (T, M, K)
        The value that a leaf adds, or one per class.
    n_features : int
    """

    baseline: FloatArray
    feature: Int32Array
    threshold: FloatArray
    value: AnyArray
    n_features: int

    BASELINE_DIMENSIONS: ClassVar[int]
    """0 for two classes, whose F is a number; 1 for several."""
    VALUE_TYPE: ClassVar[type[np.floating[Any]]]
    """The type in which the values of leaves are kept."""

    @classmethod
    def from_trees(
        cls, baseline: npt.ArrayLike, trees: Sequence[GrownTree], thresholds: FloatArray
    ) -> Self:
        """Return the booster of trees grown on codes with these thresholds, shape (d, B − 1)."""
        feature = np.stack([t.feature for t in trees])
        cut = np.stack([t.cut for t in trees])
        value = np.stack([t.value for t in trees]).astype(cls.VALUE_TYPE)
        # A cut between coarse bins may lie beyond the last code; no row goes right there.
        threshold = thresholds_of(feature, np.minimum(cut, thresholds.shape[1] - 1), thresholds)
        start = np.asarray(baseline)
        return cls(start, feature.astype(np.int32), threshold, value, len(thresholds))

    @classmethod
    def mean(cls, boosters: Sequence[Self]) -> Self:
        """Return one booster whose F is the mean over several boosters of equal depth."""
        return cls(
            np.asarray(np.mean([b.baseline for b in boosters], axis=0)),
            np.concatenate([b.feature for b in boosters]),
            np.concatenate([b.threshold for b in boosters]),
            np.concatenate([b.value for b in boosters]) / len(boosters),
            boosters[0].n_features,
        )

    def add_to(self, out: FloatArray, X: AnyArray) -> None:
        """Add all trees, in their order, to scores of shape (N, 1) or (N, K), without the baseline.

        Raises
        ------
        ValueError
            If X is not of shape (N, d).
        """
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"X has shape {X.shape}, expected (N, {self.n_features})")
        self._complete.add_to(out, X)

    @cached_property
    def _complete(self) -> CompleteTrees:
        value = self.value.reshape(*self.feature.shape, -1)
        return CompleteTrees.of(self.feature, self.threshold, value)

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays that `from_arrays` takes."""
        return {
            "baseline": self.baseline,
            "feature": self.feature,
            "threshold": self.threshold,
            "value": self.value,
            "n_features": np.array(self.n_features),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> Self:
        """Return the booster that `to_arrays` stored; ValueError if the arrays are damaged."""
        found = cls(
            baseline=np.asarray(arrays["baseline"]),
            feature=np.asarray(arrays["feature"]),
            threshold=np.asarray(arrays["threshold"]),
            value=np.asarray(arrays["value"]),
            n_features=int(arrays["n_features"]),
        )
        found._check()
        return found

    def _check(self) -> None:
        """Raise ValueError for arrays that would make the kernel read out of bounds."""
        check_trees(self.feature, self.threshold, self.n_features)
        fits = self.baseline.ndim == self.BASELINE_DIMENSIONS
        fits = fits and self.value.shape == self.feature.shape + self.baseline.shape
        if not fits or [a.dtype.kind for a in (self.baseline, self.value)] != ["f", "f"]:
            raise ValueError(DAMAGED)
