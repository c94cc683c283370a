"""Rounds of AdaBoost.MH: one stump per round that votes for or against every class.

The state is a matrix of signed weights, ``W[i, l] = Y[i, l] w[i, l]`` with Y = +1 if l is the
class of row i, else −1, and Σ|W| = 1. The hypothesis of a round is ``φ(x) v`` with φ a ±1 stump
and v ∈ {−1, +1}^k; for a given φ, the best votes are the signs of the columns' scores:

    max_v Σ_il W[i, l] v_l φ(x_i) = Σ_l |T_l − 2 L_l|
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numba as nb
import numpy as np

from segboost._types import ByteArray, FloatArray, Int64Array
from segboost.baselines.boosting_rounds import EPSILON
from segboost.baselines.interrupts import rounds_kept
from segboost.weak.binning import BinnedMatrix
from segboost.weak.histogram import TILE, Codes, add_rows_tile, histogram_numpy
from segboost.weak.splitting import TIE, Bins


@dataclass(frozen=True, eq=False)
class VoteRounds:
    """The completed rounds: stumps on codes, their weights, and votes of shape (T, k)."""

    feature: Int64Array
    cut: Int64Array
    alpha: FloatArray
    error: FloatArray
    votes: FloatArray

    @classmethod
    def empty(cls, size: int, n_classes: int) -> VoteRounds:
        """Return arrays for `size` rounds."""
        feature, cut = (np.zeros(size, dtype=np.int64) for _ in range(2))
        return cls(feature, cut, np.zeros(size), np.zeros(size), np.ones((size, n_classes)))

    def first(self, count: int, n_classes: int) -> VoteRounds:
        """Return the first `count` rounds and `n_classes` columns of votes."""
        return VoteRounds(
            self.feature[:count].copy(),
            self.cut[:count].copy(),
            self.alpha[:count].copy(),
            self.error[:count].copy(),
            self.votes[:count, :n_classes].copy(),
        )


def boost_votes(
    binned: BinnedMatrix, signed_weights: FloatArray, n_rounds: int, learning_rate: float = 1.0
) -> VoteRounds:
    """Run AdaBoost.MH with ``α = ½ learning_rate log((1 + γ)/(1 − γ))``, γ the score.

    Ends early under the same conditions as `boost`.

    Parameters
    ----------
    binned : BinnedMatrix
    signed_weights : ndarray of float64, shape (N, k)
        Not modified.
    n_rounds : int
    learning_rate : float
    """
    n, k = signed_weights.shape
    n_tiles = -(-k // TILE)
    weights = np.zeros((n_tiles, n, TILE))
    for j in range(k):
        weights[j // TILE, :, j % TILE] = signed_weights[:, j]
    weights /= np.abs(weights).sum()
    rounds = VoteRounds.empty(n_rounds, n_tiles * TILE)
    done, go_on = 0, True
    with rounds_kept():  # one round per call, so that interrupts are noticed in between
        while go_on and done < n_rounds:
            go_on = vote_round(
                binned.codes,
                binned.n_bins,
                binned.width,
                weights,
                learning_rate,
                done,
                rounds.feature,
                rounds.cut,
                rounds.alpha,
                rounds.error,
                rounds.votes,
            )
            done += rounds.alpha[done] > 0
    return rounds.first(done, k)


def boost_votes_numpy(
    binned: BinnedMatrix, signed_weights: FloatArray, n_rounds: int, learning_rate: float = 1.0
) -> VoteRounds:
    """Plain NumPy twin of `boost_votes`."""
    weights = signed_weights / np.abs(signed_weights).sum()
    k = weights.shape[1]
    rows = np.arange(binned.n_rows, dtype=np.int32)
    rounds = VoteRounds.empty(n_rounds, k)
    for t in range(n_rounds):
        sums = histogram_numpy(binned.codes, rows, weights, binned.width)
        totals = weights.sum(axis=0)
        swing = totals - 2 * np.cumsum(sums, axis=1)[:, :-1]
        score = np.abs(swing).sum(axis=2)
        score[np.arange(score.shape[1]) >= binned.n_bins[:, None] - 1] = -np.inf
        feature, cut, votes = 0, -1, np.where(totals >= -TIE, 1.0, -1.0)
        if score.size and np.abs(totals).sum() < score.max() - TIE:
            feature, cut = divmod(int(np.argmax(score >= score.max() - TIE)), score.shape[1])
            votes = np.where(swing[feature, cut] >= -TIE, 1.0, -1.0)
        above = np.where(binned.codes[feature] > cut, 1.0, -1.0)
        agreement = above[:, None] * votes * np.sign(weights)
        error = np.abs(weights[agreement < 0]).sum()
        if 1 - 2 * error <= TIE:
            return rounds.first(t, k)
        floored = max(error, EPSILON)
        alpha = 0.5 * learning_rate * math.log((1 - floored) / floored)
        rounds.feature[t], rounds.cut[t], rounds.votes[t] = feature, cut, votes
        rounds.alpha[t], rounds.error[t] = alpha, error
        if error <= EPSILON:
            return rounds.first(t + 1, k)
        weights = weights * np.exp(-alpha * agreement)
        weights /= np.abs(weights).sum()
    return rounds


@nb.njit(cache=True, nogil=True)
def _best_vote_cut(
    sums: FloatArray, n_bins: Bins, totals: FloatArray
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Return the first best feature and cut for histograms of shape (tiles, d, B, TILE)."""
    n_tiles, d, width, _ = sums.shape
    score = np.zeros((d, width))
    for f in range(d):
        for j in range(n_tiles):
            below = np.zeros(TILE)
            for b in range(n_bins[f] - 1):
                for lane in range(TILE):
                    below[lane] += sums[j, f, b, lane]
                    score[f, b] += abs(totals[j, lane] - 2.0 * below[lane])
    best = score.max()
    constant = 0.0
    for total in totals.ravel():
        constant += abs(total)
    if constant >= best - TIE:
        return 0, -1
    for f in range(d):
        for b in range(n_bins[f] - 1):
            if score[f, b] >= best - TIE:
                return f, b
    return 0, -1


@nb.njit(cache=True, nogil=True)
def _best_votes(
    codes: Codes, n_bins: Bins, width: int, weights: FloatArray
) -> tuple[int, int, FloatArray]:  # pragma: no cover - compiled
    """Return feature, cut and votes, shape (tiles, TILE), of the best hypothesis.

    Plain loops: they compile several times faster than array expressions.
    """
    n_tiles, n, _ = weights.shape
    every = np.arange(n).astype(np.int32)
    sums = np.zeros((n_tiles, codes.shape[0], width, TILE))
    totals = np.zeros((n_tiles, TILE))
    for j in range(n_tiles):
        add_rows_tile(codes, every, weights[j], sums[j])
        for i in range(n):
            for lane in range(TILE):
                totals[j, lane] += weights[j, i, lane]
    f, b = _best_vote_cut(sums, n_bins, totals)
    votes = np.ones((n_tiles, TILE))
    for j in range(n_tiles):
        for lane in range(TILE):
            swing = totals[j, lane]
            for c in range(b + 1):
                swing -= 2.0 * sums[j, f, c, lane]
            votes[j, lane] = 1.0 if swing >= -TIE else -1.0
    return f, b, votes


@nb.njit(cache=True, nogil=True)
def _scale_by_response(
    row_codes: ByteArray,
    cut: int,
    votes: FloatArray,
    weights: FloatArray,
    up: float,
    down: float,
) -> float:  # pragma: no cover - compiled
    """Multiply weights of wrong votes by `up`, others by `down`; return Σ|W| of wrong ones."""
    bad = 0.0
    for j in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            side = 1.0 if row_codes[i] > cut else -1.0
            for lane in range(TILE):
                agreement = weights[j, i, lane] * votes[j, lane] * side
                weights[j, i, lane] *= up if agreement < 0.0 else down
                bad -= min(agreement, 0.0)
    return bad


@nb.njit(cache=True, nogil=True)
def vote_round(
    codes: Codes,
    n_bins: Bins,
    width: int,
    weights: FloatArray,
    learning_rate: float,
    t: int,
    feature: Int64Array,
    cut: Int64Array,
    alpha: FloatArray,
    error: FloatArray,
    votes: FloatArray,
) -> bool:  # pragma: no cover - compiled
    """Run round t and update `weights`, shape (tiles, N, TILE); return whether more may follow.

    The round counts only if its `alpha` is positive.
    """
    f, b, vote = _best_votes(codes, n_bins, width, weights)
    bad = _scale_by_response(codes[f], b, vote, weights, 1.0, 1.0)
    if 1.0 - 2.0 * bad <= TIE:
        return False
    floored = max(bad, EPSILON)
    a = 0.5 * learning_rate * math.log((1.0 - floored) / floored)
    feature[t], cut[t], alpha[t], error[t] = f, b, a, bad
    for j in range(votes.shape[1]):
        votes[t, j] = vote[j // TILE, j % TILE]
    if bad <= EPSILON:
        return False
    mass = bad * math.exp(a) + (1.0 - bad) * math.exp(-a)
    _scale_by_response(codes[f], b, vote, weights, math.exp(a) / mass, math.exp(-a) / mass)
    return True
