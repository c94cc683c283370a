"""Potentials of the CRF of several classes."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings
from segboost.pipelines.segmentation.potentials.crf.class_crf_potentials import (
    class_instance,
    class_pairwise,
    crf_class_scores,
)
from segboost.pipelines.segmentation.potentials.crf.crf_potentials import loss_weights
from tests.pipelines.segmentation.tiny_class_models import class_items, trained_classes

SETTINGS = PotentialSettings(contrasts=(0.07,), agreement=True, loss="pixels")


@pytest.fixture(scope="module")
def image():
    item = class_items(1, first=90)[0]
    model = trained_classes("trees").model
    return model.prepare(item.image()).with_truth(item.mask(), 4), model


def test_unaries_are_negative_log_probabilities(image):
    graph, model = image
    scores = model.unary.scores(graph)
    instance = class_instance(graph, scores, SETTINGS)
    np.testing.assert_allclose(instance.unary, -np.maximum(scores, -12))
    assert instance.labels is None


def test_neighbours_of_equal_probability_attract_most(image):
    graph, _ = image
    P = graph.n_superpixels
    equal = class_pairwise(graph, np.log(np.full((P, 4), 0.25)), SETTINGS)
    rng = np.random.default_rng(0)
    different = class_pairwise(graph, np.log(rng.dirichlet(np.ones(4), P)), SETTINGS)
    assert (equal[:, -2:] >= different[:, -2:]).all()
    np.testing.assert_allclose(equal[:, -2], graph.boundary_length)


def test_a_balanced_loss_counts_every_class_the_same(image):
    graph, _ = image
    weight = loss_weights([graph], "balanced", 4)
    pixels = graph.class_counts.sum(axis=0)
    occurs = pixels > 0
    np.testing.assert_allclose((weight * pixels)[occurs], pixels.sum() / occurs.sum())
    np.testing.assert_array_equal(loss_weights([graph], "pixels", 4), np.ones(4))
    instance = class_instance(
        graph, np.log(np.full((graph.n_superpixels, 4), 0.25)), SETTINGS, weight
    )
    expected = graph.labelled / graph.area.mean() * weight[graph.labels]
    np.testing.assert_allclose(instance.node_weight, expected)


def test_scores_are_the_rise_in_energy_of_a_single_change(image):
    graph, _ = image
    model = trained_classes().model
    unary = model.unary.scores(graph)
    found = crf_class_scores(model.crf, graph, unary, model.potentials, 4)
    instance = class_instance(graph, unary, model.potentials)
    theta, capacity = model.crf.energy_terms(instance)
    tail, head = instance.edges.T

    def energy(labels):
        cut = labels[tail] != labels[head]
        return theta[np.arange(len(labels)), labels].sum() + capacity[cut].sum()

    best = model.crf.predict(instance)
    for p in range(0, len(best), 7):
        for k in range(4):
            changed = best.copy()
            changed[p] = k
            assert found[p, k] == pytest.approx(energy(best) - energy(changed), abs=1e-9)


def test_classes_that_the_crf_did_not_see_score_least(image):
    graph, _ = image
    model = trained_classes().model
    unary = model.unary.scores(graph)
    with_all = crf_class_scores(model.crf, graph, unary, model.potentials, 6)
    assert (with_all[:, 4:] < with_all[:, :4].min()).all()
