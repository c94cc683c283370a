"""Predictions for images of two and of several classes."""

import numpy as np
import pytest

from segboost.pipelines.segmentation.metrics.class_scores import ClassScores
from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix
from segboost.pipelines.segmentation.metrics.predictions import (
    ClassPrediction,
    RegionPrediction,
    new_total,
    prediction_from_arrays,
    scores_from_dict,
)
from segboost.pipelines.segmentation.metrics.scores import SegmentationScores


def class_prediction(seed=0, n_classes=3):
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(n_classes), (20, 24))
    mask = np.array([[rng.choice(n_classes, p=p) for p in row] for row in probabilities])
    mask = mask.astype(np.uint8)
    mask[:2] = 255
    return ClassPrediction.of(np.log(probabilities), mask, probabilities[::2, ::2], 2), mask


def test_class_predictions_count_pixels_and_probabilities():
    prediction, mask = class_prediction()
    assert prediction.confusion.sum() == (mask != 255).sum()
    held, right, count = prediction.calibration.sum(axis=0)
    known = (mask[::2, ::2] != 255).sum()
    assert count == 3 * known
    assert held == pytest.approx(known)
    assert right == known
    # The labels were drawn from the probabilities, so their frequencies agree.
    share = prediction.calibration[:, 1] / np.maximum(prediction.calibration[:, 2], 1)
    assert share[-1] > share[0] + 0.4


def test_arrays_of_predictions_come_back():
    prediction, _ = class_prediction()
    back = prediction_from_arrays(vars(prediction))
    assert (back.confusion == prediction.confusion).all()
    two = RegionPrediction(np.array([1.0, -1.0]), np.array([3, 1]), np.array([0, 2]))
    assert isinstance(prediction_from_arrays(vars(two)), RegionPrediction)
    assert two.matrix.counts.tolist() == [[2, 0], [1, 3]]


def test_totals_take_the_predictions_of_their_kind():
    total = new_total(3)
    first, second = (class_prediction(seed)[0] for seed in (0, 1))
    assert first.add_to(total).n_images == 1
    second.add_to(total)
    whole = ConfusionMatrix(first.confusion + second.confusion)
    assert total.result().accuracy == whole.accuracy
    two = RegionPrediction(np.array([1.0, -1.0]), np.array([3, 1]), np.array([0, 2]))
    binary = new_total(2)
    two.add_to(binary)
    assert binary.result().accuracy == pytest.approx(5 / 6)


def test_scores_of_either_kind_are_read():
    total = new_total(3)
    class_prediction()[0].add_to(total)
    assert isinstance(scores_from_dict(total.result().to_dict()), ClassScores)
    assert isinstance(scores_from_dict(new_total(2).result().to_dict()), SegmentationScores)
    with pytest.raises(KeyError):
        scores_from_dict({})
