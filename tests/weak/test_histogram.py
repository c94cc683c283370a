from __future__ import annotations

import numpy as np
import pytest

from segboost.weak.histogram import TILE, add_pairs_by_node, histogram, histogram_numpy


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (TILE,), (TILE + 1,), (2 * TILE,)])
def test_kernel_equals_twin(d, shape):
    rng = np.random.default_rng(d)
    codes = rng.integers(0, 30, (d, 200)).astype(np.uint8)
    rows = np.flatnonzero(rng.random(200) < 0.6).astype(np.int32)
    values = rng.integers(-9, 10, (rows.size, *shape)).astype(float)
    fast = histogram(codes, rows, values, 30)
    assert fast.shape == (d, 30, *shape)
    np.testing.assert_array_equal(fast, histogram_numpy(codes, rows, values, 30))


def test_repeated_codes_and_the_highest_one():
    codes = np.full((5, 100), 255, dtype=np.uint8)
    out = histogram(codes, np.arange(100, dtype=np.int32), np.ones(100), 256)
    assert (out[:, 255] == 100).all()
    assert out.sum() == 500


def test_no_rows():
    codes = np.zeros((3, 4), dtype=np.uint8)
    none = np.empty(0, dtype=np.int32)
    assert not histogram(codes, none, np.empty(0), 2).any()
    assert not histogram(codes, none, np.empty((0, 3)), 2).any()


def test_values_are_not_changed():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, (2, 20)).astype(np.uint8)
    values = np.asfortranarray(rng.standard_normal((20, 3)))
    before = values.copy()
    out = histogram(codes, np.arange(20, dtype=np.int32), values, 5)
    np.testing.assert_array_equal(values, before)
    np.testing.assert_allclose(out.sum(axis=1), np.tile(values.sum(axis=0), (2, 1)))


def test_pairs_by_node_are_histograms_of_the_rows_of_each_node():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 40, (6, 400)).astype(np.uint8)
    rows = np.sort(rng.choice(400, 250, replace=False))
    node, pairs = rng.integers(0, 3, 250), rng.normal(size=(250, 2))
    features = np.array([5, 0, 2])
    found = np.zeros((3, 3, 64, 2))
    add_pairs_by_node(codes, features, rows, node, pairs, found)
    for k in range(3):
        inside = node == k
        expected = histogram_numpy(codes[features], rows[inside], pairs[inside], 64)
        np.testing.assert_array_equal(found[:, k], expected)
