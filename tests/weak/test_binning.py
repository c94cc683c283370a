from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from segboost.weak.binning import (
    BinnedMatrix,
    bin_features,
    encode,
    encode_numpy,
    equal_count_cuts,
    percentile_cuts,
    quantile_cuts,
    quantile_cuts_numpy,
)


def assert_codes_reproduced(features, binned: BinnedMatrix) -> None:
    for f in range(features.shape[1]):
        for b in range(int(binned.n_bins[f]) - 1):
            above = features[:, f] > binned.threshold(f, b)
            np.testing.assert_array_equal(above, binned.codes[f] > b)


floats32 = st.floats(-(2.0**100), 2.0**100, width=32)
floats64 = st.floats(-1e300, 1e300)


@settings(deadline=None, max_examples=60)
@given(
    st.one_of(
        arrays(np.float32, (12, 2), elements=floats32),
        arrays(np.float64, (12, 2), elements=floats64),
        arrays(np.uint8, (12, 2)),
        arrays(np.int16, (12, 2)),
    ),
    st.integers(2, 16),
)
def test_thresholds_reproduce_codes(features, max_bins):
    binned = bin_features(features, max_bins)
    assert binned.n_bins.max() <= max_bins
    assert_codes_reproduced(features, binned)
    for f in range(2):
        distinct = np.unique(features[:, f]).size
        assert binned.n_bins[f] == min(distinct, max_bins) or distinct > max_bins


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("base", [1.0, -1.0, 0.0, 1e30, -3e-40])
def test_adjacent_floats_stay_apart(dtype, base):
    low = dtype(base)
    high = np.nextafter(low, dtype(np.inf))
    features = np.array([[low], [high]], dtype=dtype)
    binned = bin_features(features)
    assert binned.codes.tolist() == [[0, 1]]
    assert_codes_reproduced(features, binned)
    # The same answer when the features are widened first.
    assert_codes_reproduced(features.astype(np.float64), binned)


def test_exact_midpoints_if_values_are_few():
    features = np.array([[3.0, 7.0], [1.0, 7.0], [2.0, 7.0], [1.0, 7.0]])
    binned = bin_features(features)
    assert binned.codes.tolist() == [[2, 0, 1, 0], [0, 0, 0, 0]]
    assert binned.thresholds[0].tolist() == [1.5, 2.5]
    assert binned.n_bins.tolist() == [3, 1]
    assert binned.threshold(0, -1) == -np.inf


def test_uint8_equals_float():
    rng = np.random.default_rng(0)
    features = rng.choice([0, 3, 200, 255], size=(50, 3)).astype(np.uint8)
    small, wide = bin_features(features), bin_features(features.astype(float))
    np.testing.assert_array_equal(small.codes, wide.codes)
    np.testing.assert_array_equal(small.thresholds, wide.thresholds)


def test_256_bins_fit():
    features = np.arange(256, dtype=np.uint8)[:, None]
    np.testing.assert_array_equal(bin_features(features).codes[0], features[:, 0])
    assert bin_features(features.astype(np.float32), 256).n_bins[0] == 256
    assert bin_features(features, 255).n_bins[0] <= 255


def test_quantiles_are_even_and_leave_frequent_values_alone():
    rng = np.random.default_rng(0)
    even = bin_features(rng.standard_normal((10_000, 1)), 100)
    counts = np.bincount(even.codes[0])
    assert counts.size == 100
    assert counts.min() >= 95
    assert counts.max() <= 105
    heavy = np.concatenate([np.zeros(6000), rng.random(4000) + 1e-6])[:, None]
    codes = bin_features(heavy, 16).codes[0]
    assert np.bincount(codes)[0] == 6000
    assert np.bincount(codes).size == 16


@settings(deadline=None, max_examples=60)
@given(arrays(np.intp, st.integers(2, 60), elements=st.integers(1, 40)), st.integers(2, 20))
def test_quantile_kernel_equals_twin(counts, max_bins):
    fast, plain = quantile_cuts(counts, max_bins), quantile_cuts_numpy(counts, max_bins)
    np.testing.assert_array_equal(fast, plain)
    assert plain.size <= max_bins - 1
    assert (np.diff(plain) > 0).all()
    assert plain.size == 0 or plain[-1] < counts.size - 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_cuts", [0, 1, 2, 127, 128, 254, 255])
def test_encode_kernel_equals_twin(dtype, n_cuts):
    rng = np.random.default_rng(n_cuts)
    cuts = np.unique(rng.standard_normal(n_cuts).astype(dtype))
    column = np.concatenate([rng.standard_normal(500).astype(dtype), cuts])
    fast, plain = np.empty((2, column.size), dtype=np.uint8)
    encode(column, cuts, fast)
    encode_numpy(column, cuts, plain)
    np.testing.assert_array_equal(fast, plain)


def test_order_of_rows_and_features_does_not_matter():
    rng = np.random.default_rng(1)
    features = rng.standard_normal((700, 5)).astype(np.float32)
    rows, columns = rng.permutation(700), rng.permutation(5)
    binned, other = bin_features(features, 32), bin_features(features[rows][:, columns], 32)
    np.testing.assert_array_equal(binned.codes[columns][:, rows], other.codes)
    np.testing.assert_array_equal(binned.thresholds[columns], other.thresholds)


def test_input_is_not_changed_and_layout_does_not_matter():
    features = np.random.default_rng(2).standard_normal((40, 9))
    before = features.copy()
    binned, other = bin_features(features), bin_features(np.asfortranarray(features))
    np.testing.assert_array_equal(features, before)
    np.testing.assert_array_equal(binned.codes, other.codes)
    assert binned.codes.flags.c_contiguous
    assert bin_features(binned) is binned


def test_memory_is_little_beyond_the_codes():
    features = np.random.default_rng(0).standard_normal((20_000, 100)).astype(np.float32)
    bin_features(features[:100])
    tracemalloc.start()
    binned = bin_features(features)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.6 * binned.codes.nbytes


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (np.array([[np.nan]]), "features must not contain NaN"),
        (np.array([[np.inf]], dtype=np.float32), "features must not contain NaN"),
        (np.zeros((3, 0)), "features must have shape"),
        (np.zeros(3), "features must have shape"),
        (np.array([["a"]]), "features must be real numbers"),
        (np.array([[1j]]), "features must be real numbers"),
    ],
)
def test_refuses(features, message):
    with pytest.raises(ValueError, match=message):
        bin_features(features)


@pytest.mark.parametrize("max_bins", [1, 257])
def test_refuses_max_bins(max_bins):
    with pytest.raises(ValueError, match="max_bins must be from 2 to 256"):
        bin_features(np.zeros((2, 2)), max_bins)


def test_equal_count_cuts_at_the_largest_floats():
    values = np.array([-1.7e308, 1.7e308])
    assert equal_count_cuts(values, np.array([1, 1]), 2).tolist() == [0.0]


@pytest.mark.parametrize("n", [257, 300, 512, 1000, 2560, 5000])
def test_percentile_cuts_equal_those_of_numpy(n):
    rng = np.random.default_rng(n)
    column = np.round(rng.standard_normal(n), 3) + 0.0  # some values occur several times
    column[:20] = 0.25
    values, counts = np.unique(column, return_counts=True)
    for max_bins in (5, 16, min(256, len(values) - 1)):
        share = np.linspace(0, 100, max_bins + 1)[1:-1]
        expected = np.unique(np.percentile(column, share, method="averaged_inverted_cdf"))
        np.testing.assert_array_equal(percentile_cuts(values, counts, max_bins), expected)


def test_percentile_cuts_of_few_values_are_midpoints():
    values = np.array([1, 2, 4], dtype=np.float32)
    cuts = percentile_cuts(values, np.array([5, 1, 1]), 3)
    assert cuts.dtype == np.float64
    assert cuts.tolist() == [1.5, 3.0]
