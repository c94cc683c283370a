"""Ramps: steps with a slope, so that a few of them add up to a smooth or a linear function.

    φ(x) = 2·t − 1  or  t,   t = clip((x_j − low) / (high − low), 0, 1)

A ramp over a feature's whole range is linear in it, and a ramp of zero width is a stump: the class
contains both. The search over all pairs of knots is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numba as nb
import numpy as np

from segboost._types import AnyArray, ByteArray, FloatArray, IntArray, Outputs
from segboost.weak.base import Candidate
from segboost.weak.binning import bin_features
from segboost.weak.checks import check_outputs, check_table, check_weights, is_binary, read_array
from segboost.weak.splitting import TIE


@dataclass(frozen=True)
class Ramp:
    """A function of one feature that is constant outside two knots and linear between them.

    Parameters
    ----------
    feature : int
    low, high : float
        Below `low` the ramp is down, above `high` it is up; if they are equal it is a step, up
        for ``x > low``. It is constant if both are -inf.
    polarity : {1, -1}
        -1 swaps up and down.
    outputs : {"signed", "binary"}
        Whether down and up are −1 and 1, or 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> Ramp(feature=0, low=0.0, high=2.0).predict(np.array([[-1.0], [0.5], [3.0]]))
    array([-1. , -0.5,  1. ])
    """

    feature: int
    low: float
    high: float
    polarity: int = 1
    outputs: Outputs = "signed"

    kind: ClassVar[str] = "ramp"

    def predict(self, features: AnyArray) -> FloatArray:
        """Return the responses, shape (N,), for features of shape (N, d)."""
        x = np.asarray(features)[:, self.feature].astype(np.float64)
        if self.high > self.low:
            rise = np.clip((x - self.low) / (self.high - self.low), 0.0, 1.0)
        else:
            rise = (x > self.low).astype(np.float64)
        if self.polarity < 0:
            rise = 1.0 - rise
        return rise if is_binary(self.outputs) else 2.0 * rise - 1.0

    def feature_shares(self, n_features: int) -> FloatArray:
        """Return 1 for the feature used, else 0, shape (n_features,); all 0 for a constant."""
        shares = np.zeros(n_features)
        shares[self.feature] = np.isfinite(self.low)
        return shares

    @classmethod
    def pack(cls, hypotheses: Sequence[Ramp]) -> dict[str, AnyArray]:
        """Return the ramps as one array per field."""
        return {
            "feature": np.array([h.feature for h in hypotheses], dtype=np.int64),
            "low": np.array([h.low for h in hypotheses], dtype=np.float64),
            "high": np.array([h.high for h in hypotheses], dtype=np.float64),
            "polarity": np.array([h.polarity for h in hypotheses], dtype=np.int8),
            "binary": np.array([is_binary(h.outputs) for h in hypotheses], dtype=bool),
        }

    @classmethod
    def unpack(cls, arrays: Mapping[str, AnyArray]) -> list[Ramp]:
        """Return the ramps that `pack` stored; ValueError if the arrays do not fit."""
        feature = read_array(arrays, "feature", "i", (None,))
        shape = feature.shape
        low = read_array(arrays, "low", "f", shape, finite=False)
        high = read_array(arrays, "high", "f", shape, finite=False)
        polarity = read_array(arrays, "polarity", "i", shape)
        binary = read_array(arrays, "binary", "b", shape)
        constant = np.isneginf(low) & np.isneginf(high)
        if (feature < 0).any():
            raise ValueError("stored ramps have a negative feature index")
        if not np.isin(polarity, (-1, 1)).all():
            raise ValueError("stored ramps have a polarity other than 1 and -1")
        if not (constant | (np.isfinite(low) & np.isfinite(high))).all() or (low > high).any():
            raise ValueError("stored ramps have knots that are not finite or not ascending")
        return [
            cls(int(f), float(a), float(z), int(p), "binary" if b else "signed")
            for f, a, z, p, b in zip(feature, low, high, polarity, binary, strict=True)
        ]


@dataclass(frozen=True)
class RampLearner:
    """Weak learner: the best ramp over all features, pairs of knots and polarities.

    The knots of a feature are its minimum, its maximum and quantiles between them; the class
    contains the constants. Ties go to the lowest feature, then to the lowest knots, then to the
    positive polarity.

    Parameters
    ----------
    n_knots : int
        Maximum number of knots per feature, from 3 to 257.
    min_width : float
        Minimum width of a ramp, in standard deviations of its feature; 0 allows steps. The hinge
        loss favours steps; wide ramps keep their sum graded.
    n_rising : int or None
        Only rising ramps are considered for this many leading features: those in which the
        output can only increase. None for all features.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> bound = RampLearner().bind(X, "signed")
    >>> bound.best(np.array([[-1.0], [0.0], [2.0]]))[0].hypothesis
    Ramp(feature=0, low=0.0, high=0.5, polarity=1, outputs='signed')
    """

    n_knots: int = 65
    min_width: float = 0.0
    n_rising: int | None = 0

    def __post_init__(self) -> None:
        if not self.min_width >= 0:
            raise ValueError(f"min_width must not be negative, got {self.min_width!r}")
        if not 3 <= self.n_knots <= 257:
            raise ValueError(f"n_knots must be from 3 to 257, got {self.n_knots}")

    def bind(self, features: AnyArray, outputs: Outputs = "signed") -> BoundRamp:
        """Find the knots of the features, shape (N, d)."""
        table = check_table(features)
        binned = bin_features(table, self.n_knots - 1)
        knots = np.full((binned.n_features, binned.width + 1), np.inf)
        if len(table):
            knots[:, 0] = table.min(axis=0)
            for row, cuts, count, top in zip(
                knots, binned.thresholds, binned.n_bins, table.max(axis=0), strict=True
            ):
                row[1:count] = cuts[: count - 1]
                row[count] = top
        columns = np.ascontiguousarray(table.T)
        width = np.zeros(len(columns))
        if len(table):  # a feature with a narrower range keeps the ramp over its whole range
            width = np.minimum(self.min_width * table.std(axis=0), np.ptp(table, axis=0))
        outputs = check_outputs(outputs)
        n_rising = binned.n_features if self.n_rising is None else self.n_rising
        return BoundRamp(columns, binned.codes, knots, binned.n_bins, width, n_rising, outputs)


@dataclass(frozen=True, eq=False)
class BoundRamp:
    """Ramps bound to the features of a channel.

    Parameters
    ----------
    columns : ndarray of float64, shape (d, N)
    codes : ndarray of uint8, shape (d, N)
        ``knots[j, code] ≤ x ≤ knots[j, code + 1]``.
    knots : ndarray of float64, shape (d, B + 1)
        Ascending; +inf after a feature's last knot.
    n_bins : ndarray of intp, shape (d,)
        The number of knots of each feature, minus one.
    min_width : ndarray of float64, shape (d,)
    n_rising : int
    outputs : {"signed", "binary"}
    """

    columns: FloatArray
    codes: ByteArray
    knots: FloatArray
    n_bins: IntArray
    min_width: FloatArray
    n_rising: int
    outputs: Outputs

    exact: ClassVar[bool] = True

    def best(self, weights: FloatArray) -> list[Candidate]:
        """Return the ramp that maximises ``W·φ`` for each column of `weights`, shape (N, K)."""
        weights = check_weights(weights, self.columns.shape[1])
        return [self._best(np.ascontiguousarray(w)) for w in weights.T]

    def _best(self, weights: FloatArray) -> Candidate:
        sums = moments(self.codes, self.columns, weights, self.knots.shape[1] - 1)
        tie = TIE * float(np.abs(weights).sum())
        signed = not is_binary(self.outputs)
        j, low, high, polarity = best_ramp(
            sums, self.knots, self.n_bins, self.min_width, self.n_rising, tie, signed
        )
        if low < 0:
            ramp = Ramp(int(j), -np.inf, -np.inf, int(polarity), self.outputs)
        else:
            knots = self.knots[j]
            ramp = Ramp(int(j), float(knots[low]), float(knots[high]), int(polarity), self.outputs)
        responses = replace_feature(ramp, 0).predict(self.columns[j][:, None])
        return Candidate(ramp, responses, float(weights @ responses))


def replace_feature(ramp: Ramp, feature: int) -> Ramp:
    """Return the same ramp of another feature."""
    return Ramp(feature, ramp.low, ramp.high, ramp.polarity, ramp.outputs)


def moments_numpy(
    codes: ByteArray, columns: FloatArray, weights: FloatArray, width: int
) -> FloatArray:
    """Return ``Σ W`` and ``Σ W·x`` by feature and code, shape (d, B, 2)."""
    out = np.empty((len(codes), width, 2))
    for j, (code, x) in enumerate(zip(codes, columns, strict=True)):
        out[j, :, 0] = np.bincount(code, weights, width)
        out[j, :, 1] = np.bincount(code, weights * x, width)
    return out


@nb.njit(cache=True, nogil=True)
def moments(
    codes: ByteArray, columns: FloatArray, weights: FloatArray, width: int
) -> FloatArray:  # pragma: no cover - compiled
    """Compiled `moments_numpy`."""
    out = np.zeros((codes.shape[0], width, 2))
    for j in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if weights[i] != 0.0:
                out[j, codes[j, i], 0] += weights[i]
                out[j, codes[j, i], 1] += weights[i] * columns[j, i]
    return out


@nb.njit(cache=True, nogil=True)
def best_ramp(
    sums: FloatArray,
    knots: FloatArray,
    n_bins: IntArray,
    min_width: FloatArray,
    n_rising: int,
    tie: float,
    signed: bool,
) -> tuple[int, int, int, int]:  # pragma: no cover - compiled
    """Return feature, low knot, high knot and polarity of the best ramp; knots −1 for a constant.

    With prefix sums P0, P1 of ``W`` and ``W·x`` the sum of ``W·t`` is
    ``(P1[h] − P1[l] − k_l (P0[h] − P0[l])) / (k_h − k_l) + P0[B] − P0[h]``.
    """
    total = sums[0, :, 0].sum() if sums.shape[0] else 0.0
    best_j, best_low, best_high, best_polarity = 0, -1, -1, 1
    best = total
    if signed and -total > best + tie:
        best, best_polarity = -total, -1
    for j in range(sums.shape[0]):
        n = n_bins[j]
        p0 = np.zeros(n + 1)
        p1 = np.zeros(n + 1)
        for b in range(n):
            p0[b + 1] = p0[b] + sums[j, b, 0]
            p1[b + 1] = p1[b] + sums[j, b, 1]
        for low in range(n):
            for high in range(low, n + 1):
                width = knots[j, high] - knots[j, low]
                if high == low:
                    if low == 0 or min_width[j] > 0.0:
                        continue
                    rise = p0[n] - p0[low]
                elif width > 0.0 and width >= min_width[j]:
                    rise = (p1[high] - p1[low] - knots[j, low] * (p0[high] - p0[low])) / width
                    rise += p0[n] - p0[high]
                else:
                    continue
                up = 2.0 * rise - p0[n] if signed else rise
                down = -up if signed else p0[n] - rise
                if up > best + tie:
                    best, best_j, best_low, best_high, best_polarity = up, j, low, high, 1
                if j >= n_rising and down > best + tie:
                    best, best_j, best_low, best_high, best_polarity = down, j, low, high, -1
    return best_j, best_low, best_high, best_polarity
