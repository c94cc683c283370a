"""Colour histograms and groups beyond the paper's 14, by hand and against direct loops."""

import numpy as np
import pytest

from segboost.features import ImageContext, find_superpixels
from segboost.features.groups.base import BUILTIN
from segboost.features.groups.colour import colour_columns, colour_histograms
from segboost.features.groups.region_context import (
    CONTEXT,
    NEIGHBOURHOOD,
    SHAPE,
    larger_context,
    neighbourhood_colour,
    position,
    region_shape,
)


@pytest.fixture(scope="module")
def context(small):
    return ImageContext(small, find_superpixels(small))


def test_histograms_sum_to_one(context):
    squares = colour_histograms(context) ** 2
    for part in np.split(squares, [16, 32, 48], axis=1):
        np.testing.assert_allclose(part.sum(axis=1), 1, atol=1e-5)


def test_histogram_of_one_colour():
    image = np.zeros((4, 6, 3), np.uint8)
    image[:, 3:] = (255, 255, 255)
    labels = np.repeat([[0, 0, 0, 1, 1, 1]], 4, axis=0)
    values = colour_histograms(ImageContext(image, labels))
    named = dict(zip(colour_columns(), values.T, strict=True))
    np.testing.assert_allclose(named["L bin 00"], [1, 0])
    np.testing.assert_allclose(named["L bin 15"], [0, 1])
    np.testing.assert_allclose(named["rgb bin 000"], [1, 0])
    np.testing.assert_allclose(named["rgb bin 333"], [0, 1])


def test_position_of_corners():
    labels = np.arange(9).reshape(3, 3)
    values = position(ImageContext(np.zeros((3, 3), np.uint8), labels))
    np.testing.assert_allclose(values[0], [0, 0, 1, 1, 0])
    np.testing.assert_allclose(values[4], [0.5, 0.5, 0, 0, 1])
    np.testing.assert_allclose(values[5], [1, 0.5, 1, 0, 0])


def test_shape_of_a_bar():
    labels = np.zeros((10, 20), np.int32)
    labels[4:6, 5:15] = 1  # 2 × 10
    values = region_shape(ImageContext(np.zeros((10, 20), np.uint8), labels))
    bar = dict(zip(SHAPE, values[1], strict=True))
    np.testing.assert_allclose(bar["area"], np.sqrt(20 / 200), rtol=1e-6)
    np.testing.assert_allclose([bar["height"], bar["width"], bar["extent"]], [0.2, 0.5, 1])
    np.testing.assert_allclose(bar["elongation"], 1 - 2**2 / 10**2, rtol=1e-5)
    np.testing.assert_allclose([bar["cos of axis"], bar["sin of axis"]], [1, 0], atol=1e-6)
    np.testing.assert_allclose(bar["compactness"], 4 * np.pi * 20 / 24**2, rtol=1e-5)
    assert bar["neighbours"] == 1
    assert bar["border contact"] == 0
    np.testing.assert_allclose(values[0, SHAPE.index("border contact")], 60 / 84, rtol=1e-6)


def test_neighbourhood_equals_direct_means(context):
    values = dict(zip(NEIGHBOURHOOD, neighbourhood_colour(context).T, strict=True))
    edges = context.adjacency.edges
    for p in (0, context.count // 2):
        ring = {int(b if a == p else a) for a, b in edges if p in (a, b)}
        pixels = context.luv[np.isin(context.labels, list(ring))]
        own = context.luv[context.labels == p]
        np.testing.assert_allclose(values["mean 1 step u"][p], pixels[:, 1].mean(), rtol=1e-3)
        np.testing.assert_allclose(values["deviation L"][p], own[:, 0].std(), rtol=1e-2, atol=1e-2)
        wanted = own[:, 2].mean() - context.luv[..., 2].mean()
        np.testing.assert_allclose(values["minus image v"][p], wanted, rtol=1e-3, atol=1e-3)


def test_context_covers_blocks_around_the_centre():
    image = np.zeros((240, 320), np.uint8)
    image[:, 160:] = 255
    labels = np.zeros((240, 320), np.int32)
    labels[118:122, 158:162] = 1
    values = larger_context(ImageContext(image, labels))
    middle = dict(zip(CONTEXT, values[1], strict=True))
    assert middle["block (1,0) L"] < 1
    assert middle["block (1,2) L"] > 99
    assert 40 < middle["block (1,1) L"] < 60
    np.testing.assert_allclose(middle["image L"], 50, atol=0.1)
    assert middle["block (1,1) edge 0"] > 0.5
    assert middle["block (1,1) edge 1"] == 0


@pytest.mark.parametrize("name", sorted(BUILTIN))
@pytest.mark.parametrize("shape", [(1, 1), (8, 8), (2, 300)])
def test_tiny_and_elongated_images(name, shape):
    image = np.random.default_rng(0).random(shape)
    for labels in (find_superpixels(image), np.zeros(shape, np.int32)):
        group = BUILTIN[name]
        values = group.compute(ImageContext(image, labels))
        assert values.dtype == np.float32
        assert values.shape == (labels.max() + 1, len(group.columns(values.shape[1])))
        assert np.isfinite(values).all()
