"""The perceptron and the linear SVM."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from segboost.weak.linear import LinearThreshold, Standardised
from segboost.weak.linear_svm import LinearSVM, _hinge_objective, largest_weights
from segboost.weak.perceptron import Perceptron, tanh_objective
from segboost.weak.stump import DecisionStump, Stump

OUTPUTS = ["signed", "binary"]
LEARNERS = [Perceptron(), LinearSVM()]


def oblique(seed: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((200, 5)) * [1, 10, 0.1, 1, 1] + [0, 5, 0, -3, 0]
    signal = np.sign(((features - features.mean(0)) / features.std(0)).sum(axis=1))
    return features, signal[:, None] + 0.3 * rng.standard_normal((200, k))


@pytest.mark.parametrize("learner", LEARNERS, ids=["perceptron", "svm"])
@pytest.mark.parametrize("outputs", OUTPUTS)
def test_finds_an_oblique_separation(learner, outputs):
    features, weights = oblique(0, 3)
    stumps = DecisionStump().bind(features, outputs).best(weights)
    for candidate, stump, w in zip(
        learner.bind(features, outputs).best(weights), stumps, weights.T, strict=True
    ):
        np.testing.assert_array_equal(candidate.hypothesis.predict(features), candidate.responses)
        assert set(np.unique(candidate.responses)) == ({-1, 1} if outputs == "signed" else {0, 1})
        assert candidate.score == pytest.approx(w @ candidate.responses, rel=1e-12)
        assert candidate.score > 1.2 * stump.score
        assert candidate.score > 0.95 * (np.abs(w).sum() if outputs == "signed" else w[w > 0].sum())


@pytest.mark.parametrize("learner", LEARNERS, ids=["perceptron", "svm"])
@pytest.mark.parametrize("outputs", OUTPUTS)
def test_degenerate_input(learner, outputs):
    for features in (np.full((4, 2), 3.3), np.ones((1, 1)), np.arange(8.0).reshape(4, 2)):
        n = features.shape[0]
        bound = learner.bind(features, outputs)
        assert bound.best(np.ones((n, 1)))[0].score == n
        assert bound.best(np.zeros((n, 1)))[0].score == 0
        down = bound.best(-np.ones((n, 1)))[0]
        # The constants of the SVM are ±1 or, for binary outputs, 1: a column of 0 is useless.
        binary = -n if isinstance(learner, LinearSVM) else 0
        assert down.score == (n if outputs == "signed" else binary)
        np.testing.assert_array_equal(down.hypothesis.predict(features), down.responses)
    with pytest.raises(ValueError, match="features must not contain NaN"):
        learner.bind(np.array([[np.nan]]), outputs)


@pytest.mark.parametrize("learner", LEARNERS, ids=["perceptron", "svm"])
def test_same_answer_twice_and_inputs_unchanged(learner):
    features, weights = oblique(1, 2)
    before = features.copy(), weights.copy()
    first, second = (learner.bind(features, "signed").best(weights) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.hypothesis.coef, b.hypothesis.coef)
    np.testing.assert_array_equal(features, before[0])
    np.testing.assert_array_equal(weights, before[1])


def test_perceptron_returns_the_stump_that_it_cannot_beat():
    features = np.arange(10.0)[:, None]
    weights = np.where(features < 5, -1.0, 1.0)
    found = Perceptron().bind(features, "signed").best(weights)[0]
    assert found.hypothesis == Stump(0, 4.5, 1)


def test_perceptron_is_never_below_the_stump():
    rng = np.random.default_rng(2)
    features, weights = rng.standard_normal((60, 4)), rng.standard_normal((60, 10))
    stumps = DecisionStump().bind(features, "signed").best(weights)
    found = Perceptron().bind(features, "signed").best(weights)
    assert all(f.score >= s.score for f, s in zip(found, stumps, strict=True))
    assert sum(f.score > s.score for f, s in zip(found, stumps, strict=True)) >= 5


def test_svm_ignores_the_smallest_weights():
    weights = np.array([0.0, 5.0, -0.1, 3.0, 2.0, -2.0, 4.0, 1.0, 1.0, 1.0, 0.0, 0.5])
    assert largest_weights(weights, 0.1).tolist() == [1, 3, 4, 5, 6, 7, 8, 9, 11]
    assert largest_weights(np.zeros(3), 0.1).tolist() == []
    assert largest_weights(np.ones(20), 0.1).size == 20  # ties are kept, in any order


def test_svm_maximises_the_margin():
    """Two points on either side: the separating line lies half way between the inner ones."""
    features = np.array([[0.0], [1.0], [3.0], [4.0]])
    weights = np.array([[-1.0], [-1.0], [1.0], [1.0]])
    found = LinearSVM(drop=0.0).bind(features, "signed").best(weights)[0].hypothesis
    assert -found.intercept / found.coef[0] == pytest.approx(2.0, abs=1e-4)


@pytest.mark.parametrize("make", [
    lambda z, w: tanh_objective(z, w),
    lambda z, w: _hinge_objective(z * np.sign(w)[:, None], np.sign(w), np.abs(w), 0.7),
], ids=["tanh", "hinge"])  # fmt: skip
def test_gradients(make):
    rng = np.random.default_rng(3)
    objective = make(rng.standard_normal((15, 3)), rng.standard_normal(15))
    theta = rng.standard_normal(4)
    numeric = approx_fprime(theta, lambda t: objective(t)[0], 1e-7)
    np.testing.assert_allclose(objective(theta)[1], numeric, atol=1e-5)


def test_sign_of_zero_is_positive():
    zero = np.zeros((1, 2))
    assert LinearThreshold(np.ones(2), 0.0).predict(zero).tolist() == [1.0]
    assert LinearThreshold(np.ones(2), 0.0, "binary").predict(zero).tolist() == [1.0]


def test_standardised_features_and_restored_coefficients():
    features, _ = oblique(4, 1)
    features = np.column_stack([features, np.full(200, 0.1)])
    table = Standardised.of(features)
    np.testing.assert_allclose(table.scaled[:, :5].std(axis=0), 1.0)
    assert not table.scaled[:, 5].any()
    theta = np.random.default_rng(0).standard_normal(7)
    restored = table.restore(theta, "signed")
    np.testing.assert_allclose(
        features @ restored.coef + restored.intercept, table.scaled @ theta[:-1] + theta[-1]
    )


def test_pack_and_unpack():
    given = [LinearThreshold(np.array([1.0, 2.0]), 0.5), LinearThreshold(np.ones(2), 0.0, "binary")]
    again = LinearThreshold.unpack(LinearThreshold.pack(given))
    for a, b in zip(given, again, strict=True):
        np.testing.assert_array_equal(a.coef, b.coef)
        assert (a.intercept, a.outputs) == (b.intercept, b.outputs)
    assert LinearThreshold.unpack(LinearThreshold.pack([])) == []


@pytest.mark.parametrize(
    "change",
    [
        {"coef": np.ones((2, 3))},
        {"coef": np.array([[np.nan, 0.0]])},
        {"coef": np.array([["a", "b"]])},
        {"intercept": np.array([np.inf])},
        {"binary": np.array([1.0])},
    ],
)
def test_refuses_stored_arrays(change):
    packed = LinearThreshold.pack([LinearThreshold(np.ones(2), 0.5)])
    with pytest.raises(ValueError, match="stored"):
        LinearThreshold.unpack({**packed, **change})


def test_feature_shares():
    assert LinearThreshold(np.array([1.0, -3.0]), 0.0).feature_shares(2).tolist() == [0.25, 0.75]
    assert LinearThreshold(np.zeros(2), 1.0).feature_shares(2).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (Perceptron(max_iter=0), "max_iter"),
        (LinearSVM(max_iter=0), "max_iter"),
        (LinearSVM(C=0.0), "C must be"),
        (LinearSVM(C=np.nan), "C must be"),
        (LinearSVM(drop=1.0), "drop must be"),
    ],
)
def test_refuses_parameters(learner, message):
    with pytest.raises(ValueError, match=message):
        learner.bind(np.zeros((2, 2)), "signed")
