"""Sampling of maps against loops over pixels."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.features.network.sampling import Grid, PixelOrder, sample_centres, sample_mean


def interpolate(values, y, x):
    """Return the value of a map (C, h, w) at a point in cells, clamped to the map."""
    _, height, width = values.shape
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    i, j = int(np.floor(y)), int(np.floor(x))
    result = np.zeros(values.shape[0])
    for a, b in ((i, j), (i, j + 1), (i + 1, j), (i + 1, j + 1)):
        share = (1 - abs(y - a)) * (1 - abs(x - b))
        if share > 0:
            result += share * values[:, a, b]
    return result


@pytest.fixture(params=[((3, 4), 0), ((11, 17), 1), ((1, 1), 2), ((40, 30), 3)])
def case(request):
    """A map of some size over an image of 20 × 28 with 15 regions."""
    (rows, columns), seed = request.param
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(5, rows, columns)).astype(np.float32)
    labels = rng.integers(0, 15, (20, 28)).astype(np.int32)
    labels.ravel()[:15] = np.arange(15)
    down = Grid(rows, 0.7 * 20 / rows, 20 / rows)
    across = Grid(columns, 0.4 * 28 / columns, 28 / columns)
    return values, labels, down, across


def test_means_equal_a_loop_over_pixels(case):
    values, labels, down, across = case
    wanted = np.zeros((15, 5))
    for i, j in np.ndindex(labels.shape):
        y, x = (i + 0.5 - down.first) / down.step, (j + 0.5 - across.first) / across.step
        wanted[labels[i, j]] += interpolate(values, y, x)
    area = np.bincount(labels.ravel())
    found = sample_mean(values, down, across, PixelOrder.of(labels, area), labels.shape[1])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted / area[:, None], atol=1e-5)


def test_centres_equal_interpolation_one_by_one(case):
    values, labels, down, across = case
    centres = np.argwhere(np.ones(labels.shape))[::7]
    wanted = [
        interpolate(
            values, (i + 0.5 - down.first) / down.step, (j + 0.5 - across.first) / across.step
        )
        for i, j in centres
    ]
    found = sample_centres(values, down, across, centres)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_a_map_of_the_image_itself_gives_its_means():
    rng = np.random.default_rng(4)
    image = rng.random((3, 12, 9)).astype(np.float32)
    labels = np.repeat(np.arange(6), 18).reshape(12, 9).astype(np.int32)
    order = PixelOrder.of(labels, np.bincount(labels.ravel()))
    found = sample_mean(image, Grid(12, 0.5, 1), Grid(9, 0.5, 1), order, 9)
    wanted = image.reshape(3, 6, 18).mean(axis=2).T
    np.testing.assert_allclose(found, wanted, atol=1e-6)
