"""Scores of segmentations against direct counting and scikit-learn."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from segboost.pipelines.segmentation.metrics.precision_recall import ScoreHistogram
from segboost.pipelines.segmentation.metrics.scores import (
    SegmentationEvaluation,
    SegmentationScores,
    region_counts,
)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def images(seed=0, n=5, levels=None):
    """Yield predictions, masks with void and scores that correlate with the mask."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        shape = tuple(rng.integers(5, 30, 2))
        truth = rng.choice([0, 1, 255], shape, p=[0.6, 0.3, 0.1]).astype(np.uint8)
        score = rng.normal(0, 1, shape) + (truth == 1)
        if levels:
            score = np.round(score * levels) / levels
        yield (score > 0.4).astype(np.uint8), truth, score


def direct(pairs):
    """Return the scores from all pixels at once, straight from the definitions."""
    prediction = np.concatenate([p[t != 255] for p, t, _ in pairs]).astype(bool)
    truth = np.concatenate([t[t != 255] for _, t, _ in pairs]).astype(bool)
    iou = [(a & b).sum() / (a | b).sum() for a, b in [(prediction, truth), (~prediction, ~truth)]]
    recall = [(a & b).sum() / b.sum() for a, b in [(prediction, truth), (~prediction, ~truth)]]
    return [np.mean(iou), *iou, np.mean(recall), *recall]


def pixels(pairs):
    truth = np.concatenate([t[t != 255] for _, t, _ in pairs])
    score = np.concatenate([s[t != 255] for _, t, s in pairs])
    return truth, score


def evaluated(pairs):
    evaluation = SegmentationEvaluation()
    each = [evaluation.add(*pair) for pair in pairs]
    return evaluation, each


def values(scores):
    return list(scores.to_dict().values())


def test_the_names_of_the_scores_are_fixed():
    evaluation, _ = evaluated(images())
    assert list(evaluation.result().to_dict()) == [
        "mean_iou", "iou_foreground", "iou_background",
        "mean_recall", "recall_foreground", "recall_background",
        "break_even", "n_images", "accuracy",
    ]  # fmt: skip


def test_counts_by_hand():
    truth = [[1, 1, 1, 0], [0, 0, 255, 255]]
    prediction = [[1, 1, 0, 1], [0, 0, 1, 0]]
    scores = SegmentationEvaluation().add(prediction, truth)
    assert scores.iou_foreground == 2 / 4
    assert scores.iou_background == 2 / 4
    assert scores.recall_foreground == 2 / 3
    assert scores.recall_background == 2 / 3
    assert math.isnan(scores.break_even)
    assert scores.n_images == 1


def test_all_pixels_and_each_image_equal_direct_counting():
    pairs = list(images())
    evaluation, each = evaluated(pairs)
    np.testing.assert_allclose(values(evaluation.result())[:6], direct(pairs), rtol=1e-14)
    assert evaluation.result().n_images == len(pairs)
    for own, pair in zip(each, pairs, strict=True):
        np.testing.assert_allclose(values(own)[:6], direct([pair]), rtol=1e-14)
    assert np.mean([s.mean_iou for s in each]) != evaluation.result().mean_iou


@pytest.mark.parametrize("levels", [None, 8, 2])
def test_curve_equals_scikit_learn(levels):
    pairs = list(images(1, levels=levels))
    curve = evaluated(pairs)[0].curve()
    precision, recall, threshold = precision_recall_curve(*pixels(pairs))
    np.testing.assert_array_equal(curve.threshold, threshold[::-1])
    np.testing.assert_allclose(curve.precision, precision[-2::-1], rtol=1e-14)
    np.testing.assert_allclose(curve.recall, recall[-2::-1], rtol=1e-14)


def test_break_even_is_where_scikit_learns_curve_crosses():
    pairs = list(images(2))
    precision, recall, _ = precision_recall_curve(*pixels(pairs))
    (crossing,) = precision[(precision == recall) & (recall > 0)]
    assert evaluated(pairs)[0].result().break_even == pytest.approx(crossing, rel=1e-14)


@given(st.integers(0, 10**6), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_break_even_within_ties_is_the_mean_over_their_orders(seed, levels):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 12)
    truth[0] = 1
    score = rng.integers(0, levels, 12).astype(float)
    histogram = ScoreHistogram()
    histogram.add(score, truth, 1 - truth)
    n = truth.sum()
    # The P highest scores, each pixel of the last block with its chance to be among them.
    cut = np.sort(score)[::-1][n - 1]
    chance = (n - (score > cut).sum()) / (score == cut).sum()
    expected = (truth[score > cut].sum() + chance * truth[score == cut].sum()) / n
    assert histogram.curve().break_even == pytest.approx(expected)


def test_break_even_of_perfect_constant_and_opposite_scores():
    truth = np.array([[1, 1, 0, 0, 0, 0, 0, 0]])
    for score, expected in ((truth, 1.0), (0 * truth, 0.25), (-truth, 0.0)):
        assert SegmentationEvaluation().add(truth, truth, score).break_even == expected


def test_break_even_lies_between_the_points_around_it():
    histogram = ScoreHistogram()
    histogram.add([3.0, 2.0, 1.0], [2, 3, 1], [1, 3, 90])
    curve = histogram.curve()
    assert curve.precision.tolist() == [2 / 3, 5 / 9, 6 / 100]
    assert curve.recall.tolist() == [2 / 6, 5 / 6, 1.0]
    assert curve.break_even == pytest.approx((2 + 3 * 3 / 6) / 6)


def test_regions_and_pixels_give_the_same():
    rng = np.random.default_rng(3)
    by_pixel, by_region = SegmentationEvaluation(), SegmentationEvaluation()
    for _, truth, _ in images(3):
        regions = rng.integers(0, 7, truth.shape)
        score = rng.normal(size=regions.max() + 1)
        labels = (score > 0).astype(int)
        one = by_pixel.add(labels[regions], truth, score[regions])
        two = by_region.add_regions(labels, *region_counts(regions, truth), score)
        assert one == two
    assert by_pixel.result() == by_region.result()


def test_region_counts_leave_void_out_and_keep_empty_regions():
    foreground, background = region_counts([[0, 0, 1], [1, 1, 2]], [[1, 0, 1], [1, 255, 255]])
    assert foreground.tolist() == [1, 2, 0]
    assert background.tolist() == [1, 0, 0]


def test_void_pixels_are_not_counted():
    (_, truth, score), *_ = images(4)
    one = SegmentationEvaluation().add(score > 0, truth, score)
    changed = np.where(truth == 255, -score + 5, score)
    assert SegmentationEvaluation().add(changed > 0, truth, changed) == one


def test_order_and_merging_of_parts_do_not_matter():
    pairs = list(images(5, n=9, levels=16))
    whole, _ = evaluated(pairs)
    parts = [evaluated(pairs[k::3])[0] for k in (2, 0, 1)]
    joined = SegmentationEvaluation()
    for part in parts:
        joined.update(part)
    joined.update(SegmentationEvaluation())
    assert joined.result() == whole.result()
    for one, other in zip(joined._histogram.counts(), whole._histogram.counts(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_memory_depends_on_distinct_scores_only():
    histogram = ScoreHistogram()
    for _ in range(200):
        histogram.add(np.arange(50), np.ones(50), np.ones(50))
        held = histogram._score.size + sum(part[0].size for part in histogram._waiting)
        assert held <= 150
    assert histogram.counts()[1].tolist() == [200] * 50


def test_no_foreground_anywhere():
    scores = SegmentationEvaluation().add([[0, 0]], [[0, 0]], [[0.1, 0.2]])
    assert math.isnan(scores.iou_foreground)
    assert math.isnan(scores.recall_foreground)
    assert math.isnan(scores.break_even)
    assert scores.mean_iou == scores.iou_background == scores.mean_recall == 1.0
    wrong = SegmentationEvaluation().add([[0, 1]], [[0, 0]], [[0.1, 0.2]])
    assert wrong.iou_foreground == 0.0
    assert wrong.mean_iou == 0.25


def test_foreground_only_void_only_and_no_images():
    full = SegmentationEvaluation().add([[1, 1]], [[1, 1]], [[0.1, 0.2]])
    assert (full.mean_iou, full.break_even) == (1.0, 1.0)
    assert math.isnan(full.recall_background)
    void = SegmentationEvaluation().add([[1, 1]], [[255, 255]], [[0.1, 0.2]])
    empty = SegmentationEvaluation().result()
    for scores, n in ((void, 1), (empty, 0)):
        assert set(values(scores)[:7]) == {None}
        assert scores.n_images == n
    assert np.isnan(ScoreHistogram().curve().recall).all()


def test_scores_survive_json():
    for pairs in ([], list(images())):
        scores = evaluated(pairs)[0].result()
        text = json.dumps(scores.to_dict(), allow_nan=False)
        assert SegmentationScores.from_dict(json.loads(text)).to_dict() == scores.to_dict()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 2]], [[0, 1]]), "prediction must be 0 or 1"),
        (([[0, 1]], [[0, 128]]), "got 128"),
        (([[0, 1]], [[0], [1]]), "expected"),
        (([[0, 1]], [[0, 1]], [0.1, 0.2]), "score has shape"),
        (([[0, 1]], [[0, 1]], [[0.1, np.nan]]), "NaN"),
    ],
)
def test_odd_input_is_named_and_leaves_the_evaluation_as_it_was(arguments, message):
    evaluation = SegmentationEvaluation()
    with pytest.raises(ValueError, match=message):
        evaluation.add(*arguments)
    assert evaluation.n_images == 0
    assert evaluation.counts == SegmentationEvaluation().counts


def test_scores_come_for_every_image_or_for_none():
    evaluation = SegmentationEvaluation()
    evaluation.add([[0, 1]], [[0, 1]])
    with pytest.raises(ValueError, match="every image or for none"):
        evaluation.add([[0, 1]], [[0, 1]], [[0, 1]])
    scored, _ = evaluated(images())
    with pytest.raises(ValueError, match="the other has none"):
        scored.update(evaluation)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="negative"):
        ScoreHistogram().add([0.0], [-1], [1])
    with pytest.raises(ValueError, match="negative"):
        SegmentationEvaluation().add_regions([0], [1], [-1])
