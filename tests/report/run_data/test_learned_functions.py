"""The drawn functions add up to the energy of the model."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.potentials.crf.crf_potentials import crf_instance, pairwise
from segboost.report.run_data.learned_functions import learned_functions
from tests.pipelines.segmentation.tiny_models import tiny_data, trained


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
