"""Rounds of discrete AdaBoost on stumps, fused into one kernel.

The state is one vector W of signed weights, ``W_i = y_i w_i`` with Σ|W| = 1. A round with the
weighted error ε multiplies the weights of the misclassified rows by ``e^α / Z`` and the others by
``e^−α / Z``. Histograms are linear in the weights, so that with M the smaller of the two sets of
rows, c_M the factor of its rows and c the factor of the others,

    H ← c H + Σ_{i∈M} (c_M − c) W_i

and only the rows of M, at most half of all rows, are visited. Rounding errors grow with the
factors c; the histograms are recomputed before this could affect the choice of a stump.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numba as nb
import numpy as np

from segboost._types import ByteArray, FloatArray, Int64Array
from segboost.baselines.interrupts import rounds_kept
from segboost.weak.binning import BinnedMatrix
from segboost.weak.histogram import Codes, Rows, add_rows, histogram_numpy
from segboost.weak.splitting import TIE, Bins, best_cuts_numpy, pick

EPSILON = float(np.finfo(np.float64).eps)
"""Lower limit of the error, which keeps the weight of a perfect stump finite."""

_GROWTH_LIMIT = 256.0  # maximum growth of a single rounding error: far below TIE
_UPDATES_PER_CALL = 2e8  # about a tenth of a second, after which interrupts are checked


@dataclass(frozen=True, eq=False)
class Rounds:
    """The stumps of the completed rounds, on codes; arrays of shape (T,).

    Parameters
    ----------
    feature, cut, polarity : ndarray of int
        Stump t returns ``polarity_t`` if ``codes[feature_t] > cut_t``, else its negative.
    alpha : ndarray of float64
        Their weights, positive.
    error : ndarray of float64
        Their weighted errors.
    """

    feature: Int64Array
    cut: Int64Array
    polarity: Int64Array
    alpha: FloatArray
    error: FloatArray

    @classmethod
    def empty(cls, size: int) -> Rounds:
        """Return arrays for `size` rounds."""
        feature, cut, polarity = np.zeros((3, size), dtype=np.int64)
        return cls(feature, cut, polarity, np.zeros(size), np.zeros(size))

    def first(self, count: int) -> Rounds:
        """Return the first `count` rounds."""
        names = (field.name for field in fields(self))
        return Rounds(**{name: getattr(self, name)[:count].copy() for name in names})


def boost(
    binned: BinnedMatrix, signed_weights: FloatArray, n_rounds: int, learning_rate: float = 1.0
) -> Rounds:
    """Run discrete AdaBoost with ``α = ½ learning_rate log((1 − ε)/ε)``.

    Ends early after a perfect stump, before a stump no better than chance, or on Ctrl-C.

    Parameters
    ----------
    binned : BinnedMatrix
    signed_weights : ndarray of float64, shape (N,)
        y_i w_i; not modified.
    n_rounds : int
    learning_rate : float
    """
    weights = signed_weights / np.abs(signed_weights).sum()
    sums = np.zeros((binned.n_features, binned.width))
    rounds = Rounds.empty(n_rounds)
    growth = math.inf  # makes the first round compute the histograms
    done, go_on = 0, True
    step = max(1, int(_UPDATES_PER_CALL / binned.codes.size))
    with rounds_kept():
        while go_on and done < n_rounds:
            end = min(n_rounds, done + step)
            done, go_on, growth = boost_kernel(
                binned.codes,
                binned.n_bins,
                weights,
                sums,
                growth,
                learning_rate,
                done,
                end,
                rounds.feature,
                rounds.cut,
                rounds.polarity,
                rounds.alpha,
                rounds.error,
            )
    return rounds.first(done)


def boost_numpy(
    binned: BinnedMatrix, signed_weights: FloatArray, n_rounds: int, learning_rate: float = 1.0
) -> Rounds:
    """Plain NumPy twin of `boost`, which recomputes all histograms in every round."""
    weights = signed_weights / np.abs(signed_weights).sum()
    rows = np.arange(binned.n_rows, dtype=np.int32)
    rounds = Rounds.empty(n_rounds)
    for t in range(n_rounds):
        sums = histogram_numpy(binned.codes, rows, weights, binned.width)
        total, slack = np.array([weights.sum()]), np.array([TIE])
        found = best_cuts_numpy(sums[:, :, None], binned.n_bins, total, slack, False)
        stump = pick(found, 0, float(total[0]), TIE, False)
        agreement = np.sign(weights) * stump.responses(binned.codes, "signed")
        wrong = agreement < 0
        error = np.abs(weights[wrong]).sum() / np.abs(weights).sum()
        if 1 - 2 * error <= TIE:
            return rounds.first(t)
        floored = max(error, EPSILON)
        alpha = 0.5 * learning_rate * math.log((1 - floored) / floored)
        rounds.feature[t], rounds.cut[t] = stump.feature, stump.cut
        rounds.polarity[t], rounds.alpha[t], rounds.error[t] = stump.polarity, alpha, error
        if error <= EPSILON:
            return rounds.first(t + 1)
        weights = weights * np.where(wrong, np.exp(alpha), np.exp(-alpha))
        weights /= np.abs(weights).sum()
    return rounds


@nb.njit(cache=True, nogil=True)
def best_stump(
    sums: FloatArray, n_bins: Bins, total: float, slack: float
) -> tuple[int, int, int]:  # pragma: no cover - compiled
    """Return feature, cut and polarity of the best ±1 stump for one histogram, shape (d, B).

    Makes the same choice as `best_cuts` and `pick`. Bins beyond a feature's own are empty; a
    stump there is a constant, which wins ties against all features, so that every feature can be
    scanned over its full width.
    """
    d, width = sums.shape
    score = np.empty(d)
    for f in range(d):
        below = 0.0
        low = 0.0
        high = 0.0
        for b in range(width - 1):
            below += sums[f, b]
            low = below if below < low else low
            high = below if below > high else high
        score[f] = max(total - 2.0 * low, 2.0 * high - total)
    best = score.max()
    if abs(total) >= best - slack:
        return 0, -1, 1 if total >= -slack else -1
    feature = 0
    while score[feature] < best - slack:
        feature += 1
    floor = score[feature] - slack
    below = 0.0
    for b in range(n_bins[feature] - 1):
        below += sums[feature, b]
        if total - 2.0 * below >= floor:
            return feature, b, 1
        if 2.0 * below - total >= floor:
            return feature, b, -1
    return 0, -1, 1 if total >= -slack else -1


@nb.njit(cache=True, nogil=True)
def _wrong_rows(
    row_codes: ByteArray,
    cut: int,
    polarity: int,
    weights: FloatArray,
    wrong: Rows,
    right: Rows,
) -> tuple[int, int, float, float]:  # pragma: no cover - compiled
    """List the rows that a stump gets wrong and right; return their counts and masses."""
    n_wrong = 0
    n_right = 0
    bad = 0.0
    good = 0.0
    for i in range(weights.size):
        agreement = weights[i] * polarity * (1.0 if row_codes[i] > cut else -1.0)
        miss = agreement < 0.0
        wrong[n_wrong] = i
        right[n_right] = i
        n_wrong += miss
        n_right += not miss
        bad -= min(agreement, 0.0)
        good += max(agreement, 0.0)
    return n_wrong, n_right, bad, good


@nb.njit(cache=True, nogil=True)
def _reweigh(
    codes: Codes,
    weights: FloatArray,
    sums: FloatArray,
    few: Rows,
    many: Rows,
    factor_few: float,
    factor_many: float,
) -> None:  # pragma: no cover - compiled
    """Scale the weights of the rows `few` and `many` and update the histograms."""
    change = np.empty(few.size)
    for j in range(few.size):
        change[j] = (factor_few - factor_many) * weights[few[j]]
        weights[few[j]] *= factor_few
    for j in range(many.size):
        weights[many[j]] *= factor_many
    sums *= factor_many
    add_rows(codes, few, change, sums)


@nb.njit(cache=True, nogil=True)
def boost_kernel(
    codes: Codes,
    n_bins: Bins,
    weights: FloatArray,
    sums: FloatArray,
    growth: float,
    learning_rate: float,
    begin: int,
    end: int,
    feature: Int64Array,
    cut: Int64Array,
    polarity: Int64Array,
    alpha: FloatArray,
    error: FloatArray,
) -> tuple[int, bool, float]:  # pragma: no cover - compiled
    """Run the rounds from `begin` to `end`, updating `weights` and `sums` in place.

    Returns the number of rounds done, whether more may follow, and the growth of rounding errors.
    """
    n = weights.size
    every = np.arange(n).astype(np.int32)
    wrong = np.empty(n + 1, dtype=np.int32)
    right = np.empty(n + 1, dtype=np.int32)
    for t in range(begin, end):
        if growth > _GROWTH_LIMIT:
            sums[:] = 0.0
            add_rows(codes, every, weights, sums)
            growth = 1.0
        f, b, sign = best_stump(sums, n_bins, weights.sum(), TIE)
        n_wrong, n_right, bad, good = _wrong_rows(codes[f], b, sign, weights, wrong, right)
        rate = bad / (bad + good)
        if 1.0 - 2.0 * rate <= TIE:
            return t, False, growth
        floored = max(rate, EPSILON)
        a = 0.5 * learning_rate * math.log((1.0 - floored) / floored)
        feature[t], cut[t], polarity[t], alpha[t], error[t] = f, b, sign, a, rate
        if rate <= EPSILON:
            return t + 1, False, growth
        mass = bad * math.exp(a) + good * math.exp(-a)
        up, down = math.exp(a) / mass, math.exp(-a) / mass
        if n_wrong <= n_right:
            _reweigh(codes, weights, sums, wrong[:n_wrong], right[:n_right], up, down)
            growth = growth * down + 1.0
        else:
            _reweigh(codes, weights, sums, right[:n_right], wrong[:n_wrong], down, up)
            growth = growth * up + 1.0
    return end, True, growth
