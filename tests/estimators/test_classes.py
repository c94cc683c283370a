"""Class names of any type, hierarchies, importances and weights of the classifiers."""

import numpy as np
import pytest

from segboost import (
    HierarchicalStructBoostClassifier,
    StructBoostClassifier,
    StructBoostOrdinal,
)
from tests.estimators.tables import table

NAMES = {
    "text": np.array(["ant", "bee", "cow"]),
    "objects": np.array(["ant", "bee", "cow"], dtype=object),
    "negative": np.array([-3, -1, 7]),
    "int8": np.array([1, 2, 5], dtype=np.int8),
    "floats": np.array([-1.0, 0.0, 1.0]),
}
named = pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
classifiers = pytest.mark.parametrize(
    "estimator", [StructBoostClassifier, HierarchicalStructBoostClassifier, StructBoostOrdinal]
)
QUICK = {"C": 20.0, "n_iterations": 10, "random_state": 0}


@named
@classifiers
def test_predictions_are_class_names(names, estimator):
    X, y = table()
    plain = estimator(**QUICK).fit(X, y)
    model = estimator(**QUICK).fit(X, names[y])
    assert np.array_equal(model.classes_, names)
    predicted = model.predict(X)
    assert predicted.dtype == names.dtype
    assert np.array_equal(predicted, names[plain.predict(X)])
    assert model.score(X, names[y]) == plain.score(X, y) > 0.7


@classifiers
@pytest.mark.parametrize("names", [[False, True], [-1, 1], ["no", "yes"], [0.0, 2.0]])
def test_two_classes_of_any_name(names, estimator):
    X, y = table(2, 40, 2)
    names = np.array(names)
    model = estimator(**QUICK).fit(X, names[y])
    assert model.predict(X).dtype == names.dtype
    decision = model.decision_function(X)
    assert decision.shape == (40,)
    assert np.array_equal(model.predict(X), names[(decision > 0).astype(int)])
    assert model.score(X, names[y]) > 0.8


@classifiers
def test_bytes_are_refused_as_scikit_learn_does(estimator):
    X, y = table()
    with pytest.raises(TypeError, match="bytes is not supported"):
        estimator(**QUICK).fit(X, np.array([b"ant", b"bee", b"cow"])[y])


@classifiers
def test_continuous_values_are_not_classes(estimator):
    X, y = table(2, 40, 2)
    for values in (X[:, 0], np.array([0.0, 0.5])[y]):
        with pytest.raises(ValueError, match="Unknown label type"):
            estimator(**QUICK).fit(X, values)


def test_decision_values_of_several_classes():
    X, y = table()
    for model in (StructBoostClassifier(**QUICK), StructBoostOrdinal(**QUICK)):
        decision = model.fit(X, y).decision_function(X)
        assert decision.shape == (60, 3)
        assert np.array_equal(model.classes_[decision.argmax(axis=1)], model.predict(X))
        for staged in model.staged_decision_function(X):
            assert staged.shape == (60, 3)
        assert np.array_equal(staged, decision)


@classifiers
def test_importances_are_shares_of_the_features_used(estimator):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = np.column_stack([rng.normal(0, 1, 60), y + rng.normal(0, 0.1, 60), np.zeros(60)])
    model = estimator(**QUICK).fit(X, y)
    shares = model.feature_importances_
    assert shares.shape == (3,)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[1] > 0.8
    assert shares[2] == 0.0


def test_a_heavier_class_is_predicted_more():
    X, y = table(3, 80, 2, 1)
    X += np.random.default_rng(0).normal(0, 1.5, X.shape)
    shares = [
        StructBoostClassifier(**QUICK).fit(X, y, np.where(y == 1, w, 1.0)).predict(X).mean()
        for w in (0.1, 1.0, 10.0)
    ]
    assert shares[0] < shares[1] < shares[2]


@classifiers
def test_bad_sample_weights_are_refused(estimator):
    X, y = table()
    for bad in (np.ones(5), -np.ones(60), np.zeros(60), np.full(60, np.nan)):
        with pytest.raises(ValueError, match=r"sample_weight|one class"):
            estimator(**QUICK).fit(X, y, bad)


@pytest.mark.parametrize("C", [5.0, 50.0])
def test_the_slack_bounds_the_mean_cost_of_the_predictions(C):
    """Σ ξ = (objective − 1ᵀw)/C is at least the training loss, for any costs."""
    X, y = table(4, 120, 3, 2)
    X += np.random.default_rng(1).normal(0, 1.0, X.shape)
    cost = np.array([[0, 1, 2], [1, 0, 0.5], [9, 4, 0.0]])
    tree = {"r": {"s": [0, 1], "t": [2]}}
    params = {**QUICK, "C": C}
    costed = StructBoostClassifier(cost_matrix=cost, **params).fit(X, y)
    graded = HierarchicalStructBoostClassifier(tree, **params).fit(X, y)
    for model, loss in (
        (costed, cost[y, costed.predict(X)].mean()),
        (graded, graded.tree_loss(y, graded.predict(X))),
    ):
        slack = (model.certificate_.objective - model.ensemble_.weights.sum()) / C
        assert 0 < loss <= slack + 1e-9


def test_a_cost_matrix_is_used_and_checked():
    X, y = table(4, 60, 3, 2)
    cost = np.array([[0, 1, 1], [1, 0, 1], [9, 9, 0.0]])
    plain = StructBoostClassifier(**QUICK).fit(X, y)
    careful = StructBoostClassifier(cost_matrix=cost, **QUICK).fit(X, y)
    assert not np.array_equal(careful.ensemble_.weights, plain.ensemble_.weights)
    same = StructBoostClassifier(cost_matrix=1 - np.eye(3), **QUICK).fit(X, y)
    assert np.array_equal(same.ensemble_.weights, plain.ensemble_.weights)
    with pytest.raises(ValueError, match="cost"):
        StructBoostClassifier(cost_matrix=np.eye(3), **QUICK).fit(X, y)


def test_two_classes_with_a_cost_agree_with_binary():
    X, y = table(5, 40, 2)
    exact = {"C": 10.0, "gap": 1e-7, "epsilon_cg": 1e-7, "n_iterations": 300, "random_state": 0}
    binary = StructBoostClassifier(**exact).fit(X, y)
    costed = StructBoostClassifier(cost_matrix=1 - np.eye(2), **exact).fit(X, y)
    assert binary.ensemble_.n_channels == 1
    assert costed.ensemble_.n_channels == 2
    assert costed.certificate_.objective == pytest.approx(binary.certificate_.objective, rel=1e-5)


def test_a_hierarchy_without_a_taxonomy_is_multiclass():
    X, y = table(6)
    exact = {"C": 10.0, "gap": 1e-7, "epsilon_cg": 1e-7, "n_iterations": 300, "random_state": 0}
    flat = HierarchicalStructBoostClassifier(**exact).fit(X, y)
    plain = StructBoostClassifier(**exact).fit(X, y)
    assert flat.certificate_.objective == pytest.approx(plain.certificate_.objective, rel=1e-6)
    assert np.array_equal(flat.predict(X), plain.predict(X))


@pytest.mark.parametrize("coding", ["tree", "augmented"])
def test_tree_loss_of_predictions(coding):
    X, y = table(7)
    names = np.array(["a", "b", "c"])
    tree = {"root": {"ab": ["a", "b"], "c": None}}
    model = HierarchicalStructBoostClassifier(tree, coding, **QUICK).fit(X, names[y])
    assert model.tree_loss(["a", "a", "b", "c"], ["a", "b", "c", "c"]) == pytest.approx(3 / 4)
    assert model.tree_loss(names[y], names[y]) == 0.0
    assert model.tree_loss(names[y], model.predict(X)) < 0.6
    with pytest.raises(ValueError, match="y_true contains 'd', which is not a class of the model"):
        model.tree_loss(np.array(["a", "d"]), ["a", "b"])


def test_a_class_outside_the_taxonomy_is_named():
    X, y = table(8)
    with pytest.raises(ValueError, match=r"no leaf for the class.*2"):
        HierarchicalStructBoostClassifier({"r": [0, 1]}, **QUICK).fit(X, y)
    with pytest.raises(ValueError, match="coding must be"):
        HierarchicalStructBoostClassifier({"r": [0, 1, 2]}, "flat", **QUICK).fit(X, y)


@pytest.mark.parametrize("kind", ["text", "negative", "int8", "objects"])
def test_taxonomies_take_names_of_any_type(kind):
    X, y = table(9)
    names = NAMES[kind]
    one, two, three = names.tolist()
    model = HierarchicalStructBoostClassifier({"r": {"s": [one, two], "t": [three]}}, **QUICK)
    assert model.fit(X, names[y]).score(X, names[y]) > 0.7
    assert model.tree_loss(names[y], names[y]) == 0.0
