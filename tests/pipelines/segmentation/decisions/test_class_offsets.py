"""Offsets of classes, chosen by a measure."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from segboost.pipelines.segmentation.decisions.class_offsets import (
    GRID,
    best_class_offsets,
    transferable_offsets,
)
from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix


def problem(seed=0, n=300, n_classes=3):
    rng = np.random.default_rng(seed)
    labels = rng.choice(n_classes, n, p=[0.8, 0.15, 0.05])
    scores = rng.normal(0, 1, (n, n_classes))
    scores[np.arange(n), labels] += 1.0
    scores[:, 2] -= 1.5  # the rare class scores too low
    return scores, np.eye(n_classes, dtype=np.int64)[labels] * rng.integers(1, 9, (n, 1))


def value(scores, counts, measure):
    matrix = ConfusionMatrix.of_regions(scores.argmax(axis=1), counts)
    return getattr(matrix, measure)


@pytest.mark.parametrize("measure", ["mean_iou", "mean_recall", "accuracy"])
def test_no_single_change_of_an_offset_is_better(measure):
    scores, counts = problem()
    offsets = best_class_offsets(scores, counts, measure)
    best = value(scores + offsets, counts, measure)
    assert best > value(scores, counts, measure)
    for k, change in itertools.product(range(3), GRID):
        other = offsets.copy()
        other[k] += change
        assert value(scores + other, counts, measure) <= best + 1e-5


def test_permuting_the_classes_permutes_the_offsets():
    scores, counts = problem(1)
    order = np.array([2, 0, 1])
    one = best_class_offsets(scores, counts, "mean_iou")
    other = best_class_offsets(scores[:, order], counts[:, order], "mean_iou")
    np.testing.assert_allclose(one[order], other)


def test_absent_classes_are_not_predicted():
    """Their offsets are not raised, even if that would take false pixels from other classes."""
    scores, counts = problem(1)
    wide = np.column_stack([scores, np.full(len(scores), scores.max(axis=1).min() - 1)])
    none = np.column_stack([counts, np.zeros(len(counts), np.int64)])
    offsets = best_class_offsets(wide, none, "mean_iou")
    assert 3 not in (wide + offsets).argmax(axis=1)
    offsets[3] += GRID.max()  # a single change would suffice
    assert 3 in (wide + offsets).argmax(axis=1)


def test_offsets_that_other_folds_contradict_are_shrunk():
    scores, counts = problem(4, n=4000)
    fold = np.repeat([0, 1], 2000)
    contrary = scores.copy()
    contrary[fold == 0, 1] -= 2.0
    contrary[fold == 1, 1] += 2.0
    one_fold = best_class_offsets(contrary[fold == 0], counts[fold == 0], "mean_iou")
    both = best_class_offsets(contrary, counts, "mean_iou")
    found = transferable_offsets(contrary, counts, fold, "mean_iou")
    assert np.ptp(one_fold) > 1
    assert np.ptp(found) <= np.ptp(both) / 2


def test_offsets_on_which_all_folds_agree_are_kept():
    scores, counts = problem(5, n=900)
    fold = np.arange(900) % 3
    offsets = best_class_offsets(scores, counts, "mean_iou")
    found = transferable_offsets(scores, counts, fold, "mean_iou")
    assert np.ptp(found) >= np.ptp(offsets) / 2
