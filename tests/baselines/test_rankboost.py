from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from segboost.baselines import RankBoost, rank_rounds
from segboost.baselines.rank_rounds import (
    boost_ranks,
    boost_ranks_numpy,
    ordered_share,
    pair_weights,
)
from segboost.weak.binning import bin_features


@parametrize_with_checks([RankBoost(20)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def ranked(seed: int, n_levels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((80, 4))
    order = features @ [1.0, 2.0, -1.0, 0.0] + rng.standard_normal(80)
    level = np.searchsorted(np.quantile(order, np.arange(1, n_levels) / n_levels), order)
    return features, level, rng.random(80) + 0.1


@pytest.mark.parametrize("n_levels", [2, 3, 5])
def test_pair_weights_equal_the_double_loop(n_levels):
    _, level, weights = ranked(0, n_levels)
    scores = 3 * np.random.default_rng(1).standard_normal(80)
    expected, total = np.zeros(80), 0.0
    for i in range(80):
        for j in range(80):
            if level[i] < level[j]:
                pair = weights[i] * weights[j] * np.exp(scores[i] - scores[j])
                expected[j] += pair
                expected[i] -= pair
                total += pair
    np.testing.assert_allclose(pair_weights(scores, level, weights), expected / total, atol=1e-13)


@pytest.mark.parametrize("n_levels", [2, 4])
def test_kernel_equals_twin_with_all_pairs(n_levels):
    features, level, weights = ranked(2, n_levels)
    binned = bin_features(features, 32)
    fast = boost_ranks(binned, level, weights, 60)
    plain = boost_ranks_numpy(binned, level, weights, 60)
    for name in ("feature", "cut", "polarity"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(plain, name))
    np.testing.assert_allclose(fast.alpha, plain.alpha, rtol=1e-8)
    np.testing.assert_allclose(fast.error, plain.error, rtol=1e-8)


def test_first_round_by_hand():
    """One negative above a positive: the best stump orders two pairs and ties two."""
    model = RankBoost(1).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    assert model.stumps_.threshold.tolist() == [0.5]
    r = 0.5  # pairs (0,1), (0,3) gain; (2,1), (2,3) tie
    np.testing.assert_allclose(model.estimator_weights_, [0.5 * np.log((1 + r) / (1 - r))])


def test_loss_falls_by_the_promised_factor():
    """Every round multiplies Σ exp(F_i − F_j) by at most √(1 − r²)."""
    features, level, _ = ranked(3, 2)
    model = RankBoost(40).fit(features, level)
    scores = [np.zeros(80), *model.staged_decision_function(features)]
    loss = np.array([np.exp(s[level == 0][:, None] - s[level == 1]).mean() for s in scores])
    r = np.tanh(model.estimator_weights_)
    assert (loss[1:] <= loss[:-1] * np.sqrt(1 - r**2) * (1 + 1e-9)).all()


def test_orders_real_data():
    X, y = load_breast_cancer(return_X_y=True)
    model = RankBoost(100).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.985
    assert model.score(X[1::2], y[1::2]) == pytest.approx(
        roc_auc_score(y[1::2], model.predict(X[1::2]))
    )
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(list(model.staged_predict(X[:5]))[-1], model.predict(X[:5]))


def test_several_levels_and_names():
    features, level, _ = ranked(4, 4)
    model = RankBoost(100).fit(features, level)
    assert model.score(features, level) > 0.9
    named = RankBoost(100).fit(features, np.array(["a", "b", "c", "d"])[level])
    np.testing.assert_array_equal(named.predict(features), model.predict(features))


def test_ordered_share_equals_the_double_loop():
    rng = np.random.default_rng(5)
    scores, level = rng.integers(0, 6, 40).astype(float), rng.integers(0, 3, 40)
    pairs = [(i, j) for i in range(40) for j in range(40) if level[i] < level[j]]
    right = sum((scores[i] < scores[j]) + 0.5 * (scores[i] == scores[j]) for i, j in pairs)
    assert ordered_share(scores, level) == pytest.approx(right / len(pairs))
    with pytest.raises(ValueError, match="one class"):
        ordered_share(scores, np.zeros(40))


def test_perfect_order_stays_finite():
    model = RankBoost(50).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    assert model.n_estimators_ == 1
    assert np.isfinite(model.predict([[0.0], [5.0]])).all()
    assert model.score([[0.0], [1.0], [2.0]], [0, 1, 1]) == 1.0


def test_long_training_does_not_overflow():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((60, 3))
    y = (X.sum(axis=1) > 0).astype(int)
    model = RankBoost(2000).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert model.score(X, y) == 1.0


def test_interrupt_leaves_a_model(monkeypatch, caplog):
    function, count = rank_rounds.pair_weights, iter(range(3))

    def interrupted(*args):
        if next(count, None) is None:
            raise KeyboardInterrupt
        return function(*args)

    monkeypatch.setattr(rank_rounds, "pair_weights", interrupted)
    features, level, _ = ranked(7, 2)
    model = RankBoost(100).fit(features, level)
    assert model.n_estimators_ == 3
    assert model.score(features, level) > 0.7
    assert "interrupted" in caplog.text


def test_degenerate_input():
    with pytest.raises(ValueError, match="only one class"):
        RankBoost().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ValueError, match="NaN"):
        RankBoost().fit([[np.nan], [1.0]], [0, 1])
    useless = RankBoost().fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert useless.n_estimators_ == 0
    assert useless.score(np.zeros((4, 2)), [0, 1, 0, 1]) == 0.5
