"""Scores of boosted trees as features: out of fold in training, saved, counted in importances."""

from __future__ import annotations

import numpy as np
import pytest

import segboost
from segboost import HierarchicalStructBoostClassifier, StructBoostClassifier
from segboost.estimators.boosted_scores import BoostedScores
from segboost.estimators.probabilities import assign_folds
from tests.estimators.tables import TREE, table

FAST = {"C": 30.0, "n_iterations": 2, "weak_learner": "sigmoid", "random_state": 0}


def rings(n, seed=0):
    """Return points whose class depends on their distance from the origin, not on a line."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = y + rng.uniform(0.2, 0.8, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def test_no_row_is_scored_by_trees_that_saw_it():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 6)), rng.integers(0, 3, 200)  # nothing to learn
    scores, found = BoostedScores.fit(X, y, 3, 30)
    assert np.mean(found.argmax(axis=1) == y) < 0.5
    assert np.mean(scores.scores(X).argmax(axis=1) == y) > 0.9
    fold = assign_folds(y, 4)
    for number, boosters in enumerate(scores.folds):
        rows = fold == number
        own = np.column_stack([b.decision_function(X[rows]) for b in boosters])
        np.testing.assert_allclose(found[rows], own - own.mean(axis=1, keepdims=True))


def test_trees_help_if_linear_learners_fail():
    (X, y), (new, truth) = rings(180), rings(90, 1)
    plain = StructBoostClassifier(**FAST).fit(X, y).score(new, truth)
    boosted = StructBoostClassifier(boosted_trees=30, **FAST).fit(X, y).score(new, truth)
    assert boosted > 0.9 > plain + 0.2


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", ["flat", "tree"])
def test_saved_models_predict_the_same(tmp_path, k, kind):
    X, y = table()
    y = np.minimum(y, k - 1)
    tree = TREE if k == 3 else None
    make = StructBoostClassifier if kind == "flat" else HierarchicalStructBoostClassifier
    given = {} if kind == "flat" else {"taxonomy": tree}
    model = make(boosted_trees=5, probability=True, **given, **FAST).fit(X, y)
    model.save(tmp_path / "m")
    loaded = segboost.load_model(tmp_path / "m")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.boosted_trees == 5


def test_importances_are_those_of_the_given_columns():
    X, y = rings(120)
    X = np.column_stack([X, np.zeros(len(X))])
    shares = StructBoostClassifier(boosted_trees=10, **FAST).fit(X, y).feature_importances_
    assert shares.shape == (3,)
    assert shares.sum() == pytest.approx(1)
    assert shares[2] == 0 < shares[:2].min()


def test_gaps_text_weights_and_single_rows():
    X, y = table(m=40)
    frame = X.astype(object)
    frame[3, 0], frame[:, 1] = None, np.where(X[:, 1] > 1, "high", "low")
    y = y.copy()
    y[0] = 9  # the only row of its class
    weight = np.where(y == 1, 0.0, 1.0)
    model = StructBoostClassifier(boosted_trees=5, **FAST).fit(frame, y, sample_weight=weight)
    assert np.isfinite(model.decision_function(frame)).all()
    assert 9 in model.classes_


def test_misuse_is_named():
    X, y = table()
    with pytest.raises(ValueError, match="boosted_trees must be a whole number"):
        StructBoostClassifier(boosted_trees=-1).fit(X, y)
    with pytest.raises(ValueError, match="warm_start cannot be combined with boosted_trees"):
        StructBoostClassifier(boosted_trees=5, warm_start=True).fit(X, y)


def test_damaged_trees_are_refused(tmp_path):
    X, y = table()
    model = StructBoostClassifier(boosted_trees=5, **FAST).fit(X, y)
    arrays = model.scores_.to_arrays()
    for change in (
        {"boosted_folds": np.array(5)},
        {"boosted_folds": np.array(0)},
        {"boosted_feature": arrays["boosted_feature"] + 4},
        {"boosted_threshold": arrays["boosted_threshold"][:, 1:]},
        {"boosted_value": arrays["boosted_value"] * np.nan},
    ):
        with pytest.raises(ValueError, match=r"trees of the model"):
            BoostedScores.from_arrays(arrays | change, 4)
    with pytest.raises(ValueError, match="a different number of features"):
        BoostedScores.from_arrays(arrays, 3)
