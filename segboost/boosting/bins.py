"""Binning for boosted trees: `weak.binning` with percentile cuts, or bytes as they are."""

from __future__ import annotations

import numpy as np

from segboost._types import AnyArray, ByteArray, FloatArray
from segboost.weak.binning import MAX_BINS, BinnedMatrix, bin_features, percentile_cuts


def bin_columns(features: AnyArray) -> BinnedMatrix:
    """Return finite features, shape (N, d), as codes with float64 thresholds.

    A feature with at most 256 distinct values has a threshold at every midpoint, any other at up
    to 255 percentiles.
    """
    return bin_features(features, MAX_BINS, percentile_cuts)


def keep_bytes(features: ByteArray) -> BinnedMatrix:
    """Return features that are already bytes, shape (N, d), with their values as codes."""
    n_features = features.shape[1]
    thresholds = np.tile(np.arange(MAX_BINS - 1, dtype=np.float64), (n_features, 1))
    codes = np.ascontiguousarray(features.T)
    return BinnedMatrix(codes, thresholds, np.full(n_features, MAX_BINS, dtype=np.intp))


def thresholds_of(feature: AnyArray, cut: AnyArray, thresholds: FloatArray) -> FloatArray:
    """Return the thresholds on feature values that are equivalent to these cuts on codes.

    Parameters
    ----------
    feature : ndarray of int
        The column that each node splits on; negative at leaves, whose threshold is 0.
    cut : ndarray of int, shape as `feature`
        Codes up to it go left.
    thresholds : ndarray of float64, shape (d, B - 1)
        The thresholds of the binned columns.
    """
    inner = feature >= 0
    found = np.zeros(feature.shape)
    found[inner] = thresholds[feature[inner], cut[inner]]
    return found
