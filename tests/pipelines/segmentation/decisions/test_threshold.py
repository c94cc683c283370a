import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segboost.pipelines.segmentation.decisions.threshold import best_threshold


def mean_iou(scores, foreground, background, threshold):
    called = scores > threshold
    found, wrong = foreground[called].sum(), background[called].sum()
    missed, right = foreground[~called].sum(), background[~called].sum()
    return (found / (found + missed + wrong) + right / (right + missed + wrong)) / 2


@given(st.integers(0, 10_000), st.integers(2, 30))
def test_no_threshold_is_better(seed, n):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=n), 1)
    foreground, background = rng.integers(0, 9, (2, n)) + np.eye(2, n, dtype=int)
    threshold = best_threshold([(scores, foreground, background)])
    reached = mean_iou(scores, foreground, background, threshold)
    for threshold in [*scores, scores.min() - 1, 0.0]:
        assert reached >= mean_iou(scores, foreground, background, threshold) - 1e-12


def test_the_offset_is_zero_if_nothing_is_better():
    scores, counts = np.array([-1.0, 2.0]), np.array([0, 5])
    assert best_threshold([(scores, counts, counts[::-1])]) == 0.0


def test_images_count_together():
    rng = np.random.default_rng(0)
    parts = [(rng.normal(0.5, 1, 40), *rng.integers(0, 9, (2, 40))) for _ in range(3)]
    joined = [tuple(np.concatenate(column) for column in zip(*parts, strict=True))]
    assert best_threshold(parts) == pytest.approx(best_threshold(joined))


def test_the_offset_of_a_single_class_is_zero():
    scores = np.array([0.3, 0.7])
    assert best_threshold([(scores, np.array([0, 0]), np.array([3, 4]))]) == 0.0
