"""Rounds of RankBoost with pair weights that factor by level.

With F the scores so far and w the row weights, the pair (i, j) with level_i < level_j has the
weight ``D(i, j) ∝ w_i w_j exp(F_i − F_j)``. The sum over pairs of ``D(i, j) (h(x_j) − h(x_i))`` is
W·h with

    W_j ∝ w_j e^{−F_j} Σ_{i below j} w_i e^{F_i} − w_j e^{F_j} Σ_{i above j} w_i e^{−F_i}

for any number of levels.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray, IntArray
from segboost.baselines.boosting_rounds import EPSILON, Rounds, best_stump
from segboost.baselines.interrupts import rounds_kept
from segboost.weak.binning import BinnedMatrix
from segboost.weak.histogram import Codes, add_rows, histogram_numpy
from segboost.weak.splitting import TIE, Bins, best_cuts_numpy, pick

Levels = IntArray


def boost_ranks(binned: BinnedMatrix, level: Levels, weights: FloatArray, n_rounds: int) -> Rounds:
    """Run RankBoost; stump t returns 1 on the side of its polarity and 0 on the other.

    Ends early after a stump that orders all pairs, before one that orders no more pair weight
    correctly than incorrectly, or on Ctrl-C. The `error` of a round is ``(1 − r)/2``.
    """
    rounds = Rounds.empty(n_rounds)
    scores = np.zeros(level.size)
    done, go_on = 0, True
    with rounds_kept():  # one round per call, so that interrupts are noticed in between
        while go_on and done < n_rounds:
            signed = pair_weights(scores, level, weights)
            f, b, sign, r = rank_round(binned.codes, binned.n_bins, binned.width, signed)
            go_on = _record(rounds, done, f, b, sign, r)
            if rounds.alpha[done] <= 0:
                break
            above = binned.codes[f] > b
            scores = scores + rounds.alpha[done] * (above if sign > 0 else ~above)
            done += 1
    return rounds.first(done)


def boost_ranks_numpy(
    binned: BinnedMatrix, level: Levels, weights: FloatArray, n_rounds: int
) -> Rounds:
    """Plain NumPy twin of `boost_ranks`, with all pairs."""
    rounds = Rounds.empty(n_rounds)
    scores = np.zeros(level.size)
    rows = np.arange(level.size, dtype=np.int32)
    lower, upper = np.nonzero(level[:, None] < level)
    for t in range(n_rounds):
        pair = weights[lower] * weights[upper] * np.exp(scores[lower] - scores[upper])
        pair /= pair.sum()
        signed = np.zeros(level.size)
        np.add.at(signed, upper, pair)
        np.subtract.at(signed, lower, pair)
        sums = histogram_numpy(binned.codes, rows, signed, binned.width)
        zero, slack = np.zeros(1), np.array([2 * TIE])
        found = best_cuts_numpy(sums[:, :, None], binned.n_bins, zero, slack, False)
        stump = pick(found, 0, 0.0, 2 * TIE, False)
        responses = stump.responses(binned.codes, "binary")
        go_on = _record(
            rounds, t, stump.feature, stump.cut, stump.polarity, float(signed @ responses)
        )
        if not go_on:
            return rounds.first(t + int(rounds.alpha[t] > 0))
        scores = scores + rounds.alpha[t] * responses
    return rounds


def _record(rounds: Rounds, t: int, feature: int, cut: int, polarity: int, r: float) -> bool:
    """Write round t; return whether more may follow. α stays 0 if r is not positive."""
    if r <= 2 * TIE:
        return False
    floored = min(r, 1.0 - EPSILON)
    rounds.feature[t], rounds.cut[t], rounds.polarity[t] = feature, cut, polarity
    rounds.alpha[t] = 0.5 * math.log((1.0 + floored) / (1.0 - floored))
    rounds.error[t] = 0.5 * (1.0 - r)
    return r < 1.0 - EPSILON


def pair_weights(scores: FloatArray, level: Levels, weights: FloatArray) -> FloatArray:
    """Return W, shape (N,), for pair weights D that sum to 1; time linear in N."""
    middle = 0.5 * (
        scores.max() + scores.min()
    )  # cancels in the products, keeps the exponents small
    rise, fall = weights * np.exp(scores - middle), weights * np.exp(middle - scores)
    rise_of_level, fall_of_level = np.bincount(level, rise), np.bincount(level, fall)
    under = np.concatenate(([0.0], np.cumsum(rise_of_level)[:-1]))
    over = np.concatenate((np.cumsum(fall_of_level[::-1])[-2::-1], [0.0]))
    return (fall * under[level] - rise * over[level]) / (fall_of_level @ under)


@nb.njit(cache=True, nogil=True)
def rank_round(
    codes: Codes, n_bins: Bins, width: int, signed: FloatArray
) -> tuple[int, int, int, float]:  # pragma: no cover - compiled
    """Return feature, cut and polarity of the best stump for weights `signed`, and its score r.

    The weights sum to 0, so that the best 0/1 stump is the best ±1 stump.
    """
    sums = np.zeros((codes.shape[0], width))
    add_rows(codes, np.arange(signed.size).astype(np.int32), signed, sums)
    f, b, sign = best_stump(sums, n_bins, 0.0, 2.0 * TIE)
    r = 0.0
    for i in range(signed.size):
        if (codes[f, i] > b) == (sign > 0):
            r += signed[i]
    return f, b, sign, r


def ordered_share(scores: FloatArray, levels: npt.NDArray[np.generic]) -> float:
    """Return the fraction of pairs of different levels ordered correctly, ties ½.

    O(K n log n) for K levels.
    """
    right = 0.0
    pairs = 0
    for level in np.unique(levels)[1:]:
        below = np.sort(scores[levels < level])
        here = scores[levels == level]
        less = np.searchsorted(below, here, side="left").sum()
        not_more = np.searchsorted(below, here, side="right").sum()
        right += 0.5 * (less + not_more)
        pairs += below.size * here.size
    if not pairs:
        raise ValueError("y has only one class: there are no pairs to order")
    return float(right / pairs)
