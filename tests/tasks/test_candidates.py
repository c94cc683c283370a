"""Candidates and boxes: overlap against a direct loop, ties, and invalid input."""

import numpy as np
import pytest

from segboost.tasks.candidates import CandidateTask, box_overlap


def overlap(a, b):
    wide = max(0.0, min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]))
    high = max(0.0, min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]))
    union = a[2] * a[3] + b[2] * b[3] - wide * high
    return wide * high / union if union > 0 else 0.0


def test_overlap_equals_a_direct_loop():
    rng = np.random.default_rng(0)
    first, second = (
        np.column_stack([rng.integers(-3, 4, (300, 2)), rng.integers(0, 5, (300, 2))]).astype(float)
        for _ in range(2)
    )
    expected = [overlap(a, b) for a, b in zip(first, second, strict=True)]
    assert box_overlap(first, second) == pytest.approx(np.array(expected))
    table = box_overlap(first[:20, None], second[None, :30])
    assert table.shape == (20, 30)
    assert table[3, 7] == pytest.approx(overlap(first[3], second[7]))


def test_overlap_of_known_boxes():
    box = np.array([0.0, 0.0, 2.0, 2.0])
    assert box_overlap(box, box) == 1.0
    assert box_overlap(box, box + np.array([1, 0, 0, 0])) == pytest.approx(1 / 3)
    assert box_overlap(box, box + np.array([2, 0, 0, 0])) == 0.0
    assert box_overlap(box * [1, 1, 0, 1], box * [1, 1, 0, 1]) == 0.0


def test_the_nearest_box_is_taken_as_the_truth():
    boxes = np.array([[0, 0, 2, 2], [1, 0, 2, 2], [9, 9, 1, 1]], float)
    loss = 1.0 - box_overlap(boxes, np.array([1.2, 0, 2, 2]))
    task = CandidateTask(np.eye(3), np.zeros(3, int), loss)
    assert task.loss[1] == 0.0
    assert task.loss[2] == 1.0
    cuts = task.separate(np.zeros(3), "each")
    assert cuts.loss.tolist() == [1.0]
    assert cuts.weights.toarray().tolist() == [[0, 1, -1]]


def test_a_given_truth_and_ties():
    example = np.array([0, 0, 1, 1, 1])
    loss = np.array([0.5, 0.5, 0.2, 0.1, 0.1])
    assert CandidateTask(np.ones((5, 1)), example, loss)._truth.tolist() == [0, 3]
    task = CandidateTask(np.ones((5, 1)), example, loss, truth=[1, 4])
    assert task.loss.tolist() == [0.5, 0.0, 0.2, 0.1, 0.0]
    assert loss.tolist() == [0.5, 0.5, 0.2, 0.1, 0.1]
    assert task.decode(np.array([1.0, 1.0, 0.0, 3.0, 3.0])).tolist() == [0, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"example": [0, 0, 1]}, "example has shape"),
        ({"example": [1, 1, 2, 2]}, "ascend from 0"),
        ({"example": [0, 1, 0, 1]}, "ascend from 0"),
        ({"example": [0, 0, 2, 2]}, "ascend from 0"),
        ({"loss": [0, 1, 1]}, "loss must be"),
        ({"loss": [0, -1, 1, 0]}, "loss must be"),
        ({"loss": [0, np.nan, 1, 0]}, "loss must be"),
        ({"truth": [0, 1]}, "truth must hold one row per example"),
        ({"truth": [0]}, "truth must hold one row per example"),
        ({"truth": [0, 4]}, "truth must hold one row per example"),
        ({"truth": [-1, 3]}, "truth must hold one row per example"),
        ({"sample_weight": [1, 2, 3, 4]}, "sample_weight"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    good = {"example": [0, 0, 1, 1], "loss": [0.0, 1.0, 1.0, 0.0]}
    with pytest.raises(ValueError, match=message):
        CandidateTask(np.ones((4, 1)), **{**good, **arguments})


def test_prediction_needs_no_losses():
    task = CandidateTask(np.ones((2, 1)), np.array([0, 0]), None)
    assert task.decode(np.array([0.0, 1.0])).tolist() == [1]
    with pytest.raises(ValueError, match="no losses"):
        task.separate(np.zeros(2), "one")
