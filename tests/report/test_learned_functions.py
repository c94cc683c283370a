"""The drawn functions add up to the energy of the model."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.potentials.crf_potentials import crf_instance, pairwise
from segboost.report.learned_functions import LearnedFunction, learned_functions
from segboost.report.potentials_section import _functions
from tests.pipelines.segmentation.segmentation_sets import tiny_data, trained


@pytest.mark.parametrize("method", ["structboost", "ssvm"])
def test_the_functions_add_up_to_the_energy(method):
    model = trained(method).model
    item = tiny_data().test[0]
    image = model.prepare(item.image())
    scores = model.unary.scores(image)
    instance = crf_instance(image, scores, model.potentials, with_truth=False)
    theta, capacity = model.crf.energy_terms(instance)
    learned = learned_functions(model)
    assert len(learned.unary) == scores.shape[1]
    support = learned.bias + sum(
        f.of(column) for f, column in zip(learned.unary, scores.T, strict=True)
    )
    np.testing.assert_allclose(support, theta[:, 0] - theta[:, 1], atol=1e-9)
    values = pairwise(image, scores, model.potentials)
    cost = learned.constant + sum(
        f.of(column) for f, column in zip(learned.pairwise, values.T, strict=True)
    )
    np.testing.assert_allclose(cost, capacity, atol=1e-9)


def test_weights_and_shapes_of_the_functions():
    model = trained().model
    learned = learned_functions(model)
    total = sum(f.weight for f in (*learned.unary, *learned.pairwise))
    assert 0 < total <= model.crf.ensemble_.weights.sum() + 1e-9
    for function in learned.pairwise:
        x = np.linspace(*function.reach, 50)
        assert (np.diff(function.of(x)) >= -1e-12).all()
        if function.weight == 0:
            assert not function.of(x).any()


def test_a_model_without_a_crf_has_no_functions():
    assert learned_functions(trained("adaboost").model) is None


def test_uninformative_potentials_are_listed_as_excluded_or_used():
    def function(name, weight, muted):
        return LearnedFunction(name, weight, lambda values: weight * values, (-1.0, 1.0), muted)

    parts = [("a", 1.0, False), ("b", 0.0, False), ("c", 1e-29, True), ("d", 0.2, True)]
    text = _functions([function(*part) for part in parts], [], True)
    assert text.count("<figure") == 1
    assert "Not used: b." in text
    assert "Excluded, as uninformative on held-out images: c." in text
    assert "Used, though uninformative on held-out images, and not drawn: d." in text
