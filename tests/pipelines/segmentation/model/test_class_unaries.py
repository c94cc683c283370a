"""The mean of trees and context of several classes."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.model.class_unaries import ClassUnaries, mix
from tests.pipelines.segmentation.class_sets import class_items, trained_classes

FIRST = np.log([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
SECOND = np.log([[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])


def test_a_mixture_lies_between_and_sums_to_one():
    found = np.exp(mix(FIRST, SECOND, 0.5))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    geometric = np.sqrt(np.exp(FIRST + SECOND))
    np.testing.assert_allclose(found, geometric / geometric.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(mix(FIRST, SECOND, 1.0), SECOND)


def test_arrays_keep_the_share_and_those_without_it_mean_the_context_alone():
    model = trained_classes().model
    unaries, groups = model.unary, ["colour", "position"]
    assert unaries.context_share == 0.5
    arrays = unaries.to_arrays()
    assert ClassUnaries.from_arrays(arrays, groups, 4).context_share == 0.5
    before = {name: a for name, a in arrays.items() if name != "context_share"}
    assert ClassUnaries.from_arrays(before, groups, 4).context_share == 1.0
    with pytest.raises(ValueError, match="share of the context"):
        ClassUnaries.from_arrays({**arrays, "context_share": np.array(np.nan)}, groups, 4)


def test_scores_are_the_mean_of_both_stages():
    model = trained_classes().model
    image = model.prepare(class_items(1, first=40)[0].image())
    parts = [
        ClassUnaries(model.unary.trees).scores(image),
        ClassUnaries(model.unary.trees, model.unary.context).scores(image),
    ]
    np.testing.assert_array_equal(model.unary.scores(image), mix(*parts, 0.5))
    assert not np.array_equal(*parts)
