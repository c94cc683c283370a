"""The CRF with fixed weights, against enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from segboost.pipelines.segmentation.config.stage_settings import LinearSettings
from segboost.pipelines.segmentation.potentials.crf.fixed_crf import border_costs, smoothed_scores
from tests.pipelines.segmentation.superpixel_graphs import grid_image

SETTINGS = LinearSettings(smoothness=1.5, contrast=0.02)


def energy(image, log_odds, labels):
    area = image.area / image.area.mean()
    one, other = image.edges.T
    cut = labels[one] != labels[other]
    length = image.boundary_length / np.sqrt(image.area.mean())
    cost = 1.5 * length * np.exp(-0.02 * image.luv_difference)
    return -(labels * log_odds * area).sum() + cost[cut].sum()


def test_scores_are_the_min_marginals_of_the_energy():
    image = grid_image(rows=2, columns=4)
    log_odds = np.random.default_rng(0).normal(scale=2.0, size=8)
    scores = smoothed_scores(image, log_odds, SETTINGS)
    all_labels = np.array(list(product((0, 1), repeat=8)))
    energies = np.array([energy(image, log_odds, labels) for labels in all_labels])
    for node in range(8):
        zero, one = (energies[all_labels[:, node] == k].min() for k in (0, 1))
        assert scores[node] == pytest.approx(zero - one, abs=1e-6)
    best = all_labels[energies.argmin()]
    assert ((scores > 0) == best).all()
    assert not ((log_odds > 0) == best).all()  # the borders changed something


def test_borders_between_different_colours_cost_less():
    image = grid_image(rows=2, columns=4)
    sharp, even = (border_costs(image, 5.0, contrast) for contrast in (0.3, 0.0))
    assert (sharp <= even).all()
    order = np.argsort(image.luv_difference)
    ratio = (sharp / even)[order]
    assert (np.diff(ratio) <= 1e-12).all()
    assert ratio[0] > ratio[-1]
