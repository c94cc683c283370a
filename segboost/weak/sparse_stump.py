"""Decision stumps on sparse features; the search visits only stored values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numba as nb
import numpy as np
from scipy import sparse

from segboost._types import BoolArray, ByteArray, FloatArray, Int32Array, Int64Array, Outputs
from segboost.weak.base import Candidate
from segboost.weak.binning import equal_count_cuts
from segboost.weak.checks import check_weights
from segboost.weak.histogram import TILE
from segboost.weak.splitting import TIE, Bins, Cut, FeatureCuts, best_cuts, pick
from segboost.weak.stump import Stump

_CHUNK = 256  # features whose histograms are held at once


@dataclass(frozen=True, eq=False)
class SparseBins:
    """The stored values of a sparse matrix as codes, feature by feature.

    Parameters
    ----------
    n_rows : int
    start : ndarray of int64, shape (d + 1,)
        Where the values of each feature begin.
    rows : ndarray of int32, shape (nnz,)
    codes : ndarray of uint8, shape (nnz,)
    zero : ndarray of uint8, shape (d,)
        The code of zero, which all other rows have.
    thresholds : ndarray of float64
        The thresholds of all features, concatenated, ascending within a feature: ``code > b`` if
        and only if ``x > thresholds[first[f] + b]``.
    first : ndarray of int64, shape (d,)
        Index of each feature's first threshold.
    n_bins : ndarray of intp, shape (d,)
    """

    n_rows: int
    start: Int64Array
    rows: Int32Array
    codes: ByteArray
    zero: ByteArray
    thresholds: FloatArray
    first: Int64Array
    n_bins: Bins

    def threshold(self, cut: Cut) -> float:
        """Return t with ``x > t ⇔ code > cut``; -inf for a constant."""
        return (
            float(self.thresholds[self.first[cut.feature] + cut.cut]) if cut.cut >= 0 else -np.inf
        )

    def above(self, cut: Cut) -> BoolArray:
        """Return which rows lie above a cut, shape (N,); all of them for a constant."""
        if cut.cut < 0:
            return np.ones(self.n_rows, dtype=bool)
        part = slice(int(self.start[cut.feature]), int(self.start[cut.feature + 1]))
        found = np.full(self.n_rows, bool(self.zero[cut.feature] > cut.cut))
        found[self.rows[part]] = self.codes[part] > cut.cut
        return found


def bin_sparse(features: Any, max_bins: int) -> SparseBins:
    """Return a sparse matrix, shape (N, d), as codes with the thresholds of `bin_features`.

    Raises
    ------
    ValueError
        For NaN or infinite values.
    """
    table = sparse.csc_array(features, dtype=np.float64, copy=True)
    table.sum_duplicates()
    table.eliminate_zeros()
    if not np.isfinite(table.data).all():
        raise ValueError("features must not contain NaN or infinity")
    n, d = table.shape
    stored = np.diff(table.indptr).astype(np.int64)
    # The stored values of every feature and its zeros, as one list of values with counts.
    column = np.concatenate([np.repeat(np.arange(d), stored), np.arange(d)])
    value = np.concatenate([table.data, np.zeros(d)])
    count = np.concatenate([np.ones(len(table.data), dtype=np.int64), n - stored])
    order = np.lexsort((value, column))
    order = order[count[order] > 0]
    column, value = column[order], value[order]
    new = np.concatenate([[True], (column[1:] != column[:-1]) | (value[1:] != value[:-1])])
    starts = np.flatnonzero(new)
    distinct = _Distinct(column[starts], value[starts], np.add.reduceat(count[order], starts), d)
    codes, thresholds, n_bins = distinct.cut(max_bins)
    every = np.zeros(len(table.data) + d, dtype=np.uint8)
    every[order] = codes[np.cumsum(new) - 1]
    return SparseBins(
        n,
        table.indptr.astype(np.int64),
        table.indices.astype(np.int32),
        every[: len(table.data)],
        every[len(table.data) :],
        thresholds,
        np.concatenate([[0], np.cumsum(n_bins - 1)[:-1]]).astype(np.int64),
        n_bins,
    )


@dataclass(frozen=True, eq=False)
class _Distinct:
    """The distinct values of all features, ascending within a feature, and their counts."""

    column: Int64Array
    value: FloatArray
    count: Int64Array
    n_features: int

    def cut(self, max_bins: int) -> tuple[ByteArray, FloatArray, Bins]:
        """Return the code of every value, the thresholds of all features and their bins."""
        sizes = np.bincount(self.column, minlength=self.n_features)
        first = np.cumsum(sizes) - sizes
        rank = np.arange(len(self.column)) - first[self.column]
        codes = np.minimum(rank, 255).astype(np.uint8)
        middle = equal_count_cuts(self.value, self.count, len(self.value))
        is_cut = self.column[1:] == self.column[:-1]
        n_bins = sizes.astype(np.intp)
        for f in np.flatnonzero(sizes > max_bins):  # features with more values than bins
            part = slice(int(first[f]), int(first[f] + sizes[f]))
            cuts = equal_count_cuts(self.value[part], self.count[part], max_bins)
            codes[part] = np.searchsorted(cuts, self.value[part], side="left")
            is_cut[part.start : part.stop - 1] = np.arange(sizes[f] - 1) < len(cuts)
            middle[part.start : part.start + len(cuts)] = cuts
            n_bins[f] = len(cuts) + 1
        return codes, middle[is_cut], n_bins


@dataclass(frozen=True, eq=False)
class BoundSparseStump:
    """Stumps bound to sparse features; the same search as on dense ones."""

    binned: SparseBins
    outputs: Outputs

    exact: ClassVar[bool] = True

    def best(self, weights: FloatArray) -> list[Candidate]:
        """Return the stump that maximises ``W·φ`` for each column of `weights`, shape (N, K)."""
        weights = check_weights(weights, self.binned.n_rows)
        binary = self.outputs == "binary"
        found: list[Candidate] = []
        for start in range(0, weights.shape[1], TILE):
            part = np.ascontiguousarray(weights[:, start : start + TILE])
            totals = part.sum(axis=0)
            slack = TIE * np.abs(part).sum(axis=0)
            cuts = self._search(part, totals, slack, binary)
            for k, (total, tie) in enumerate(zip(totals.tolist(), slack.tolist(), strict=True)):
                found.append(self._candidate(pick(cuts, k, total, tie, binary), part[:, k]))
        return found

    def _search(
        self, values: FloatArray, totals: FloatArray, slack: FloatArray, binary: bool
    ) -> FeatureCuts:
        """Return the best cuts of all features, a few features at a time."""
        binned, parts = self.binned, []
        for first in range(0, len(binned.n_bins), _CHUNK):
            n_bins = binned.n_bins[first : first + _CHUNK]
            sums = np.zeros((len(n_bins), int(n_bins.max()), values.shape[1]))
            add_stored(
                binned.start[first : first + len(n_bins) + 1], binned.rows, binned.codes,
                binned.zero[first : first + len(n_bins)], values, totals, sums,
            )  # fmt: skip
            parts.append(FeatureCuts(*best_cuts(sums, n_bins, totals, slack, binary)))
        return FeatureCuts(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _candidate(self, cut: Cut, weights: FloatArray) -> Candidate:
        threshold = self.binned.threshold(cut)
        above = self.binned.above(cut)
        if self.outputs == "binary":
            responses = (above if cut.polarity > 0 else ~above).astype(np.float64)
        else:
            responses = np.where(above, float(cut.polarity), -float(cut.polarity))
        stump = Stump(cut.feature, threshold, cut.polarity, self.outputs)
        return Candidate(stump, responses, float(weights @ responses))


def add_stored_numpy(
    start: Int64Array, rows: Int32Array, codes: ByteArray,
    zero: ByteArray, values: FloatArray, totals: FloatArray, out: FloatArray,
) -> None:  # fmt: skip
    """Add the weights of the rows to ``out[f, code]``; rows without a stored value use ``zero[f]``.

    Parameters
    ----------
    start, zero
        See `SparseBins`; only for the features of `out`.
    rows, codes
        See `SparseBins`; for all features.
    values : ndarray of shape (N, K)
    totals : ndarray of shape (K,)
        The sums of `values`.
    out : ndarray of shape (number of features, B, K)
    """
    for f in range(len(zero)):
        part = slice(start[f], start[f + 1])
        np.add.at(out[f], codes[part], values[rows[part]])
        out[f, zero[f]] += totals - values[rows[part]].sum(axis=0)


@nb.njit(cache=True, nogil=True)
def add_stored(start, rows, codes, zero, values, totals, out):  # type: ignore[no-untyped-def]  # pragma: no cover - compiled
    """Compiled `add_stored_numpy`."""
    k = values.shape[1]
    stored = np.empty(k)
    for f in range(zero.size):
        stored[:] = 0.0
        for i in range(start[f], start[f + 1]):
            row, code = rows[i], codes[i]
            for c in range(k):
                out[f, code, c] += values[row, c]
                stored[c] += values[row, c]
        for c in range(k):
            out[f, zero[f], c] += totals[c] - stored[c]
