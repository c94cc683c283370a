"""Trees for several classes: compiled growth equals plain growth, and learning helps."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss

from segboost.boosting import BoosterSettings
from segboost.boosting.class_trees import boost_classes, grow_tree_by_partition, split_shares
from segboost.boosting.growing import grow_tree
from segboost.weak.binning import bin_features

SETTINGS = BoosterSettings(
    n_trees=12, depth=3, row_share=0.8, n_columns=3, l2=1.0, min_curvature=0.5
)


@pytest.mark.parametrize("seed", range(4))
def test_the_compiled_tree_is_the_plain_one(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(150, 5)), 1 + seed % 3)
    X[:, 4] = 7.0
    gradient, curvature = rng.normal(size=150), rng.uniform(0.1, 0.25, 150)
    rows = np.sort(rng.permutation(150)[:120])
    chosen = np.array([0, 2, 3, 4])
    binned = bin_features(X, 64)
    settings = BoosterSettings(depth=4, l2=1.0, min_curvature=1.0)
    given = gradient[rows], curvature[rows], settings
    fast = grow_tree_by_partition(binned, rows, chosen, *given)
    plain = grow_tree(binned.codes, rows, chosen, *given)
    np.testing.assert_array_equal(fast.feature, plain.feature)
    np.testing.assert_array_equal(fast.cut, plain.cut)
    np.testing.assert_allclose(fast.value, plain.value, atol=1e-12)
    assert (fast.feature >= 0).sum() > 3


@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_of_new_rows_beat_the_class_shares(k):
    X, y = load_iris(return_X_y=True)
    X, y = X[150 - 50 * k :], y[150 - 50 * k :] - (3 - k)
    binned = bin_features(X[::2], 64)
    n = len(X[::2])
    found = boost_classes(binned, y[::2], k, np.ones(n), SETTINGS, np.random.default_rng(0))
    assert len(found) == (1 if k == 2 else k)
    scores = np.column_stack([b.decision_function(X[1::2]) for b in found])
    scores = np.column_stack([np.zeros(len(scores)), scores]) if k == 2 else scores
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert log_loss(y[1::2], p / p.sum(axis=1, keepdims=True)) < 0.6 * np.log(k)


def test_a_class_whose_rows_have_zero_weight_is_never_predicted():
    X, y = load_iris(return_X_y=True)
    weight = 1.5 * (y > 0)
    found = boost_classes(bin_features(X), y, 3, weight, SETTINGS, np.random.default_rng(0))
    scores = np.column_stack([b.decision_function(X) for b in found])
    assert np.isfinite(scores).all()
    assert set(scores.argmax(axis=1)) == {1, 2}


def test_shares_count_the_splits():
    X, y = load_iris(return_X_y=True)
    binned = bin_features(X, 64)
    found = boost_classes(binned, y, 3, np.ones(150), SETTINGS, np.random.default_rng(0))
    shares = split_shares(found, 5)
    used = found[1].feature[found[1].feature >= 0]
    np.testing.assert_allclose(shares[1, 2], np.mean(used == 2))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares[:, 4] == 0).all()
