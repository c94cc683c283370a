"""Sums of stumps: the models of the AdaBoost family, as plain arrays.

F_c(x) = Σ_t (above[t, c] if x[feature_t] > threshold_t else below[t, c])
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

import numba as nb
import numpy as np

from segboost._types import AnyArray, FloatArray, Int64Array
from segboost.weak.binning import BinnedMatrix
from segboost.weak.checks import read_array


@dataclass(frozen=True, eq=False)
class StumpSum:
    """T stumps with C output values on either side of the threshold.

    Parameters
    ----------
    feature : ndarray of int64, shape (T,)
    threshold : ndarray of float64, shape (T,)
        -inf for a constant.
    above, below : ndarray of float64, shape (T, C)
    """

    feature: Int64Array
    threshold: FloatArray
    above: FloatArray
    below: FloatArray

    @classmethod
    def from_cuts(
        cls,
        binned: BinnedMatrix,
        feature: Int64Array,
        cut: Int64Array,
        above: FloatArray,
        below: FloatArray,
    ) -> StumpSum:
        """Return the sum of stumps found on codes."""
        pairs = zip(feature, cut, strict=True)
        threshold = np.array([binned.threshold(int(f), int(b)) for f, b in pairs], dtype=float)
        return cls(feature, threshold, above, below)

    def pack(self) -> dict[str, AnyArray]:
        """Return the plain arrays."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def unpack(cls, arrays: Mapping[str, AnyArray]) -> StumpSum:
        """Return the sum that `pack` stored; ValueError if the arrays do not fit."""
        feature = read_array(arrays, "feature", "i", (None,))
        threshold = read_array(arrays, "threshold", "f", feature.shape, finite=False)
        above = read_array(arrays, "above", "f", (feature.size, None))
        below = read_array(arrays, "below", "f", above.shape)
        if (feature < 0).any():
            raise ValueError("stored stumps have a negative feature index")
        if not (np.isfinite(threshold) | np.isneginf(threshold)).all():
            raise ValueError("stored stumps have a threshold that is NaN or +inf")
        return cls(feature.astype(np.int64), threshold, above, below)

    @property
    def n_stumps(self) -> int:
        """The number T of stumps."""
        return self.feature.size

    def scores(self, features: AnyArray) -> FloatArray:
        """Return F, shape (N, C), for features of shape (N, d)."""
        return sum_stumps(
            np.ascontiguousarray(features), self.feature, self.threshold, self.above, self.below
        )

    def staged_scores(self, features: AnyArray) -> Iterator[FloatArray]:
        """Yield F, shape (N, C), after every stump."""
        total = np.zeros((features.shape[0], self.above.shape[1]))
        for t in range(self.n_stumps):
            side = (features[:, self.feature[t]] > self.threshold[t])[:, None]
            total = total + np.where(side, self.above[t], self.below[t])
            yield total

    def importances(self, n_features: int) -> FloatArray:
        """Return each feature's share of ``Σ_t |above_t − below_t|``, shape (n_features,)."""
        swing = np.abs(self.above - self.below).sum(axis=1)
        swing[np.isneginf(self.threshold)] = 0.0
        shares = np.bincount(self.feature, weights=swing, minlength=n_features)
        return shares / (shares.sum() or 1.0)


def sum_stumps_numpy(
    features: AnyArray,
    feature: Int64Array,
    threshold: FloatArray,
    above: FloatArray,
    below: FloatArray,
) -> FloatArray:
    """Plain NumPy twin of `sum_stumps`."""
    total = np.zeros((features.shape[0], above.shape[1]))
    for f, t, up, down in zip(feature, threshold, above, below, strict=True):
        total += np.where((features[:, f] > t)[:, None], up, down)
    return total


@nb.njit(cache=True, nogil=True)
def sum_stumps(
    features: AnyArray,
    feature: Int64Array,
    threshold: FloatArray,
    above: FloatArray,
    below: FloatArray,
) -> FloatArray:  # pragma: no cover - compiled
    """Return the sums of the stumps' outputs, shape (N, C), for features of shape (N, d)."""
    n, width = features.shape[0], above.shape[1]
    total = np.zeros((n, width))
    for i in range(n):
        for t in range(feature.size):
            response = above[t] if features[i, feature[t]] > threshold[t] else below[t]
            for c in range(width):
                total[i, c] += response[c]
    return total
