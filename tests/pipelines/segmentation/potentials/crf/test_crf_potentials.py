from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from segboost.pipelines.segmentation.potentials.crf.crf_potentials import (
    PotentialSettings,
    crf_instance,
    pairwise,
)
from tests.pipelines.segmentation.superpixel_graphs import grid_image, half_mask


def test_pairwise_potentials_by_hand():
    image = grid_image()
    colour, length = image.luv_difference, image.boundary_length
    settings = PotentialSettings(beta=0.5, contrasts=(0.1, 0.3), agreement=True)
    scores = np.random.default_rng(0).normal(size=(12, 4))
    trees, context = (np.abs(np.diff(c[image.edges], axis=1)[:, 0]) for c in scores.T[-2:])
    expected = [
        np.exp(-0.5 * colour),
        length,
        length * np.exp(-0.1 * colour),
        length * np.exp(-0.3 * colour),
        length * np.exp(-context),
        length * np.exp(-0.07 * colour - context),
        length * np.exp(-2 * trees),
    ]
    found = pairwise(image, scores, settings)
    np.testing.assert_allclose(found, np.column_stack(expected), rtol=1e-12)


def test_settings_and_back():
    settings = PotentialSettings(beta=0.5, contrasts=(0.1,), agreement=True, loss="pixels")
    assert PotentialSettings.from_dict(json.loads(json.dumps(asdict(settings)))) == settings


def test_the_paper_has_two_pairwise_potentials():
    image = grid_image()
    assert pairwise(image, np.zeros((12, 1)), PotentialSettings(contrasts=())).shape[1] == 2


def test_unaries_are_minus_the_scores():
    image = grid_image()
    scores = np.random.default_rng(0).normal(size=(12, 3))
    instance = crf_instance(image, scores, PotentialSettings(), with_truth=False)
    assert (instance.unary == -scores).all()
    assert instance.labels is None


def test_void_superpixels_cost_nothing_in_either_loss():
    mask = half_mask()
    mask[:5, :5] = 255  # all of superpixel 0
    mask[0, 5:10] = 255  # a part of superpixel 1
    image = grid_image(mask=mask)
    scores = np.zeros((12, 1))
    by_count = crf_instance(image, scores, PotentialSettings(loss="superpixels"))
    by_pixel = crf_instance(image, scores, PotentialSettings(loss="pixels"))
    assert by_count.node_weight.tolist() == [0.0] + [1.0] * 11
    np.testing.assert_allclose(by_pixel.node_weight, [0.0, 20 / 25] + [1.0] * 10)
    assert by_count.labels.tolist() == [-1, 1, 0, 0] + [1, 1, 0, 0] * 2


def test_learning_needs_a_mask():
    with pytest.raises(ValueError, match="'grid' has no mask"):
        crf_instance(grid_image(), np.zeros((12, 1)), PotentialSettings())
