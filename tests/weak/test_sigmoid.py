"""The sigmoid: graded responses of a penalised linear function."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from segboost import StructBoostClassifier, load_model
from segboost.weak.linear import LinearThreshold
from segboost.weak.perceptron import tanh_objective
from segboost.weak.registry import make_weak_learner
from segboost.weak.sigmoid import Sigmoid, SigmoidLearner, penalised


def draw_problem(seed: int, n: int = 80, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, d)) * [1, 10, 0.1] + [0, 5, 2]
    z = (features - features.mean(0)) / features.std(0)
    return features, np.sign(z.sum(axis=1)) * rng.random(n)


def penalised_value(hypothesis: Sigmoid, features, weights, ridge: float) -> float:
    """Return W·φ/‖W‖₁ − ½ ρ ‖v‖², computed from the raw features only."""
    v = hypothesis.line.coef * features.std(axis=0)
    return weights @ hypothesis.predict(features) / np.abs(weights).sum() - 0.5 * ridge * (v @ v)


@pytest.mark.parametrize("outputs", ["signed", "binary"])
def test_responses_are_in_range_and_scores_match(outputs):
    features, weights = draw_problem(0)
    found = SigmoidLearner().bind(features, outputs).best(weights[:, None])[0]
    np.testing.assert_array_equal(found.hypothesis.predict(features), found.responses)
    assert found.score == pytest.approx(weights @ found.responses, rel=1e-12)
    low = -1 if outputs == "signed" else 0
    assert low < found.responses.min() < 0.3 * low + 0.35
    assert 0.65 < found.responses.max() < 1
    assert len(np.unique(found.responses)) > 50


@pytest.mark.parametrize("ridge", [0.01, 0.1])
def test_reaches_the_best_of_many_random_searches(ridge):
    """A search without gradients, from many starts, finds nothing better."""
    features, weights = draw_problem(1)
    found = SigmoidLearner(ridge).bind(features, "signed").best(weights[:, None])[0]
    mean, scale = features.mean(axis=0), features.std(axis=0)

    def value(theta):
        coef = theta[:-1] / scale
        line = LinearThreshold(coef, theta[-1] - coef @ mean)
        return -penalised_value(Sigmoid(line), features, weights, ridge)

    rng = np.random.default_rng(0)
    searches = [minimize(value, rng.standard_normal(4), method="Powell") for _ in range(20)]
    best = -min(search.fun for search in searches)
    assert penalised_value(found.hypothesis, features, weights, ridge) == pytest.approx(best, 1e-4)


def test_a_stronger_penalty_makes_a_flatter_function():
    features, weights = draw_problem(2)
    slopes = []
    for ridge in (0.003, 0.03, 0.3):
        found = SigmoidLearner(ridge).bind(features, "signed").best(weights[:, None])[0]
        slopes.append(np.linalg.norm(found.hypothesis.line.coef * features.std(axis=0)))
    assert slopes[0] > 1.5 * slopes[1] > 2 * slopes[2]


def test_gradient():
    rng = np.random.default_rng(3)
    objective = penalised(
        tanh_objective(rng.standard_normal((15, 3)), rng.standard_normal(15)), 0.7
    )
    theta = rng.standard_normal(4)
    numeric = approx_fprime(theta, lambda t: objective(t)[0], 1e-7)
    np.testing.assert_allclose(objective(theta)[1], numeric, atol=1e-5)


@pytest.mark.parametrize("outputs", ["signed", "binary"])
def test_degenerate_input(outputs):
    for features in (np.full((4, 2), 3.3), np.ones((1, 1)), np.arange(8.0).reshape(4, 2)):
        n = len(features)
        bound = SigmoidLearner().bind(features, outputs)
        assert bound.best(np.ones((n, 1)))[0].score == n
        assert bound.best(np.zeros((n, 1)))[0].score == 0
        down = bound.best(-np.ones((n, 1)))[0]
        assert down.score == pytest.approx(n if outputs == "signed" else 0, abs=1e-4)
    with pytest.raises(ValueError, match="features must not contain NaN"):
        SigmoidLearner().bind(np.array([[np.nan]]), outputs)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"max_iter": 0}, "max_iter"), ({"ridge": -1.0}, "ridge"), ({"ridge": np.nan}, "ridge")],
)
def test_refuses_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        make_weak_learner("sigmoid", **options).bind(np.zeros((2, 2)), "signed")


def test_pack_and_unpack():
    given = [Sigmoid(LinearThreshold(np.array([1.0, 2.0]), 0.5, o)) for o in ("signed", "binary")]
    X = np.random.default_rng(0).standard_normal((5, 2))
    for a, b in zip(given, Sigmoid.unpack(Sigmoid.pack(given)), strict=True):
        np.testing.assert_array_equal(a.predict(X), b.predict(X))
    np.testing.assert_allclose(given[1].predict(X), (1 + given[0].predict(X)) / 2)


def test_a_model_of_sigmoids_learns_curved_classes_and_is_saved(tmp_path):
    """Two rings: no linear function separates them, but a handful of sigmoids do."""
    rng = np.random.default_rng(4)
    angle, ring = rng.uniform(0, 2 * np.pi, 300), rng.integers(0, 2, 300)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * (1 + ring)[:, None]
    model = StructBoostClassifier(C=30, n_iterations=20, weak_learner="sigmoid", random_state=0)
    model.fit(X[:200], ring[:200])
    assert model.score(X[200:], ring[200:]) > 0.95
    steps = [step.objective for step in model.history_]
    assert all(b <= a * (1 + 1e-9) for a, b in pairwise(steps))
    again = load_model(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
