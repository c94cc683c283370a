"""Probabilities of the classifiers: calibrated on held-out rows, in the order of the decisions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score

import segboost
from segboost import HierarchicalStructBoostClassifier, StructBoostClassifier
from segboost.estimators.probabilities import assign_folds, fit_slope

FAST = {"C": 20.0, "n_iterations": 6, "random_state": 0}


def noisy(n=150, k=3):
    rng = np.random.default_rng(1)
    y = np.arange(n) % k
    return rng.normal(size=(n, 2)) + y[:, None], y


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", [StructBoostClassifier, HierarchicalStructBoostClassifier])
def test_probabilities_agree_with_predictions_and_are_saved(tmp_path, kind, k):
    X, y = noisy(k=k)
    model = kind(probability=True, **FAST).fit(X, y)
    found = model.predict_proba(X)
    assert found.shape == (len(X), k)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(X))
    plain = kind(**FAST).fit(X, y)
    np.testing.assert_array_equal(plain.decision_function(X), model.decision_function(X))
    assert not hasattr(plain, "predict_proba")
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(segboost.load_model(tmp_path / "m").predict_proba(X), found)


def test_probabilities_of_new_rows_beat_guessing_and_are_not_overconfident():
    X, y = noisy(300)
    model = StructBoostClassifier(probability=True, **FAST).fit(X[::2], y[::2])
    found = model.predict_proba(X[1::2])
    assert log_loss(y[1::2], found) < 0.9 * np.log(3)
    right = found.argmax(axis=1) == y[1::2]
    assert abs(found.max(axis=1).mean() - right.mean()) < 0.12


def test_the_slope_is_the_most_likely_one():
    rng = np.random.default_rng(0)
    decisions, codes = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    decisions[np.arange(200), codes] += 1.5
    weight = rng.uniform(0.5, 2, 200)

    def likelihood(slope):
        return weight @ log_softmax(slope * decisions, axis=1)[np.arange(200), codes]

    best = likelihood(fit_slope(decisions, codes, weight))
    assert best >= max(map(likelihood, np.geomspace(0.01, 100, 500))) - 1e-9
    assert fit_slope(np.zeros((4, 2)), np.array([0, 1, 0, 1])) == 1.0


def test_folds_keep_every_class_in_training():
    y = np.array([0] * 7 + [1] * 2 + [2])
    fold = assign_folds(y)
    assert fold[-1] == -1
    for number in range(3):
        assert set(y[fold != number]) == {0, 1, 2}
        assert abs((fold == number).sum() - 3) <= 1


def test_scikit_learn_can_score_and_calibrate():
    X, y = noisy()
    model = StructBoostClassifier(probability=True, **FAST)
    scores = cross_val_score(model, X, y, scoring="roc_auc_ovr", cv=2)
    assert (scores > 0.7).all()
    wrapped = CalibratedClassifierCV(StructBoostClassifier(**FAST), cv=2).fit(X, y)
    assert wrapped.predict_proba(X).shape == (150, 3)


def test_without_two_rows_of_a_class_nothing_can_be_held_out():
    with pytest.raises(ValueError, match="two or more rows"):
        StructBoostClassifier(probability=True, **FAST).fit([[0.0], [1.0]], [0, 1])
