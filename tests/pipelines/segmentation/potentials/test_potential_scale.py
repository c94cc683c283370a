from __future__ import annotations

import numpy as np

from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.model.unaries import FAINT_SCALE
from segboost.pipelines.segmentation.stages.crf import ENOUGH_IMAGES, make_crf
from segboost.pipelines.segmentation.training import potential_scale


def test_scores_are_divided_by_their_deviation():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 50)
    scores = labels[:, None] + rng.normal(size=(100, 2)) * [0.5, 2.0]
    found = potential_scale(scores, labels, np.ones(100, dtype=bool))
    np.testing.assert_allclose((scores / found).std(axis=0), 1.0)


def test_scores_that_are_lower_on_the_foreground_become_faint():
    labels = np.repeat([0, 1], 50)
    scores = np.column_stack([labels, -labels, np.zeros(100)]).astype(float)
    found = potential_scale(scores, labels, np.ones(100, dtype=bool))
    assert (found == FAINT_SCALE).tolist() == [False, True, True]


def test_void_superpixels_are_ignored():
    labels = np.array([0, 1, 0, 0])
    scores = np.array([[0.0], [1.0], [9.0], [9.0]])
    known = np.array([True, True, False, False])
    assert potential_scale(scores, labels, known)[0] < FAINT_SCALE
    assert potential_scale(scores, labels, np.ones(4, dtype=bool))[0] == FAINT_SCALE


def test_with_few_images_unary_ramps_may_not_decrease():
    scores = [np.zeros((4, 3))]
    few = make_crf(SegmentationConfig(), 1.0, scores)
    many = make_crf(SegmentationConfig(), 1.0, scores * ENOUGH_IMAGES)
    assert few.weak_learner.n_rising == 3  # the bias, feature 3, stays free
    assert many.weak_learner.n_rising == 0
    assert few.pairwise_learner.n_rising is None  # all of them only rise
    assert many.pairwise_learner.n_rising is None
