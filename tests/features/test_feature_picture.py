import numpy as np
import pytest

from segboost.features import extract_features, find_preset, find_superpixels
from segboost.features.feature_picture import (
    draw_borders,
    draw_features,
    first_component,
    length_map,
)


def test_first_component_is_the_leading_singular_vector():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 1)) @ rng.normal(size=(1, 9)) + 0.3 * rng.normal(size=(60, 9))
    scores, share = first_component(values)
    standard = (values - values.mean(axis=0)) / values.std(axis=0)
    left, singular, _ = np.linalg.svd(standard, full_matrices=False)
    wanted = left[:, 0] * singular[0]
    np.testing.assert_allclose(scores * np.sign(scores @ wanted), wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(share, singular[0] ** 2 / (singular**2).sum())


def test_first_component_of_constant_columns():
    scores, share = first_component(np.ones((5, 3)))
    assert not scores.any()
    assert share == 0


def test_borders_and_lengths_lie_between_superpixels(small):
    labels = find_superpixels(small)
    features = extract_features(small, find_preset("default").only("colour"))
    lengths = length_map(features)
    inner = np.zeros(labels.shape, bool)
    inner[1:-1, 1:-1] = True
    for axis in (0, 1):
        for step in (-1, 1):
            inner &= np.roll(labels, step, axis) == labels
    inside = inner[1:-1, 1:-1]
    np.testing.assert_array_equal(np.isnan(lengths[1:-1, 1:-1]), inside)
    assert np.nanmax(lengths) == features.adjacency.boundary_length.max()
    rgb = small.astype(np.float32) / 255
    drawn = draw_borders(rgb, labels)
    np.testing.assert_array_equal(drawn[1:-1, 1:-1][inside], rgb[1:-1, 1:-1][inside])
    assert (drawn != rgb).any()


@pytest.mark.parametrize("shape", [(1, 1), (4, 200), (200, 4)])
def test_draws_unusual_images(shape):
    image = np.full(shape, 0.5)
    preset = find_preset("default").only("colour", "position")
    features = extract_features(image, preset)
    rgb = np.full((*shape, 3), 0.5, np.float32)
    figure = draw_features(rgb, features)
    figure.canvas.draw()
    drawn = np.asarray(figure.canvas.buffer_rgba())
    assert (drawn != drawn[0, 0]).any()  # not a blank page
    assert all(axes.get_title() for axes in figure.axes if axes.images)
