"""The mean of trees and context of several classes."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.model.class_unary_model import (
    ClassUnaryModel,
    mix_log_probabilities,
)
from tests.pipelines.segmentation.tiny_class_models import class_items, trained_classes

FIRST = np.log([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
SECOND = np.log([[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])


def test_a_mixture_lies_between_and_sums_to_one():
    found = np.exp(mix_log_probabilities(FIRST, SECOND, 0.5))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    geometric = np.sqrt(np.exp(FIRST + SECOND))
    np.testing.assert_allclose(found, geometric / geometric.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(mix_log_probabilities(FIRST, SECOND, 1.0), SECOND)


def test_arrays_keep_the_share_and_those_without_it_mean_the_context_alone():
    model = trained_classes().model
    unaries, groups = model.unary, ["colour", "position"]
    assert unaries.context_share == 0.5
    arrays = unaries.to_arrays()
    assert ClassUnaryModel.from_arrays(arrays, groups, 4).context_share == 0.5
    before = {name: a for name, a in arrays.items() if name != "context_share"}
    assert ClassUnaryModel.from_arrays(before, groups, 4).context_share == 1.0
    with pytest.raises(ValueError, match="share of the context"):
        ClassUnaryModel.from_arrays({**arrays, "context_share": np.array(np.nan)}, groups, 4)


def test_scores_are_the_mean_of_both_stages():
    model = trained_classes().model
    image = model.prepare(class_items(1, first=40)[0].image())
    parts = [
        ClassUnaryModel(model.unary.trees).scores(image),
        ClassUnaryModel(model.unary.trees, model.unary.context).scores(image),
    ]
    np.testing.assert_array_equal(model.unary.scores(image), mix_log_probabilities(*parts, 0.5))
    assert not np.array_equal(*parts)
