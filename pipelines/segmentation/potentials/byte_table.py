"""The features of training superpixels as one table of bytes, which trees are grown on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import BoolArray, ByteArray, FloatArray, Int64Array
from segboost.boosting.bins import bin_columns, keep_bytes
from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
from segboost.weak.binning import MAX_BINS, BinnedMatrix

MOST_ROWS = 150_000
"""The largest number of superpixels to learn from: their features are held in memory."""


@dataclass(frozen=True, eq=False)
class ByteTable:
    """The features of the superpixels that are learned from, as bytes.

    Parameters
    ----------
    columns : ndarray of uint8, shape (D, n)
    thresholds : ndarray of float64, shape (D, 255)
        ``x ≤ thresholds[j, k]`` where the byte of column j is at most k; +inf beyond its last.
    rows : ndarray of int64, shape (n,)
        Indices of these superpixels.
    """

    columns: ByteArray
    thresholds: FloatArray
    rows: Int64Array

    def members(self, n_rows: int) -> BoolArray:
        """Return which of all superpixels are in the table, shape (n_rows,)."""
        found = np.zeros(n_rows, dtype=bool)
        found[self.rows] = True
        return found

    def with_columns_before(self, binned: BinnedMatrix) -> ByteTable:
        """Return the table with other binned columns of the same rows before its own."""
        thresholds = np.full((binned.n_features, MAX_BINS - 1), np.inf)
        thresholds[:, : binned.width - 1] = binned.thresholds
        return ByteTable(
            np.concatenate([binned.codes, self.columns]),
            np.concatenate([thresholds, self.thresholds]),
            self.rows,
        )


def read_byte_table(reader: FeatureReader, known: Int64Array, seed: int) -> ByteTable:
    """Return the features of the labelled superpixels, or of a sample if there are too many."""
    rows = known
    if len(known) > MOST_ROWS:
        rng = np.random.default_rng([seed, 1])
        rows = np.sort(rng.choice(known, MOST_ROWS, replace=False))
    widths = [reader.image(0)[group].shape[1] for group in reader.groups]
    columns = np.empty((sum(widths), len(rows)), dtype=np.uint8)
    thresholds = np.full((sum(widths), MAX_BINS - 1), np.inf)
    start = 0
    for group, width in zip(reader.groups, widths, strict=True):
        block = reader.column_block(group)[rows]
        binned = keep_bytes(block) if block.dtype == np.uint8 else bin_columns(block)
        columns[start : start + width] = binned.codes
        thresholds[start : start + width, : binned.width - 1] = binned.thresholds
        start += width
    return ByteTable(columns, thresholds, rows)
