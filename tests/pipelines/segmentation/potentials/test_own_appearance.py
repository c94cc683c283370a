from __future__ import annotations

import numpy as np

from segboost.pipelines.segmentation.potentials.own_appearance import own_model_scores


def test_superpixels_that_look_like_the_foreground_score_positive():
    histograms = np.array([[9, 1], [9, 1], [1, 9], [1, 9], [9, 1], [1, 9]], dtype=np.uint8)
    score = np.array([4.0, 4.0, -4.0, -4.0, 0.0, 0.0])
    found = own_model_scores(histograms, score, np.ones(6))
    assert (found[[0, 1, 4]] > 0).all()
    assert (found[[2, 3, 5]] < 0).all()


def test_a_superpixel_that_is_left_out_does_not_count_itself():
    """The only superpixel of its kind, taken for foreground by mistake."""
    histograms = np.eye(3)[[0, 0, 1, 1, 2]]
    score = np.array([5.0, 5.0, -5.0, -5.0, 5.0])
    together, apart = own_model_scores(histograms, score, np.ones(5)).T
    assert together[4] > 3
    assert abs(apart[4]) < 1e-6


def test_equals_sums_by_hand():
    rng = np.random.default_rng(0)
    x = rng.random((5, 4))
    score, area = rng.normal(size=5), rng.integers(1, 9, 5)
    x_normal = x / x.sum(axis=1, keepdims=True)
    p = area / (1 + np.exp(-score))
    q = area - p
    for i in range(5):
        others = np.arange(5) != i
        for column, rows in ((0, np.ones(5, bool)), (1, others)):
            f = (p[rows, None] * x_normal[rows]).sum(axis=0)
            b = (q[rows, None] * x_normal[rows]).sum(axis=0)
            ratio = np.log(f / f.sum() + 2.5e-4) - np.log(b / b.sum() + 2.5e-4)
            found = own_model_scores(x, score, area)[i, column]
            np.testing.assert_allclose(found, x_normal[i] @ ratio, rtol=1e-9)


def test_empty_histograms_and_extreme_scores_stay_finite():
    found = own_model_scores(np.zeros((3, 4)), np.array([1e6, -1e6, 0.0]), np.ones(3))
    assert np.isfinite(found).all()
