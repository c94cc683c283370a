from __future__ import annotations

import numpy as np
import pytest

from segboost.boosting.bins import bin_columns, keep_bytes, thresholds_of


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_codes_split_as_values_do(dtype):
    X = np.random.default_rng(0).normal(size=(2000, 3)).astype(dtype)
    X[:, 1] = np.round(X[:, 1])
    binned = bin_columns(X)
    assert binned.thresholds.dtype == np.float64
    assert binned.n_bins[0] == binned.n_bins[2] == 256
    for column, codes, thresholds, n_bins in zip(
        X.T, binned.codes, binned.thresholds, binned.n_bins, strict=True
    ):
        for k in range(n_bins - 1):
            assert ((column <= thresholds[k]) == (codes <= k)).all()


def test_bytes_are_their_own_codes():
    values = np.arange(256, dtype=np.uint8)[:, None]
    binned = keep_bytes(values)
    assert (binned.codes == values.T).all()
    for k in range(255):
        assert ((values[:, 0] <= binned.thresholds[0, k]) == (binned.codes[0] <= k)).all()


def test_thresholds_of_nodes():
    thresholds = np.array([[1.0, 2.0], [3.0, np.inf]])
    feature, cut = np.array([[0, 1, -1]]), np.array([[1, 0, 0]])
    assert thresholds_of(feature, cut, thresholds).tolist() == [[2.0, 3.0, 0.0]]
