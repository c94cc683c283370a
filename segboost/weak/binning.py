"""Binning: features as small integer codes, for stumps, trees and the AdaBoost family.

A feature becomes a column of uint8 codes and a list of ascending thresholds t with

    code > b  ⇔  x > t[b]

for every value x that was binned. A hypothesis found on the codes therefore gives the same
responses on the features themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numba as nb
import numpy as np
from scipy import sparse

from segboost._types import AnyArray, ByteArray, FloatArray, IntArray

MAX_BINS = 256
"""Number of distinct uint8 codes."""

CutRule = Callable[[AnyArray, IntArray, int], AnyArray]
"""(ascending distinct values, their counts, maximum number of bins) → ascending thresholds."""

_BLOCK = 4  # columns copied at once: fewer cache misses, still little memory


@dataclass(frozen=True, eq=False)
class BinnedMatrix:
    """A feature matrix as codes, with one row per feature.

    Parameters
    ----------
    codes : ndarray of uint8, shape (d, N), C-contiguous
    thresholds : ndarray of float64, shape (d, B - 1)
        Ascending; +inf where a feature has fewer bins than the widest one.
    n_bins : ndarray of intp, shape (d,)
        Number of codes each feature uses.
    """

    codes: ByteArray
    thresholds: FloatArray
    n_bins: IntArray

    @property
    def n_features(self) -> int:
        """The number d of features."""
        return self.codes.shape[0]

    @property
    def n_rows(self) -> int:
        """The number N of rows."""
        return self.codes.shape[1]

    @property
    def width(self) -> int:
        """The number B of bins of the widest feature."""
        return self.thresholds.shape[1] + 1

    def threshold(self, feature: int, cut: int) -> float:
        """Return t with ``x > t ⇔ code > cut``; -inf for the cut -1 of a constant."""
        return float(self.thresholds[feature, cut]) if cut >= 0 else -np.inf


def bin_features(
    features: AnyArray | BinnedMatrix,
    max_bins: int = MAX_BINS,
    rule: CutRule | None = None,
) -> BinnedMatrix:
    """Return the features as codes.

    Parameters
    ----------
    features : ndarray, shape (N, d), or BinnedMatrix
        Finite real numbers, d at least 1. A BinnedMatrix is returned unchanged; uint8 values
        are translated with a lookup table.
    max_bins : int
        From 2 to 256.
    rule : callable, optional
        How the thresholds of a feature are chosen: `equal_count_cuts` (default) or
        `percentile_cuts`.

    Returns
    -------
    BinnedMatrix
        Its thresholds do not depend on the order of the rows. Little memory is needed beyond
        the codes.

    Raises
    ------
    ValueError
        For a wrong shape, NaN or infinite features, or `max_bins` out of range.
    """
    if isinstance(features, BinnedMatrix):
        return features
    if not 2 <= max_bins <= MAX_BINS:
        raise ValueError(f"max_bins must be from 2 to {MAX_BINS}, got {max_bins}")
    features = _check_features(features)
    n, d = features.shape
    codes = np.empty((d, n), dtype=np.uint8)
    if not n:
        return BinnedMatrix(codes, np.empty((d, 0)), np.ones(d, dtype=np.intp))
    cuts: list[AnyArray] = []
    for start in range(0, d, _BLOCK):
        part = slice(start, start + _BLOCK)
        cuts += _bin_block(features[:, part], max_bins, rule or equal_count_cuts, codes[part])
    n_bins = np.array([c.size + 1 for c in cuts], dtype=np.intp)
    thresholds = np.full((d, int(n_bins.max()) - 1), np.inf)
    for row, cut in zip(thresholds, cuts, strict=True):
        row[: cut.size] = cut
    return BinnedMatrix(codes, thresholds, n_bins)


def _check_features(features: AnyArray) -> AnyArray:
    if sparse.issparse(features):
        raise ValueError(
            "trees and ramps need a dense table: convert it with toarray(), or use stumps, "
            "perceptrons, sigmoids or SVMs, which take sparse features"
        )
    features = np.asarray(features)
    if features.ndim != 2 or not features.shape[1]:
        raise ValueError(f"features must have shape (N, d) with d at least 1, got {features.shape}")
    if features.dtype.kind not in "fiub":
        raise ValueError(f"features must be real numbers, got dtype {features.dtype}")
    return features


def _bin_block(block: AnyArray, max_bins: int, rule: CutRule, out: ByteArray) -> list[AnyArray]:
    """Write the codes of some features, shape (N, few), to `out`; return their thresholds."""
    pairs = zip(_columns(block), out, strict=True)
    return [_bin_column(column, max_bins, rule, codes) for column, codes in pairs]


def _columns(block: AnyArray) -> AnyArray:
    """Return the columns of `block` as contiguous rows of uint8, float32 or float64."""
    keep = block.dtype in (np.uint8, np.float32)
    columns = np.ascontiguousarray(block.T, dtype=block.dtype if keep else np.float64)
    if columns.dtype.kind == "f" and not np.isfinite(columns).all():
        raise ValueError("features must not contain NaN or infinity")
    return columns


def _bin_column(column: AnyArray, max_bins: int, rule: CutRule, out: ByteArray) -> AnyArray:
    """Write the codes of one feature to `out`; return its thresholds."""
    if column.dtype == np.uint8:
        counts = np.bincount(column, minlength=MAX_BINS)
        values = np.flatnonzero(counts)
        cuts = rule(values.astype(np.float64), counts[values], max_bins)
        table = np.searchsorted(cuts, np.arange(MAX_BINS), side="left").astype(np.uint8)
        np.take(table, column, out=out)
        return cuts
    ordered = np.sort(column)
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    counts = np.diff(starts, append=ordered.size)
    cuts = rule(ordered[starts], counts, max_bins)
    encode(column, cuts, out)
    return cuts


def equal_count_cuts(values: AnyArray, counts: IntArray, max_bins: int) -> AnyArray:
    """Return the thresholds for ascending distinct `values` that occur `counts` times.

    With at most `max_bins` values they are all midpoints; otherwise they form bins of about
    equal counts, and a frequent value gets a separate bin. Each lies at or above one value and
    below the next, even if rounding moves the midpoint, and has the dtype of the values: a
    comparison gives the same result whether or not the threshold is widened to float64 first.
    """
    if values.size <= max_bins:
        last = np.arange(values.size - 1)
    else:
        last = quantile_cuts(counts, max_bins)
    low, high = values[last], values[last + 1]
    middle = low * values.dtype.type(0.5) + high * values.dtype.type(0.5)
    return np.where((middle >= low) & (middle < high), middle, low)


def percentile_cuts(values: AnyArray, counts: IntArray, max_bins: int) -> FloatArray:
    """Return all midpoints, or the `max_bins` - 1 percentiles that divide the rows evenly.

    The thresholds are float64. The percentiles are those of `numpy.percentile` with
    ``method="averaged_inverted_cdf"``; equal ones are merged.
    """
    values = values.astype(np.float64)
    if values.size <= max_bins:
        return np.asarray((values[1:] + values[:-1]) / 2)
    end = np.cumsum(counts)
    share = np.linspace(0, 100, max_bins + 1)[1:-1] / 100
    at = share * int(end[-1]) - 1
    before = np.floor(at)
    # Row k in ascending order has the first value whose cumulative count exceeds k.
    low = values[np.searchsorted(end, before, side="right")]
    high = values[np.searchsorted(end, before + 1, side="right")]
    return np.unique(np.where(at == before, high - (high - low) * 0.5, high))


def quantile_cuts_numpy(counts: IntArray, max_bins: int) -> IntArray:
    """Return the index of the last value of every bin but the last, in ascending order.

    A bin is closed once it holds its share of the remaining rows, or before a value that fills a
    bin by itself.
    """
    left = int(counts.sum())
    bins_left, held = max_bins, 0
    last: list[int] = []
    for i in range(counts.size - 1):
        held += int(counts[i])
        if held * bins_left >= left or int(counts[i + 1]) * bins_left >= left:
            last.append(i)
            left -= held
            bins_left -= 1
            held = 0
            if bins_left == 1:
                break
    return np.array(last, dtype=np.intp)


@nb.njit(cache=True, nogil=True)
def quantile_cuts(counts: IntArray, max_bins: int) -> IntArray:  # pragma: no cover - compiled
    """Compiled `quantile_cuts_numpy`."""
    left = counts.sum()
    bins_left = max_bins
    held = 0
    last = np.empty(max_bins - 1, dtype=np.intp)
    found = 0
    for i in range(counts.size - 1):
        held += counts[i]
        if held * bins_left >= left or counts[i + 1] * bins_left >= left:
            last[found] = i
            found += 1
            left -= held
            bins_left -= 1
            held = 0
            if bins_left == 1:
                break
    return last[:found]


def encode_numpy(column: AnyArray, cuts: AnyArray, out: ByteArray) -> None:
    """Write to `out` the number of ascending `cuts` below each value of `column`."""
    out[:] = np.searchsorted(cuts, column, side="left")


@nb.njit(cache=True, nogil=True)
def encode(column: AnyArray, cuts: AnyArray, out: ByteArray) -> None:  # pragma: no cover - compiled
    """Compiled `encode_numpy`, without data-dependent branches, which would be mispredicted."""
    padded = np.full(256, np.inf, dtype=cuts.dtype)
    padded[: cuts.size] = cuts
    for i in range(column.size):
        x = column[i]
        code = 0
        code += 128 * (x > padded[code + 127])
        code += 64 * (x > padded[code + 63])
        code += 32 * (x > padded[code + 31])
        code += 16 * (x > padded[code + 15])
        code += 8 * (x > padded[code + 7])
        code += 4 * (x > padded[code + 3])
        code += 2 * (x > padded[code + 1])
        code += 1 * (x > padded[code])
        out[i] = code
