"""Degenerate input gives a correct result or a clear error, and never hangs."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from segboost import (
    HierarchicalStructBoostClassifier,
    StructBoostClassifier,
    StructBoostOrdinal,
    StructBoostRanker,
)
from tests.contracts.limits import time_limit
from tests.estimators.tables import table

TABLES = [
    StructBoostClassifier,
    HierarchicalStructBoostClassifier,
    StructBoostOrdinal,
    StructBoostRanker,
]
estimators = pytest.mark.parametrize("estimator", TABLES)
learners = pytest.mark.parametrize("learner", ["stump", "tree", "perceptron", "svm"])
CLASSIFIERS = TABLES[:3]


def fit(estimator, X, y, **params):
    with time_limit(30), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator(**{"C": 20.0, "random_state": 0, **params}).fit(X, y)


@estimators
@learners
def test_one_class_is_an_error(estimator, learner):
    with pytest.raises(ValueError, match="one class"):
        fit(estimator, np.arange(6.0).reshape(3, 2), np.ones(3, int), weak_learner=learner)


@estimators
def test_one_example_is_an_error(estimator):
    with pytest.raises(ValueError, match=r"one class|1 sample"):
        fit(estimator, np.ones((1, 2)), np.ones(1, int))


@estimators
@learners
def test_two_examples_are_told_apart(estimator, learner):
    X, y = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([0, 1])
    model = fit(estimator, X, y, weak_learner=learner)
    predicted = model.predict(X)
    if estimator is StructBoostRanker:
        assert predicted[1] > predicted[0]
    else:
        assert predicted.tolist() == [0, 1]
    assert model.certificate_.gap <= 1e-3


@estimators
@learners
def test_constant_features_give_one_answer(estimator, learner):
    X, y = np.ones((9, 2)), np.array([0, 1, 1, 1, 1, 1, 2, 2, 0])
    model = fit(estimator, X, y, weak_learner=learner)
    predicted = model.predict(X)
    assert len(np.unique(predicted)) == 1
    if estimator in CLASSIFIERS and learner == "stump":
        # The constant stumps are a bias: the largest class, or the median rank, wins.
        assert predicted[0] == 1


@estimators
@learners
def test_duplicated_rows_that_contradict_each_other(estimator, learner):
    X, y = table(0, 20, 2)
    X, y = np.concatenate([X, X]), np.concatenate([y, 1 - y])
    model = fit(estimator, X, y, weak_learner=learner, n_iterations=20)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.certificate_.objective >= model.certificate_.lower_bound


@estimators
def test_duplicating_all_rows_does_not_change_the_objective(estimator):
    X, y = table(1, 25, 2)
    exact = {"gap": 1e-7, "epsilon_cg": 1e-7, "C": 8.0, "n_iterations": 300}
    one = fit(estimator, X, y, **exact)
    three = fit(estimator, np.tile(X, (3, 1)), np.tile(y, 3), **exact)
    assert three.certificate_.objective == pytest.approx(one.certificate_.objective, rel=1e-5)


@estimators
@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinite_values_are_refused(estimator, bad):
    """NaN is not refused: it is a missing value."""
    X, y = table(0, 20, 2)
    model = fit(estimator, X, y)
    broken = X.copy()
    broken[3, 1] = bad
    with pytest.raises(ValueError, match="infinity"):
        fit(estimator, broken, y)
    with pytest.raises(ValueError, match="infinity"):
        model.predict(broken)


@estimators
def test_labels_that_are_not_finite_are_refused(estimator):
    X, y = table(0, 20, 2)
    for bad in (np.nan, np.inf):
        labels = y.astype(float)
        labels[3] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            fit(estimator, X, labels)


formats = pytest.mark.parametrize("kind", ["csr", "csc", "coo"])


@estimators
@formats
def test_sparse_tables_are_learned_like_dense_ones(estimator, kind):
    X, y = table(0, 20, 2)
    thin = sparse.csr_array(X).asformat(kind)
    assert np.array_equal(fit(estimator, thin, y).predict(thin), fit(estimator, X, y).predict(X))


@formats
def test_augmented_coding_refuses_sparse_tables(kind):
    X, y = table(0, 20, 2)
    thin = sparse.csr_array(X).asformat(kind)
    estimator, augmented = HierarchicalStructBoostClassifier, {"coding": "augmented"}
    model = fit(estimator, X, y, **augmented)
    for use in (lambda: fit(estimator, thin, y, **augmented), lambda: model.predict(thin)):
        with pytest.raises(ValueError, match=r'"augmented" does not take sparse.*toarray\(\)'):
            use()


@estimators
def test_extreme_scales_are_learned_or_refused(estimator):
    X, y = table(0, 30, 2)
    for scale in (1e-200, 1e90):
        model = fit(estimator, X * scale, y)
        assert np.isfinite(model.decision_function(X * scale)).all()
        assert model.score(X * scale, y) > 0.8
    with pytest.raises(ValueError, match="rescale or leave out the column"):
        fit(estimator, X * 1e200, y)


@estimators
def test_input_is_not_modified_and_may_be_read_only(estimator):
    X, y = table(0, 30, 2)
    kept = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    fit(estimator, X, y).predict(X)
    assert np.array_equal(X, kept[0])
    assert np.array_equal(y, kept[1])


@estimators
def test_a_large_c_does_not_hang(estimator):
    X, y = table(0, 30, 2)
    model = fit(estimator, X, y, C=1e6, n_iterations=20)
    assert model.certificate_.gap <= 1e-3


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_many_classes_of_one_example_each(estimator):
    X, y = np.arange(6.0)[:, None], np.arange(6)
    model = fit(estimator, X, y, C=1000.0)
    assert model.predict(X).tolist() == y.tolist()


def test_costs_of_zero_leave_nothing_to_learn():
    X, y = table(0, 20, 3)
    for slack, method in (("one", "default"), ("each", "literal")):
        with pytest.warns(ConvergenceWarning, match="nothing to learn"), time_limit(20):
            model = StructBoostClassifier(
                cost_matrix=np.zeros((3, 3)), slack=slack, method=method
            ).fit(X, y)
        assert model.certificate_.objective == 0.0
        assert model.certificate_.reason == "optimal"
        assert model.predict(X).shape == (20,)
