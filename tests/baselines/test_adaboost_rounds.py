"""The fused boosting rounds against their NumPy twins and the textbook algorithm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from segboost.baselines import boosting_rounds
from segboost.baselines.boosting_rounds import boost, boost_numpy
from segboost.baselines.mh_rounds import boost_votes, boost_votes_numpy
from segboost.weak.binning import bin_features


def noisy(seed: int, n: int = 300, d: int = 7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, d)).astype(np.float32)
    margin = features @ rng.standard_normal(d) + rng.standard_normal(n)
    return features, np.where(margin > 0, 1.0, -1.0)


def assert_same_stumps(a, b) -> None:
    for name in ("feature", "cut", "polarity"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    np.testing.assert_allclose(a.alpha, b.alpha, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(a.error, b.error, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_kernel_equals_twin(seed, rate):
    features, y = noisy(seed)
    weights = y * np.random.default_rng(seed).random(y.size)
    binned = bin_features(features, 64)
    assert_same_stumps(boost(binned, weights, 300, rate), boost_numpy(binned, weights, 300, rate))


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_kernel_equals_twin_with_ties(data):
    n, d = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 5))
    features = data.draw(arrays(np.float64, (n, d), elements=st.integers(0, 2)))
    y = data.draw(arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    binned = bin_features(features)
    assert_same_stumps(boost(binned, y, 10), boost_numpy(binned, y, 10))


def test_histograms_stay_accurate_under_extreme_reweighting():
    """Small weighted errors give large factors, whose rounding errors must not accumulate."""
    features, y = noisy(9, n=400, d=5)
    y = np.where(features[:, 0] > 0, 1.0, -1.0)
    y[:3] *= -1  # three rows that no stump explains
    binned = bin_features(features, 255)
    assert_same_stumps(boost(binned, y, 200), boost_numpy(binned, y, 200))


def textbook(features, y, n_rounds):
    """Freund and Schapire's AdaBoost, by enumeration."""
    w = np.full(y.size, 1 / y.size)
    candidates = [np.ones(y.size)]
    for f in range(features.shape[1]):
        for t in np.unique(features[:, f])[:-1]:
            candidates.append(np.where(features[:, f] > t, 1.0, -1.0))
    candidates = np.array([s * c for c in candidates for s in (1, -1)])
    total, stages = np.zeros(y.size), []
    for _ in range(n_rounds):
        errors = (candidates != y) @ w
        h, error = candidates[np.argmin(np.round(errors, 12))], errors.min()
        alpha = 0.5 * math.log((1 - error) / error)
        w = w * np.exp(-alpha * y * h)
        w /= w.sum()
        total = total + alpha * h
        stages.append((error, total))
    return stages


def test_equals_textbook_round_by_round():
    features, y = noisy(3, n=60, d=3)
    binned = bin_features(features)
    rounds = boost(binned, y, 40)
    total = np.zeros(y.size)
    for t, (error, expected) in enumerate(textbook(features, y, 40)):
        above = binned.codes[rounds.feature[t]] > rounds.cut[t]
        total = total + rounds.alpha[t] * rounds.polarity[t] * np.where(above, 1.0, -1.0)
        assert rounds.error[t] == pytest.approx(error, rel=1e-9)
        np.testing.assert_allclose(total, expected, rtol=1e-8, atol=1e-10)


def test_perfect_stump_ends_the_fit():
    binned = bin_features(np.arange(6.0)[:, None])
    rounds = boost(binned, np.where(np.arange(6) < 2, -1.0, 1.0), 50)
    assert rounds.cut.tolist() == [1]
    assert rounds.error.tolist() == [0.0]
    assert 1 < rounds.alpha[0] < 20


def test_no_stump_better_than_chance():
    binned = bin_features(np.zeros((4, 2)))
    assert boost(binned, np.array([1.0, -1.0, 1.0, -1.0]), 5).alpha.size == 0


def test_splitting_the_kernel_calls_gives_the_same_rounds(monkeypatch):
    features, y = noisy(4)
    binned = bin_features(features)
    whole = boost(binned, y, 50)
    monkeypatch.setattr(boosting_rounds, "_UPDATES_PER_CALL", 1)
    assert_same_stumps(boost(binned, y, 50), whole)


def test_weights_are_not_changed():
    features, y = noisy(5)
    binned, votes = bin_features(features), y[:, None] * [1.0, -1.0]
    for learn, weights in ((boost, y), (boost_votes, votes)):
        before = weights.copy()
        assert learn(binned, weights, 5).alpha.size == 5
        np.testing.assert_array_equal(weights, before)


@pytest.mark.parametrize("k", [2, 3, 8, 10])
def test_vote_kernel_equals_twin(k):
    rng = np.random.default_rng(k)
    features = rng.standard_normal((150, 5))
    labels = np.argmax(features @ rng.standard_normal((5, k)) + rng.random((150, k)), axis=1)
    signed = np.where(labels[:, None] == np.arange(k), 1.0, -1.0) * rng.random((150, 1))
    binned = bin_features(features, 32)
    fast, plain = boost_votes(binned, signed, 60), boost_votes_numpy(binned, signed, 60)
    for name in ("feature", "cut", "votes"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(plain, name))
    np.testing.assert_allclose(fast.alpha, plain.alpha, rtol=1e-9)
    np.testing.assert_allclose(fast.error, plain.error, rtol=1e-9)


def test_votes_with_one_column_are_adaboost():
    """With one column AdaBoost.MH is discrete AdaBoost; the votes are the polarities."""
    features, y = noisy(6)
    binned = bin_features(features)
    votes, rounds = boost_votes(binned, y[:, None], 80), boost(binned, y, 80)
    np.testing.assert_array_equal(votes.feature, rounds.feature)
    np.testing.assert_array_equal(votes.cut, rounds.cut)
    np.testing.assert_array_equal(votes.votes[:, 0], rounds.polarity)
    np.testing.assert_allclose(votes.alpha, rounds.alpha, rtol=1e-9)
