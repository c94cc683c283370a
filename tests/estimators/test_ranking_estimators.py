"""The ranker's score is the AUC; the ordinal thresholds are optimal."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from segboost import StructBoostOrdinal, StructBoostRanker
from segboost.estimators.ranking import pair_accuracy
from segboost.estimators.thresholds import rank_thresholds
from tests.estimators.tables import table

QUICK = {"C": 20.0, "n_iterations": 8, "random_state": 0}


def test_the_score_is_the_auc():
    X, y = table(0, 80, 2, 2)
    X = X.round()  # ties
    model = StructBoostRanker(**QUICK).fit(X, y)
    scores = model.predict(X)
    assert len(np.unique(scores)) < len(scores)
    assert model.score(X, y) == pytest.approx(roc_auc_score(y, scores), abs=1e-12)
    weight = np.random.default_rng(0).random(80)
    assert model.score(X, y, weight) == pytest.approx(
        roc_auc_score(y, scores, sample_weight=weight), abs=1e-12
    )
    assert model.score(X, y) > 0.8


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)), min_size=2))
@settings(max_examples=200, deadline=None)
def test_pair_accuracy_equals_the_double_loop(rows):
    scores, ranks, weight = (np.array(c) for c in zip(*rows, strict=True))
    pairs = [
        (weight[i] * weight[j], 1.0 if scores[i] > scores[j] else 0.5 * (scores[i] == scores[j]))
        for i, j in itertools.permutations(range(len(rows)), 2)
        if ranks[i] > ranks[j]
    ]
    total = sum(w for w, _ in pairs)
    if total == 0:
        with pytest.raises(ValueError, match="only one rank"):
            pair_accuracy(scores.astype(float), ranks, weight.astype(float))
        return
    expected = sum(w * right for w, right in pairs) / total
    found = pair_accuracy(scores.astype(float), ranks, weight.astype(float))
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("names", [[False, True], ["bad", "good"], [-1, 1], [0.5, 2.5]])
def test_two_names_of_any_type_in_sorted_order(names):
    X, y = table(1, 40, 2)
    model = StructBoostRanker(**QUICK).fit(X, np.array(names)[y])
    plain = StructBoostRanker(**QUICK).fit(X, y)
    assert np.array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, np.array(names)[y]) == plain.score(X, y)


def test_real_targets_are_ordered():
    X, _ = table(2, 50, 2)
    y = X[:, 0] + 0.1 * X[:, 1]
    model = StructBoostRanker(C=100.0, n_iterations=20, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.85


def test_ranker_importances():
    X, y = table(3, 50, 2, 3)
    X[:, 2] = 0.0
    shares = StructBoostRanker(**QUICK).fit(X, y).feature_importances_
    assert shares.sum() == pytest.approx(1.0)
    assert shares[2] == 0.0


def error(thresholds, scores, ranks, weight):
    predicted = (scores[:, None] > np.asarray(thresholds)).sum(axis=1)
    return float((weight * np.abs(predicted - ranks)).sum())


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12
    )
)
@settings(max_examples=200, deadline=None)
def test_thresholds_are_optimal_against_brute_force(rows):
    scores, ranks, weight = (np.array(c) for c in zip(*rows, strict=True))
    scores = scores / 2.0
    found = rank_thresholds(scores, ranks, 3, weight)
    assert found.shape == (2,)
    assert found[0] <= found[1]
    places = np.concatenate([[-np.inf], np.unique(scores) + 0.25, [np.inf]])
    best = min(
        error(pair, scores, ranks, weight)
        for pair in itertools.combinations_with_replacement(places, 2)
    )
    assert error(found, scores, ranks, weight) == pytest.approx(best, abs=1e-9)


def test_scores_that_differ_by_rounding_are_not_told_apart():
    scores = np.array([0.0, 1e-16, 2e-16, 1.0])
    found = rank_thresholds(scores, np.array([0, 1, 0, 1]), 2)
    assert found == pytest.approx([0.5])


def test_the_model_s_thresholds_are_those_of_its_training_scores():
    X, y = table(4, 60, 4, 2)
    weight = np.random.default_rng(1).integers(1, 4, 60)
    model = StructBoostOrdinal(**QUICK).fit(X, y, weight)
    scores = model.score_samples(X)
    assert np.array_equal(model.thresholds_, rank_thresholds(scores, y, 4, weight))
    assert np.array_equal(model.predict(X), (scores[:, None] > model.thresholds_).sum(axis=1))
    for other in (model.thresholds_ + 0.3, model.thresholds_ - 0.3):
        assert error(model.thresholds_, scores, y, weight) <= error(other, scores, y, weight)


def test_two_ranks_order_as_the_ranker_does():
    X, y = table(5, 40, 2)
    ranker = StructBoostRanker(**QUICK).fit(X, y)
    ordinal = StructBoostOrdinal(**QUICK).fit(X, y)
    assert np.array_equal(ranker.predict(X), ordinal.score_samples(X))
