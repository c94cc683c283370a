from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.potentials.context_features import RINGS, context_features
from tests.pipelines.segmentation.superpixel_graphs import grid_image

IMAGE = grid_image(rows=5, columns=6)
P = IMAGE.n_superpixels


def features(seed=0, n_scores=2):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(P, n_scores))
    return scores, context_features(IMAGE, scores)


def within(steps):
    """Return the superpixels within a number of steps of each, by breadth-first search."""
    near = [[set() for _ in range(P)] for _ in range(steps + 1)]
    for p in range(P):
        near[0][p] = {p}
    for s in range(1, steps + 1):
        for p in range(P):
            near[s][p] = set(near[s - 1][p])
        for a, b in IMAGE.edges:
            near[s][a] |= near[s - 1][b]
            near[s][b] |= near[s - 1][a]
    return near[steps]


def test_own_scores_come_first():
    scores, found = features()
    np.testing.assert_allclose(found[:, :2], scores, rtol=1e-6)


def test_rings_are_means_over_neighbourhoods():
    own, found = features()
    width = own.shape[1]
    for number, steps in enumerate(RINGS, start=1):
        members = within(steps)
        expected = [own[sorted(m)].mean(axis=0) for m in members]
        columns = slice(number * width, (number + 1) * width)
        np.testing.assert_allclose(found[:, columns], expected, rtol=1e-5, atol=1e-6)


def test_all_are_finite_and_of_one_type():
    _, found = features()
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    assert features(seed=1)[1].shape == found.shape


@pytest.mark.parametrize("shape", [(1, 1), (1, 2)])
def test_the_smallest_images(shape):
    image = grid_image(*shape)
    scores = np.ones((image.n_superpixels, 1))
    found = context_features(image, scores)
    assert found.shape[0] == image.n_superpixels
    assert np.isfinite(found).all()


def test_extreme_scores_stay_finite():
    scores = np.full((P, 1), -1000.0)
    assert np.isfinite(context_features(IMAGE, scores)).all()
