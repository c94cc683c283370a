from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import uniform_filter

from segboost.features.pixels.box_means import box_means, box_means_numpy, halve

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("radius", [0, 1, 3, 20])
@pytest.mark.parametrize("shape", [(1, 1, 1), (7, 1, 2), (9, 12, 3), (5, 30, 1)])
def test_the_kernel_equals_its_twin(shape, radius):
    values = RNG.normal(size=shape).astype(np.float32)
    found = box_means(values, radius)
    np.testing.assert_allclose(found, box_means_numpy(values, radius), atol=1e-6)


def test_means_equal_the_uniform_filter_away_from_the_border():
    values = RNG.normal(size=(30, 40)).astype(np.float32)
    expected = uniform_filter(values.astype(float), 7)[3:-3, 3:-3]
    found = box_means(values[..., None], 3)[3:-3, 3:-3, 0]
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("shape", [(4, 6), (5, 7), (1, 1), (3, 4, 2)])
def test_halves_are_means_of_four_pixels(shape):
    values = RNG.normal(size=shape).astype(np.float32)
    found = halve(values)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            rows = np.minimum([2 * i, 2 * i + 1], shape[0] - 1)
            columns = np.minimum([2 * j, 2 * j + 1], shape[1] - 1)
            expected = values[np.ix_(rows, columns)].mean(axis=(0, 1))
            np.testing.assert_allclose(found[i, j], expected, atol=1e-6)
