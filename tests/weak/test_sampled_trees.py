"""Sampled trees: scores on all rows, several columns per round, reproducible samples."""

import numpy as np
import pytest

from segboost import StructBoostClassifier
from segboost.weak.base import BoundLearner, SeveralLearner, WeakLearner
from segboost.weak.registry import make_weak_learner
from segboost.weak.sampled_trees import SampledTrees
from segboost.weak.tree import ShallowTree

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 12))
W = np.column_stack([np.where(X[:, 3] * X[:, 7] > 0, 1.0, -1.0), RNG.normal(size=300)])


def test_candidates_are_scored_on_all_rows_of_the_features():
    learner = SampledTrees(max_depth=2, n_trees=5, column_share=0.5, row_share=0.4)
    assert isinstance(learner, WeakLearner)
    bound = learner.bind(X, "signed")
    assert isinstance(bound, BoundLearner)
    assert isinstance(bound, SeveralLearner)
    assert not bound.exact
    for k, (best, more) in enumerate(zip(bound.best(W), bound.further(W), strict=True)):
        assert len(more) == 4
        scores = [c.score for c in (best, *more)]
        assert scores == sorted(scores, reverse=True)
        for c in (best, *more):
            assert np.array_equal(c.hypothesis.predict(X), c.responses)
            assert c.score == pytest.approx(W[:, k] @ c.responses)


def test_all_columns_and_rows_give_the_tree_of_the_plain_learner():
    whole = SampledTrees(max_depth=3, n_trees=3, column_share=1.0, max_bins=255).bind(X, "signed")
    plain = ShallowTree(max_depth=3).bind(X, "signed").best(W)
    for ours, theirs, more in zip(whole.best(W), plain, whole.further(W), strict=True):
        assert ours.score == pytest.approx(theirs.score)
        assert more == []  # the same tree again


@pytest.mark.parametrize("outputs", ["signed", "binary"])
def test_samples_depend_only_on_seed_and_weights(outputs):
    learner = SampledTrees(column_share=0.3, row_share=0.5)
    first, second = learner.bind(X, outputs), learner.bind(X, outputs)
    second.best(W[:, ::-1])
    for ours, theirs in zip(first.best(W), second.best(W), strict=True):
        assert np.array_equal(ours.responses, theirs.responses)
        assert set(np.unique(ours.responses)) <= ({-1.0, 1.0} if outputs == "signed" else {0, 1.0})
    other = SampledTrees(column_share=0.3, row_share=0.5, seed=1).bind(X, outputs)
    assert not np.array_equal(other.best(W)[0].responses, first.best(W)[0].responses)


def test_features_may_be_bytes():
    codes = RNG.integers(0, 256, (200, 6)).astype(np.uint8)
    weights = np.where(codes[:, 2] > 99, 1.0, -1.0)[:, None]
    best = SampledTrees(column_share=1.0, max_bins=256).bind(codes, "signed").best(weights)[0]
    assert best.score == 200
    assert np.array_equal(best.hypothesis.predict(codes.astype(float)), best.responses)


def test_no_weight_at_all():
    found = SampledTrees().bind(X, "signed").best(np.zeros((300, 1)))[0]
    assert found.score == 0


def test_a_fit_adds_several_columns_per_round():
    y = (X[:, 3] * X[:, 7] > 0).astype(int)
    learner = make_weak_learner("sampled trees", n_trees=6, column_share=0.5)
    model = StructBoostClassifier(C=50, n_iterations=3, weak_learner=learner, random_state=0)
    model.fit(X, y)
    assert model.history_[0].n_columns > 3
    assert model.score(X, y) > 0.7


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_depth", 9), ("n_trees", 0), ("column_share", 0.0), ("row_share", 1.5)],
)
def test_a_bad_setting_is_named(name, value):
    with pytest.raises(ValueError, match=name):
        SampledTrees(**{name: value})
