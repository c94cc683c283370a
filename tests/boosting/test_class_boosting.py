"""Boosted trees of several classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from segboost.boosting.class_ensemble import ClassBooster
from segboost.boosting.class_growing import (
    BINS,
    Search,
    add_sums_by_node,
    add_sums_by_node_numpy,
    best_class_cuts,
    boost_class_trees,
    grow_class_tree,
)
from segboost.boosting.settings import BoosterSettings

SMALL = BoosterSettings(
    n_trees=30, depth=3, learning_rate=0.3, row_share=1.0, n_columns=99, l2=1.0, min_curvature=1.0
)


def problem(n=400, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    scores = np.column_stack([X[:, k] * X[:, (k + 1) % 5] + X[:, k] for k in range(n_classes)])
    return X, scores.argmax(axis=1)


def test_the_histogram_kernel_equals_its_numpy_twin():
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 256, (6, 50), dtype=np.uint8)
    chosen, shift = np.array([0, 3, 5]), np.array([2, 2, 2])
    rows, node = np.arange(0, 50, 2), rng.integers(0, 4, 25)
    sums = rng.normal(size=(25, 4))
    found, expected = np.zeros((2, 3, 4, BINS, 4))
    add_sums_by_node(columns, chosen, shift, rows, node, sums, found)
    add_sums_by_node_numpy(columns, chosen, shift, rows, node, sums, expected)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_best_cut_equals_a_search_of_all_cuts():
    rng = np.random.default_rng(1)
    histogram = rng.normal(size=(3, 2, BINS, 4))
    histogram[..., -1] = np.abs(histogram[..., -1])
    total = histogram[0].sum(axis=1)
    histogram *= (total / histogram.sum(axis=2))[:, :, None]  # the same sum for every column
    best, left = best_class_cuts(histogram, total, 0.5, 2.0)
    for node in range(2):
        gains = {}
        for column in range(3):
            for cut in range(BINS - 1):
                low = histogram[column, node, : cut + 1].sum(axis=0)
                high = total[node] - low
                if min(low[-1], high[-1]) >= 2.0:
                    gains[column, cut] = sum(
                        (part[:-1] ** 2).sum() / (part[-1] + 0.5) for part in (low, high)
                    )
        expected = max(gains, key=gains.get)
        assert tuple(best[node]) == expected
        np.testing.assert_allclose(
            left[node], histogram[expected[0], node, : expected[1] + 1].sum(axis=0)
        )


def test_leaves_take_a_newton_step_for_each_class():
    rng = np.random.default_rng(2)
    columns = rng.integers(0, 40, (2, 60), dtype=np.uint8)
    labels = (columns[0] > 20).astype(np.int64)
    p = softmax(rng.normal(size=(60, 3)), axis=1)
    weight = np.full(60, 0.5)
    search = Search(columns, np.arange(60), np.arange(2), np.zeros(2, np.int64))
    settings = BoosterSettings(depth=1, learning_rate=0.1, l2=1.0, min_curvature=0.1)
    tree = grow_class_tree(search, p, labels, weight, settings)
    left = columns[tree.feature[0]] <= tree.cut[0]
    gradient = weight[:, None] * (p - np.eye(3)[labels])
    curvature = weight[:, None] * p * (1 - p)
    for node, rows in ((1, left), (2, ~left)):
        step = -0.1 * gradient[rows].sum(axis=0) / (curvature[rows].sum(axis=0) + 1.0)
        np.testing.assert_allclose(tree.value[node], step)


def test_training_lowers_the_loss_and_new_rows_are_classified():
    X, y = problem(800)
    losses = []
    for n_trees in (1, 10, 60):
        settings = BoosterSettings(n_trees, 3, 0.3, 1.0, 99, 1.0, 1.0)
        model = ClassBooster.fit(X[:500], y[:500], 3, settings=settings)
        log_p = model.log_probabilities(X[:500])
        losses.append(-log_p[np.arange(500), y[:500]].mean())
    assert losses[0] > losses[1] > losses[2]
    assert (model.decision_function(X[500:]).argmax(axis=1) == y[500:]).mean() > 0.85


def test_prediction_walks_the_grown_trees():
    X, y = problem(200)
    codes = np.ascontiguousarray(np.clip((X * 30 + 128), 0, 255).astype(np.uint8).T)
    weight = np.ones(200)
    baseline, trees = boost_class_trees(
        codes, np.arange(200), y, 3, weight, SMALL, np.random.default_rng(0)
    )
    thresholds = np.tile(np.arange(255.0), (5, 1))
    model = ClassBooster.from_trees(baseline, trees, thresholds)
    expected = np.tile(baseline, (200, 1))
    for tree in trees:
        for row in range(200):
            k = 0
            while tree.feature[k] >= 0:
                k = 2 * k + (2 if codes[tree.feature[k], row] > tree.cut[k] else 1)
            expected[row] += tree.value[k].astype(np.float32)
    np.testing.assert_allclose(model.decision_function(codes.T.astype(np.float32)), expected)


def test_columns_of_few_values_can_be_split():
    X = np.random.default_rng(3).integers(0, 2, (300, 2)).astype(float)
    y = (X[:, 0] + 2 * X[:, 1]).astype(int)
    model = ClassBooster.fit(X, y, 4, settings=SMALL)
    assert (model.decision_function(X).argmax(axis=1) == y).all()


def test_permuting_the_classes_permutes_the_scores():
    X, y = problem(300)
    order = np.array([2, 0, 1])
    one = ClassBooster.fit(X, y, 3, settings=SMALL, seed=5)
    other = ClassBooster.fit(X, order[y], 3, settings=SMALL, seed=5)
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(X)[:, order], atol=1e-4
    )


def test_a_class_without_examples_is_never_likely():
    X, y = problem(200)
    model = ClassBooster.fit(X, y, 5, settings=SMALL)
    assert model.log_probabilities(X)[:, 3:].max() < -5


def test_log_probabilities_are_normalised():
    X, y = problem(100)
    model = ClassBooster.fit(X, y, 3, settings=SMALL)
    np.testing.assert_allclose(
        model.log_probabilities(X), log_softmax(model.decision_function(X), axis=1)
    )


def test_arrays_restore_the_booster_and_damage_is_refused():
    X, y = problem(100)
    model = ClassBooster.fit(X, y, 3, settings=SMALL)
    arrays = model.to_arrays()
    again = ClassBooster.from_arrays(arrays)
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
    feature = arrays["feature"].copy()
    feature[0, -1] = 0
    damaged = [
        {"feature": feature},
        {"n_features": np.array(1)},
        {"value": arrays["value"][:, :, :2]},
        {"threshold": arrays["threshold"][:, :-1]},
    ]
    for change in damaged:
        with pytest.raises(ValueError, match="damaged"):
            ClassBooster.from_arrays({**arrays, **change})
