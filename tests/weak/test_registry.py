from __future__ import annotations

import numpy as np
import pytest

from segboost.weak.base import BoundLearner, StorableHypothesis, WeakLearner
from segboost.weak.registry import HYPOTHESES, WEAK_LEARNERS, make_weak_learner
from segboost.weak.tree import ShallowTree


@pytest.mark.parametrize("name", WEAK_LEARNERS)
@pytest.mark.parametrize("outputs", ["signed", "binary"])
def test_every_learner_keeps_the_contract(name, outputs):
    learner = make_weak_learner(name)
    assert isinstance(learner, WeakLearner)
    rng = np.random.default_rng(0)
    features = rng.standard_normal((50, 4)).astype(np.float32)
    weights = rng.standard_normal((50, 3))
    bound = learner.bind(features, outputs)
    assert isinstance(bound, BoundLearner)
    assert bound.exact == (name in ("stump", "ramp"))
    for candidate, w in zip(bound.best(weights), weights.T, strict=True):
        kind = HYPOTHESES[candidate.hypothesis.kind]
        assert isinstance(candidate.hypothesis, StorableHypothesis)
        again = kind.unpack(kind.pack([candidate.hypothesis]))[0]
        np.testing.assert_array_equal(again.predict(features), candidate.responses)
        assert candidate.responses.dtype == np.float64
        assert candidate.score == pytest.approx(w @ candidate.responses, rel=1e-12)


@pytest.mark.parametrize("name", WEAK_LEARNERS)
@pytest.mark.parametrize("outputs", ["signed", "binary"])
def test_no_rows_at_all(name, outputs):
    """A graph without edges has a channel without atoms."""
    candidates = make_weak_learner(name).bind(np.zeros((0, 3)), outputs).best(np.zeros((0, 2)))
    assert [c.score for c in candidates] == [0.0, 0.0]
    assert all(c.responses.shape == (0,) for c in candidates)
    assert candidates[0].hypothesis.predict(np.zeros((2, 3))).tolist() == [1.0, 1.0]


def test_parameters_and_objects():
    tree = make_weak_learner("tree", max_depth=3)
    assert tree == ShallowTree(max_depth=3)
    assert make_weak_learner(tree) is tree


@pytest.mark.parametrize(
    ("learner", "params", "message"),
    [
        ("forest", {}, "weak_learner must be one of 'stump', 'tree', 'perceptron', 'svm'"),
        ("stump", {"depth": 1}, "weak_learner 'stump': .*depth"),
        (3, {}, "weak_learner must be one of"),
        (ShallowTree, {}, "weak_learner must be one of"),
        (ShallowTree(), {"max_depth": 3}, "set max_depth on it instead"),
    ],
)
def test_refuses(learner, params, message):
    with pytest.raises(ValueError, match=message):
        make_weak_learner(learner, **params)
