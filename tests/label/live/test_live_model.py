"""The live model: optimum, warm start, interruption and smoothing."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from segboost.label.live import fitting
from segboost.label.live.fitting import (
    BALANCED,
    CONTRAST,
    SMOOTHNESS,
    fit_painted,
    probabilities,
    smooth,
)
from segboost.label.live.linear_model import (
    C,
    Standard,
    fit_linear,
    log_softmax,
)
from segboost.label.live.offering import offer_gain, similarity
from segboost.label.live.painted import DescribedImage, RecentCache, class_counts, painted_rows
from segboost.label.project import label_config
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.crf.fixed_crf import smoothed_scores

CELL = 6


def grid_image(rows=6, columns=8, contrast=0.0, seed=0):
    """Return an image of square superpixels and its right half, which differs in feature 0."""
    number = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    superpixels = np.kron(number, np.ones((CELL, CELL), np.int32))
    across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    down = np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)
    edges = np.concatenate([across, down]).astype(np.int64)
    half = number % columns >= columns // 2
    cut = half.ravel()[edges[:, 0]] != half.ravel()[edges[:, 1]]
    image = SuperpixelImage(
        "grid",
        superpixels,
        np.full(rows * columns, CELL * CELL),
        np.zeros((rows * columns, 2), np.int64),
        edges,
        np.full(len(edges), float(CELL)),
        np.where(cut, contrast, 0.0),
        {},
    )
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows * columns, 5)).astype(np.float32)
    table[:, 0] += 3.0 * half.ravel()
    return DescribedImage(image, table), half


def stroke_mask(half, every=5):
    """Return a mask in which every `every`-th superpixel is painted with its true class."""
    chosen = (np.arange(half.size) % every == 0).reshape(half.shape)
    small = np.where(chosen, half, 255).astype(np.uint8)
    return np.kron(small, np.ones((CELL, CELL), np.uint8))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_fit_equals_that_of_scikit_learn(n_classes):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(90, 4)).astype(np.float32)
    y = rng.integers(0, n_classes, 90)
    weight = rng.uniform(0.5, 2.0, 90)
    plain = Standard(np.zeros(4, np.float32), np.ones(4, np.float32))
    model = fit_linear(x, y, weight, n_classes, plain)
    share = weight * 90 / weight.sum()
    # For two classes scikit-learn has one weight vector, and this model two of half its length.
    scale = 2.0 if n_classes == 2 else 1.0
    known = LogisticRegression(C=C * scale, tol=1e-8, max_iter=1000).fit(x, y, share)
    expected = known.predict_proba(x)
    assert np.abs(np.exp(log_softmax(model.logits(x))) - expected).max() < 2e-3


def test_warm_and_cold_starts_reach_the_same_fit():
    found, half = grid_image()
    other_image, other_half = grid_image(seed=3)
    one = painted_rows(found, stroke_mask(half), 2)
    other = painted_rows(other_image, stroke_mask(other_half, 4), 2)
    cold = fit_painted([one, other], 2)
    warm = fit_painted([one, other], 2, fit_painted([one], 2))
    a, b = cold.logits(found.table), warm.logits(found.table)
    assert np.abs((a - b)[:, 1] - (a - b)[:, 0]).max() < 0.02


def test_a_check_that_raises_ends_the_fit():
    found, half = grid_image()

    def newer():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        fit_painted([painted_rows(found, stroke_mask(half), 2)], 2, None, newer)


def test_rows_are_the_painted_superpixels_and_weigh_by_their_pixels():
    found, half = grid_image()
    mask = np.full(found.image.superpixels.shape, 255, np.uint8)
    mask[0, :CELL] = 0  # six pixels of the first superpixel
    mask[:CELL, CELL : 2 * CELL] = 1
    rows = painted_rows(found, mask, 3)
    assert rows.node.tolist() == [0, 1]
    assert rows.labels.tolist() == [0, 1]
    assert rows.weight.tolist() == pytest.approx([1 / CELL, 1.0])
    assert np.array_equal(rows.table, found.table[:2])
    counts = class_counts(found.image.superpixels, mask, 3, half.size)
    assert counts.sum() == CELL + CELL * CELL


def test_a_rare_class_is_not_lost_with_one_image():
    found, half = grid_image(contrast=50.0)
    mask = stroke_mask(half, 1)
    mask[:, 5 * CELL :] = 255  # one column of the right half is painted, four of the left
    model = fit_painted([painted_rows(found, mask, 2)], 2)
    assert ((model.logits(found.table).argmax(axis=1) == 1) == half.ravel()).mean() > 0.9


def test_smoothing_removes_specks_and_keeps_borders_and_paint():
    found, half = grid_image(contrast=60.0)
    truth = half.ravel()
    logits = np.stack([np.where(truth, -1.0, 1.0), np.where(truth, 1.0, -1.0)], axis=1)
    noisy = logits.copy()
    noisy[[9, 30]] = -0.3 * noisy[[9, 30]]
    assert np.array_equal(smooth(found.image, noisy), truth.astype(int))
    painted = np.zeros((half.size, 2), np.int64)
    painted[9, 1] = CELL * CELL
    kept = smooth(found.image, noisy, painted)
    assert kept[9] == 1
    assert np.array_equal(np.delete(kept, 9), np.delete(truth, 9).astype(int))


def test_classes_that_were_never_painted_are_never_predicted():
    found, half = grid_image()
    logits = np.stack([np.full(half.size, -np.inf), np.ones(half.size), np.zeros(half.size)], 1)
    assert (smooth(found.image, logits) == 1).all()
    share = probabilities(logits)
    assert (share[:, 0] == 0).all()
    assert share.sum(axis=1) == pytest.approx(1.0)


def test_constant_columns_do_no_harm(monkeypatch):
    found, half = grid_image()
    found.table[:, 2] = 7.0
    rows = painted_rows(found, stroke_mask(half), 2)
    monkeypatch.setattr(fitting, "MOST_ROWS", 6)
    assert np.isfinite(fit_painted([rows], 2).coef).all()


def test_a_representative_image_is_offered_before_an_outlier():
    rng = np.random.default_rng(0)
    crowd = rng.normal(size=(8, 6)) + 4.0
    others = rng.normal(size=(4, 6)) - 4.0
    outlier = np.array([[0.0, 9.0, -9.0, 9.0, -9.0, 9.0]])
    means = np.concatenate([crowd, others, outlier]).astype(np.float32)
    unsure = np.array([0.4] * 12 + [0.9])
    painted = np.zeros(13, bool)
    assert np.argmax(offer_gain(means, unsure, painted)) < 8
    painted[0] = True
    gain = offer_gain(means, unsure, painted)
    assert gain[0] == 0
    assert 8 <= np.argmax(gain) < 12
    assert similarity(means[:1]).tolist() == [[1.0]]


def test_the_least_recently_used_entry_is_dropped():
    kept, made = RecentCache(2), []
    for key in (1, 2, 1, 3, 1, 2):
        kept.get(key, lambda key=key: made.append(key) or key)
    assert made == [1, 2, 3, 2]
    assert kept.get(9, lambda: None) is None


def test_the_full_model_of_few_images_smooths_like_the_live_one():
    settings = label_config().linear
    assert (settings.smoothness, settings.contrast) == (SMOOTHNESS, CONTRAST)
    assert settings.regularisation == 2 * C  # for a single weight vector
    assert settings.balanced == BALANCED
    found, half = grid_image(contrast=6.0)
    log_odds = np.random.default_rng(4).normal(np.where(half.ravel() == 1, 1.0, -1.0), 2.0)
    live = smooth(found.image, np.stack([np.zeros_like(log_odds), log_odds], axis=1))
    scores = smoothed_scores(found.image, log_odds, settings)
    assert np.array_equal(scores > 0, live == 1)
    assert not np.array_equal(log_odds > 0, live == 1)
