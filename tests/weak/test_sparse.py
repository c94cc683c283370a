"""Weak learners on sparse features: the same stumps as on dense ones, and little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from segboost import (
    HierarchicalStructBoostClassifier,
    StructBoostClassifier,
    StructBoostOrdinal,
    StructBoostRanker,
)
from segboost.weak.linear import Standardised
from segboost.weak.perceptron import Perceptron
from segboost.weak.registry import WEAK_LEARNERS
from segboost.weak.sparse_stump import add_stored, add_stored_numpy, bin_sparse
from segboost.weak.stump import DecisionStump
from segboost.weak.tree import ShallowTree

FAST = {"C": 30.0, "n_iterations": 4, "random_state": 0}


def table(seed=0, n=80, d=12):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)
    X[:, 3], X[:, 4], X[:, 5] = np.round(X[:, 3]), 0.0, 2.0 + rng.random(n)
    return X, (X[:, 0] + X[:, 1] > 0) * 1 + (X[:, 2] > 0)


@pytest.mark.parametrize("outputs", ["signed", "binary"])
@pytest.mark.parametrize("max_bins", [4, 255])
def test_stumps_equal_those_of_the_dense_table(outputs, max_bins):
    for seed in range(5):
        X, _ = table(seed)
        weights = np.random.default_rng(seed).normal(size=(len(X), 11))
        dense = DecisionStump(max_bins).bind(X, outputs).best(weights)
        for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
            found = DecisionStump(max_bins).bind(form(X), outputs).best(weights)
            assert [c.hypothesis for c in found] == [c.hypothesis for c in dense]
            for a, b in zip(found, dense, strict=True):
                np.testing.assert_array_equal(a.responses, b.responses)
                np.testing.assert_array_equal(a.hypothesis.predict(form(X)), b.responses)


def test_the_kernel_equals_its_numpy_twin():
    X, _ = table()
    bins = bin_sparse(sparse.csc_array(X), 16)
    values = np.random.default_rng(0).normal(size=(len(X), 3))
    parts = (bins.start, bins.rows, bins.codes, bins.zero, values, values.sum(axis=0))
    fast, plain = np.zeros((2, X.shape[1], int(bins.n_bins.max()), 3))
    add_stored(*parts, fast)
    add_stored_numpy(*parts, plain)
    np.testing.assert_allclose(fast, plain, atol=1e-12)
    np.testing.assert_allclose(fast.sum(axis=1), np.tile(values.sum(axis=0), (X.shape[1], 1)))


def test_sparse_features_are_scaled_without_a_mean():
    X, _ = table()
    found = Standardised.of(sparse.csr_array(X))
    scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    expected = np.where(X.std(axis=0) > 0, X / scale, 0.0)
    np.testing.assert_allclose(found.scaled.toarray(), expected, atol=1e-9)
    assert not found.mean.any()


@pytest.mark.parametrize(
    "kind",
    [
        StructBoostClassifier,
        HierarchicalStructBoostClassifier,
        StructBoostRanker,
        StructBoostOrdinal,
    ],
)
def test_estimators_learn_the_same_from_sparse_tables(kind, tmp_path):
    X, y = table()
    dense = kind(**FAST).fit(X, y)
    found = kind(checkpoint=tmp_path / "c", **FAST).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(
        found.decision_function(sparse.coo_array(X)), dense.decision_function(X)
    )
    np.testing.assert_array_equal(found.decision_function(X), dense.decision_function(X))


@pytest.mark.parametrize("learner", ["perceptron", "sigmoid", "svm"])
def test_linear_learners_take_sparse_tables(learner):
    X, y = table(n=150)
    model = StructBoostClassifier(weak_learner=learner, **FAST).fit(sparse.csr_array(X), y)
    assert model.score(sparse.csr_array(X), y) > 0.8
    np.testing.assert_allclose(
        model.decision_function(sparse.csr_array(X)), model.decision_function(X), atol=1e-9
    )


def test_dense_models_predict_sparse_rows():
    X, y = table()
    gaps = X.copy()
    gaps[0, 0] = np.nan
    for model in (
        StructBoostClassifier(weak_learner="tree", **FAST).fit(X, y),
        StructBoostClassifier(boosted_trees=3, **FAST).fit(X, y),
        StructBoostClassifier(**FAST).fit(gaps, y),
    ):
        np.testing.assert_array_equal(model.predict(sparse.csr_array(X)), model.predict(X))


def test_learners_that_need_a_dense_table_are_refused():
    X, y = table()
    rows = sparse.csr_array(X)
    with pytest.raises(ValueError, match=r"trees and ramps need a dense table.*stumps"):
        ShallowTree().bind(rows)
    with pytest.raises(ValueError, match="trees and ramps need a dense table"):
        StructBoostClassifier(boosted_trees=3).fit(rows, y)
    with pytest.raises(ValueError, match="does not take sparse tables"):
        HierarchicalStructBoostClassifier(coding="augmented").fit(rows, y)
    with pytest.raises(ValueError, match="beyond"):
        StructBoostClassifier().fit(sparse.csr_array(X * 1e200), y)


def text(n=300, words=20, d=50_000):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    drawn = rng.integers(3, d, n * words)
    columns = np.where(rng.random(n * words) < 0.2, np.repeat(y, words), drawn)
    rows = np.repeat(np.arange(n), words)
    return sparse.csr_array((np.ones(n * words), (rows, columns)), shape=(n, d)), y


@pytest.mark.parametrize("learner", [DecisionStump(), Perceptron(max_iter=3)])
def test_text_with_50000_columns_stays_small(learner):
    X, y = text()
    tracemalloc.start()
    model = StructBoostClassifier(C=50.0, n_iterations=1, weak_learner=learner, slack=5).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.score(X, y) > 0.9
    assert peak < X.shape[0] * X.shape[1] * 8 / 4


@pytest.mark.parametrize("as_object", [False, True])
@pytest.mark.parametrize("name", WEAK_LEARNERS)
def test_the_tag_says_whether_sparse_tables_are_taken(name, as_object):
    X, y = table()
    learner = WEAK_LEARNERS[name]() if as_object else name
    model = StructBoostClassifier(weak_learner=learner, **FAST)
    if model.__sklearn_tags__().input_tags.sparse:
        model.fit(sparse.csr_array(X), y)
        return
    with pytest.raises(ValueError, match="trees and ramps need a dense table"):
        model.fit(sparse.csr_array(X), y)
