"""Confusion matrices and the scores of several classes, against plain counting."""

import json

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, jaccard_score, recall_score

from segboost.pipelines.segmentation.metrics.class_scores import ClassEvaluation, ClassScores
from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix, class_counts
from segboost.pipelines.segmentation.metrics.scores import SegmentationEvaluation


@pytest.fixture
def masks():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, (30, 40)).astype(np.uint8)
    prediction = np.where(rng.random((30, 40)) < 0.6, truth, rng.integers(0, 5, (30, 40)))
    truth[rng.random((30, 40)) < 0.1] = 255
    return prediction.astype(np.uint8), truth


def test_equal_to_scikit_learn(masks):
    prediction, truth = masks
    known = truth != 255
    y, found = truth[known], prediction[known]
    matrix = ConfusionMatrix.of_masks(prediction, truth, 5)
    assert (matrix.counts == confusion_matrix(y, found)).all()
    np.testing.assert_allclose(matrix.recall, recall_score(y, found, average=None))
    np.testing.assert_allclose(matrix.iou, jaccard_score(y, found, average=None))
    assert matrix.mean_iou == pytest.approx(jaccard_score(y, found, average="macro"))
    assert matrix.mean_recall == pytest.approx(recall_score(y, found, average="macro"))
    assert matrix.accuracy == pytest.approx((y == found).mean())


def test_regions_equal_pixels(masks):
    prediction, truth = masks
    regions = np.arange(30 * 40).reshape(30, 40) // 6
    labels = prediction.ravel()[::6]
    flat = labels[regions]
    counts = class_counts(regions, truth, 5)
    assert counts.shape == (200, 5)
    assert counts.sum() == (truth != 255).sum()
    by_region = ConfusionMatrix.of_regions(labels, counts)
    assert (by_region.counts == ConfusionMatrix.of_masks(flat, truth, 5).counts).all()


def test_classes_that_do_not_occur_are_left_out_of_means():
    matrix = ConfusionMatrix.of_masks([[0, 0, 1, 2]], [[0, 0, 1, 1]], 4)
    assert np.isnan(matrix.recall[[2, 3]]).all()
    assert matrix.iou[2] == 0
    assert np.isnan(matrix.iou[3])
    assert matrix.mean_recall == 0.75
    assert matrix.mean_iou == 0.75
    rows = matrix.class_rows(["a", "b", "c", "d"])
    assert rows[2] == {"index": 2, "name": "c", "iou": 0.0, "recall": None, "pixels": 0}
    assert rows[3]["iou"] is None


def test_permuting_classes_permutes_scores(masks):
    prediction, truth = masks
    order = np.array([3, 0, 4, 1, 2])
    change = np.append(order, np.zeros(251, int)).astype(np.uint8)
    change[255] = 255
    there = ConfusionMatrix.of_masks(prediction, truth, 5)
    here = ConfusionMatrix.of_masks(change[prediction], change[truth], 5)
    np.testing.assert_array_equal(here.iou[order], there.iou)
    assert here.accuracy == there.accuracy
    assert here.mean_recall == pytest.approx(there.mean_recall)


def test_two_classes_agree_with_the_binary_scores():
    rng = np.random.default_rng(1)
    truth, prediction = rng.integers(0, 2, (2, 20, 20))
    evaluation = SegmentationEvaluation()
    scores = evaluation.add(prediction, truth)
    matrix = ConfusionMatrix.of_masks(prediction, truth, 2)
    counts = evaluation.counts
    assert matrix.counts.tolist() == [
        [counts.true_negative, counts.false_positive],
        [counts.false_negative, counts.true_positive],
    ]
    assert scores.mean_iou == pytest.approx(matrix.mean_iou)
    assert scores.recall_foreground == matrix.recall[1]
    assert scores.accuracy == matrix.accuracy


def test_no_pixels():
    scores = ClassEvaluation(3).result()
    assert np.isnan([scores.mean_iou, scores.mean_recall, scores.accuracy]).all()
    assert scores.to_dict()["accuracy"] is None


def test_evaluation_adds_images_and_survives_json(masks):
    prediction, truth = masks
    total = ClassEvaluation(5)
    first = total.add_matrix(ConfusionMatrix.of_masks(prediction[:10], truth[:10], 5))
    total.add_matrix(ConfusionMatrix.of_masks(prediction[10:], truth[10:], 5))
    whole = ConfusionMatrix.of_masks(prediction, truth, 5)
    assert first.n_images == 1
    assert (total.result().matrix.counts == whole.counts).all()
    back = ClassScores.from_dict(json.loads(json.dumps(total.result().to_dict())))
    assert back.n_images == 2
    assert back.mean_iou == whole.mean_iou
    with pytest.raises(ValueError, match="square"):
        ClassScores.from_dict({"confusion": [[1, 2]], "n_images": 1})


def test_values_outside_the_classes():
    with pytest.raises(ValueError, match=r"of 3 classes has 0 … 2 and 255 .* got 3"):
        ConfusionMatrix.of_masks([[0]], [[3]], 3)
    with pytest.raises(ValueError, match="prediction must be 0 … 2"):
        ConfusionMatrix.of_masks([[3]], [[0]], 3)
    with pytest.raises(ValueError, match="shape"):
        ConfusionMatrix.of_masks([[0, 1]], [[0]], 3)
    with pytest.raises(ValueError, match="differ"):
        ConfusionMatrix.of_regions([0, 1], [[1, 0, 0]])
    with pytest.raises(ValueError, match="superpixels has shape"):
        class_counts([[0, 1]], [[0]], 3)
