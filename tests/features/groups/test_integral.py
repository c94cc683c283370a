"""The kernels against their plain twins, and integrals against direct sums."""

import numpy as np

from segboost.features.groups.integral import (
    count_integral,
    count_integral_numpy,
    double_integral,
    double_integral_numpy,
    integral,
    pool_grid,
)
from segboost.features.image_context import nearest_to_centroid, pad_by_reflection

RNG = np.random.default_rng(0)


def test_double_integral_equals_its_twin():
    channel = RNG.integers(0, 5, (13, 17, 2), dtype=np.uint8)
    amount = RNG.integers(0, 9999, (13, 17, 2), dtype=np.int32)
    np.testing.assert_array_equal(
        double_integral(channel, amount, 5), double_integral_numpy(channel, amount, 5)
    )


def test_second_differences_are_triangle_sums():
    amount = RNG.integers(0, 99, (20, 20, 1), dtype=np.int32)
    sums = double_integral(np.zeros_like(amount, np.uint8), amount, 1)[..., 0]
    c, row, column = 4, 9, 11
    lattice = sums[row - c : row + c + 1 : c, column - c : column + c + 1 : c]
    found = np.array([1, -2, 1]) @ lattice @ np.array([1, -2, 1])
    y, x = np.indices((20, 20))
    weight = np.maximum(c - abs(y - row), 0) * np.maximum(c - abs(x - column), 0)
    assert found == (weight * amount[..., 0]).sum()


def test_count_integral_equals_its_twin_and_wraps():
    codes = RNG.integers(0, 7, (15, 12), dtype=np.uint8)
    np.testing.assert_array_equal(count_integral(codes, 6), count_integral_numpy(codes, 6))
    many = np.zeros((300, 300), np.uint8)  # 90000 pixels of one code
    sums = count_integral(many, 1)[..., :1]  # arrays wrap without a warning
    box = sums[300, 300] - sums[200, 300] - sums[300, 200] + sums[200, 200]
    assert box == 100 * 100


def test_pool_grid_equals_direct_means():
    maps = RNG.random((3, 24, 30)).astype(np.float32)
    corners = np.array([[0.0, 0.0], [4.0, 10.0], [8.0, 14.0]])
    found = pool_grid(integral(maps), corners, 4.0, 4).reshape(3, 4, 4, 3)
    for p, (top, left) in enumerate(corners.astype(int)):
        patch = maps[:, top : top + 16, left : left + 16].reshape(3, 4, 4, 4, 4)
        np.testing.assert_allclose(found[p], np.moveaxis(patch.mean(axis=(2, 4)), 0, 2), rtol=1e-5)


def test_pool_grid_shares_samples_on_a_border():
    maps = np.zeros((1, 4, 4), np.float32)
    maps[0, 1, 1] = 1
    # The cell covers rows 1.5 … 2.5 and columns 1 … 2: half of the sample's square.
    found = pool_grid(integral(maps), np.array([[1.5, 1.0]]), 1.0, 1)
    np.testing.assert_allclose(found, [[0.5]])


def test_centres_lie_in_their_regions():
    labels = np.zeros((9, 9), np.int32)
    labels[2:7, 2:7] = 1  # the centroid of label 0 is inside label 1
    centres = nearest_to_centroid(labels, np.bincount(labels.ravel()))
    np.testing.assert_array_equal(labels[tuple(centres.T)], [0, 1])
    np.testing.assert_array_equal(centres[1], [4, 4])
    np.testing.assert_allclose(np.hypot(*(centres[0] - 4)), 3)  # none is nearer


def test_reflection_repeats_border_pixels():
    np.testing.assert_array_equal(
        pad_by_reflection(np.array([[1, 2]]), 3)[0], [2, 2, 1, 1, 2, 2, 1, 1]
    )
