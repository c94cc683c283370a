from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix
from segboost.pipelines.segmentation.metrics.measures import measure_of_confusion

MEASURES = ["mean_iou", "mean_recall", "accuracy"]


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_equal_those_of_single_matrices(measure):
    counts = np.random.default_rng(3).integers(0, 50, (6, 4, 4))
    counts[2, 1] = 0  # a class that does not occur, but is predicted
    found = measure_of_confusion(counts.astype(float), measure)
    assert found == pytest.approx([getattr(ConfusionMatrix(c), measure) for c in counts])


def test_means_may_be_over_absent_classes_too():
    counts = np.array([[3.0, 1.0], [0.0, 0.0]])
    assert measure_of_confusion(counts, "mean_recall") == 0.75
    assert measure_of_confusion(counts, "mean_recall", np.array([True, True])) == 0.375


@pytest.mark.parametrize("measure", MEASURES)
def test_without_pixels_measures_are_zero(measure):
    assert measure_of_confusion(np.zeros((3, 3)), measure) == 0.0
