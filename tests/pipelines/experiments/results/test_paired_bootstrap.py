from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.experiments.results.paired_bootstrap import interval, paired_difference
from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix
from segboost.pipelines.segmentation.metrics.predictions import ClassPrediction, RegionPrediction


def predictions(error, n=40, seed=0, flip=0):
    """Return images of 50 regions of 10 pixels; a share of the regions is labelled wrongly."""
    rng = np.random.default_rng(seed)
    found = {}
    for i in range(n):
        truth = rng.random(50) < 0.4
        wrong = rng.random(50) < error
        wrong[:flip] = True
        score = np.where(truth != wrong, 1.0, -1.0)
        found[f"image {i}"] = RegionPrediction(score, truth * 10, ~truth * 10)
    return found


def mean_iou(found):
    score, fore, back = (
        np.concatenate([getattr(a, part) for a in found.values()])
        for part in ("score", "foreground", "background")
    )
    hit, wrong = fore[score > 0].sum(), back[score > 0].sum()
    missed, right = fore[score <= 0].sum(), back[score <= 0].sum()
    return 50 * (hit / (hit + wrong + missed) + right / (right + wrong + missed))


def test_the_difference_is_that_of_the_two_mean_ious():
    one, other = predictions(0.1), predictions(0.2, seed=1)
    found = paired_difference(one, other)
    assert found.points == pytest.approx(mean_iou(one) - mean_iou(other))
    assert found.low < found.points < found.high
    assert found.low > 0


def test_equal_predictions_have_no_difference():
    found = paired_difference(predictions(0.1), predictions(0.1))
    assert (found.points, found.low, found.high) == (0.0, 0.0, 0.0)


def test_pairing_narrows_the_interval_of_a_constant_lead():
    """The same errors, plus one wrong region in every image."""
    one, other = predictions(0.2), predictions(0.2, flip=1)
    paired = paired_difference(one, other)
    apart = paired_difference(
        one, dict(zip(other, predictions(0.2, seed=9, flip=1).values(), strict=True))
    )
    assert paired.high - paired.low < 0.7 * (apart.high - apart.low)


def test_order_does_not_matter_and_images_must_match():
    one, other = predictions(0.1), predictions(0.15, seed=1)
    shuffled = dict(reversed(one.items()))
    assert paired_difference(one, other) == paired_difference(shuffled, other)
    with pytest.raises(ValueError, match="same images"):
        paired_difference(one, {})


def class_predictions(error, n=30, seed=0):
    """Return images of four classes with a share of wrong pixels; class 3 does not occur."""
    rng = np.random.default_rng(seed)
    found = {}
    for i in range(n):
        truth = rng.integers(0, 3, (20, 20))
        wrong = rng.random((20, 20)) < error
        prediction = np.where(wrong, rng.integers(0, 4, (20, 20)), truth)
        matrix = ConfusionMatrix.of_masks(prediction, truth, 4)
        found[f"image {i}"] = ClassPrediction(matrix.counts, np.zeros((10, 3)))
    return found


@pytest.mark.parametrize("measure", ["mean_iou", "mean_recall", "accuracy"])
def test_measures_of_several_classes(measure):
    one, other = class_predictions(0.1), class_predictions(0.3, seed=1)
    whole = [
        getattr(ConfusionMatrix(sum(a.confusion for a in found.values())), measure)
        for found in (one, other)
    ]
    alone = interval(one, measure=measure)
    assert alone.points == pytest.approx(100 * whole[0])
    assert alone.low < alone.points < alone.high
    both = paired_difference(one, other, measure=measure)
    assert both.points == pytest.approx(100 * (whole[0] - whole[1]))
    assert both.low > 0
