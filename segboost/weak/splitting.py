"""The best cut of every feature, read from histograms of signed weights.

With L the sum of the weights at or below a cut and T the sum of all weights, a stump that returns
±1 above the cut and ∓1 below scores ``W·φ = ±(T − 2L)``; one that returns 1 above it and 0 below
scores ``T − L``, its mirror image ``L``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numba as nb
import numpy as np

from segboost._types import BoolArray, FloatArray, Int8Array, IntArray, Outputs
from segboost.weak.binning import BinnedMatrix
from segboost.weak.histogram import TILE, Codes, Rows, add_rows, add_rows_tile, tile_of

TIE = 1e-12
"""Scores that differ by less than this fraction of Σ|W| are tied, so that rounding does not
decide."""

_CHUNK_BYTES = 4 << 20  # histogram memory held at once

Bins = IntArray
Signs = Int8Array


class FeatureCuts(NamedTuple):
    """The best cut of each feature for each of K columns of weights, arrays of shape (d, K)."""

    score: FloatArray
    cut: Bins
    polarity: Signs


@dataclass(frozen=True)
class Cut:
    """A stump on codes: `polarity` times "code > cut"; the cut -1 denotes a constant.

    `score` is ``W·φ``, computed from a histogram.
    """

    feature: int
    cut: int
    polarity: int
    score: float

    def above(self, codes: Codes) -> BoolArray:
        """Return which rows of `codes`, shape (d, N), lie above the cut."""
        if self.cut < 0:
            return np.ones(codes.shape[1], dtype=bool)
        return codes[self.feature] > self.cut

    def responses(self, codes: Codes, outputs: Outputs) -> FloatArray:
        """Return the responses φ, shape (N,), on `codes`, shape (d, N)."""
        above = self.above(codes)
        if outputs == "binary":
            return (above if self.polarity > 0 else ~above).astype(np.float64)
        return np.where(above, float(self.polarity), -float(self.polarity))


def best_stumps(binned: BinnedMatrix, weights: FloatArray, outputs: Outputs) -> list[Cut]:
    """Return the stump that maximises ``W·φ`` for each column of `weights`, shape (N, K).

    The class contains the constants: ±1 for ``signed``, 1 for ``binary``. Ties go to the lowest
    feature, then to the lowest threshold, then to the positive polarity.
    """
    rows = np.flatnonzero(weights.any(axis=1)).astype(np.int32)
    values = weights if rows.size == weights.shape[0] else weights[rows]
    binary = outputs == "binary"
    picks: list[Cut] = []
    for start in range(0, weights.shape[1], TILE):
        part = values[:, start : start + TILE]
        totals = part.sum(axis=0)
        slack = TIE * np.abs(part).sum(axis=0)
        found = _search(binned, rows, part, totals, slack, binary)
        picks += [
            pick(found, k, float(totals[k]), float(slack[k]), binary) for k in range(totals.size)
        ]
    return picks


def pick(
    found: tuple[FloatArray, Bins, Signs], column: int, total: float, slack: float, binary: bool
) -> Cut:
    """Return the first of the best cuts of one column and of the constants.

    `found` has the score, cut and polarity of each feature, as `best_cuts` returns them.
    """
    score, cut, polarity = (array[:, column] for array in found)
    constant = float(total if binary else abs(total))
    first = int(np.argmax(score >= score.max() - slack))
    if constant >= score[first] - slack:
        return Cut(0, -1, 1 if binary or total >= -slack else -1, constant)
    return Cut(first, int(cut[first]), int(polarity[first]), float(score[first]))


def _search(
    binned: BinnedMatrix,
    rows: Rows,
    values: FloatArray,
    totals: FloatArray,
    slack: FloatArray,
    binary: bool,
) -> FeatureCuts:
    """Return the best cuts for up to TILE columns of `values`, a few features at a time."""
    k = values.shape[1]
    lanes = 1 if k == 1 else TILE
    column = np.ascontiguousarray(values[:, 0]) if k == 1 else tile_of(values, 0)
    chunk = max(1, _CHUNK_BYTES // (8 * binned.width * lanes))
    parts: list[FeatureCuts] = []
    for start in range(0, binned.n_features, chunk):
        codes = binned.codes[start : start + chunk]
        sums = np.zeros((codes.shape[0], binned.width, lanes))
        if k == 1:
            add_rows(codes, rows, column, sums.reshape(sums.shape[:2]))
        else:
            add_rows_tile(codes, rows, column, sums)
        n_bins = binned.n_bins[start : start + chunk]
        parts.append(FeatureCuts(*best_cuts(sums, n_bins, totals, slack, binary)))
    return FeatureCuts(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def best_cuts_numpy(
    sums: FloatArray, n_bins: Bins, totals: FloatArray, slack: FloatArray, binary: bool
) -> tuple[FloatArray, Bins, Signs]:
    """Return score, cut and polarity of the best cut of each feature, arrays of shape (d, K).

    Parameters
    ----------
    sums : ndarray of float64, shape (d, B, K or more)
        Histograms of the weights; columns after the first K are padding.
    n_bins : ndarray of int, shape (d,)
    totals, slack : ndarray of float64, shape (K,)
        T, and the largest difference between tied scores.
    binary : bool
        Whether hypotheses return 0 and 1 rather than ±1.

    Returns
    -------
    score, cut, polarity
        -inf, -1 and 1 for a feature with a single bin, which has no cut.
    """
    d, k = sums.shape[0], totals.size
    score = np.full((d, k), -np.inf)
    cut = np.full((d, k), -1, dtype=np.intp)
    polarity = np.ones((d, k), dtype=np.int8)
    for f in range(d):
        below = np.cumsum(sums[f, : n_bins[f] - 1, :k], axis=0)
        if not below.size:
            continue
        gains = (totals - below, below) if binary else (totals - 2 * below, 2 * below - totals)
        both = np.stack(gains, axis=1).reshape(-1, k)  # cut by cut, the positive polarity first
        score[f] = both.max(axis=0)
        first = np.argmax(both >= score[f] - slack, axis=0)
        cut[f] = first // 2
        polarity[f] = 1 - 2 * (first % 2)
    return score, cut, polarity


@nb.njit(cache=True, nogil=True)
def best_cuts(
    sums: FloatArray, n_bins: Bins, totals: FloatArray, slack: FloatArray, binary: bool
) -> tuple[FloatArray, Bins, Signs]:  # pragma: no cover - compiled
    """Compiled `best_cuts_numpy`."""
    d, k = sums.shape[0], totals.size
    score = np.full((d, k), -np.inf)
    cut = np.full((d, k), -1, dtype=np.intp)
    polarity = np.ones((d, k), dtype=np.int8)
    scale = 1.0 if binary else 2.0
    for f in range(d):
        for c in range(k):
            offset = 0.0 if binary else totals[c]
            below = 0.0
            low = np.inf
            high = -np.inf
            for b in range(n_bins[f] - 1):
                below += sums[f, b, c]
                low = min(low, below)
                high = max(high, below)
            if n_bins[f] < 2:
                continue
            best = max(totals[c] - scale * low, scale * high - offset)
            score[f, c] = best
            below = 0.0
            for b in range(n_bins[f] - 1):
                below += sums[f, b, c]
                if totals[c] - scale * below >= best - slack[c]:
                    cut[f, c] = b
                    break
                if scale * below - offset >= best - slack[c]:
                    cut[f, c] = b
                    polarity[f, c] = -1
                    break
    return score, cut, polarity
