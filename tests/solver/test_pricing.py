"""The pricer: one binding per group of channels that share features, outputs and learner."""

import numpy as np
import pytest

from segboost.solver.atoms import Channel
from segboost.solver.pricing import Pricer
from segboost.weak.base import Candidate
from segboost.weak.stump import DecisionStump
from tests.contracts.enumeration import all_stumps


class Counting:
    """A weak learner that records its bindings."""

    def __init__(self, exact=True):
        self.bound = []
        self._exact = exact

    def bind(self, features, outputs):
        self.bound.append((features, outputs))
        bound = DecisionStump().bind(features, outputs)
        return bound if self._exact else Inexact(bound)


class Inexact:
    exact = False

    def __init__(self, bound):
        self.best = bound.best


def test_channels_that_share_are_bound_once():
    shared, own = np.arange(4.0)[:, None], np.arange(3.0)[:, None]
    channels = (
        Channel("a", shared),
        Channel("b", own),
        Channel("c", shared),
        Channel("d", shared, "binary"),
        Channel("e", shared.copy()),
    )
    learner, other = Counting(), Counting()
    Pricer(channels, [learner] * 5)
    assert len(learner.bound) == 4
    Pricer(channels, [other, other, learner, other, other])
    assert len(other.bound) == 4
    assert len(learner.bound) == 5


@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_every_channel_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    shared = rng.integers(0, 4, (6, 2)).astype(float)
    edges = rng.integers(0, 3, (5, 2)).astype(float)
    channels = (Channel("a", shared), Channel("e", edges, "binary"), Channel("b", shared))
    learner = DecisionStump()
    pricer = Pricer(channels, [learner] * 3)
    assert pricer.exact
    weights = rng.normal(0, 1, 17)
    start = np.array([0, 6, 11, 17])
    for c, candidate in enumerate(pricer.price(weights)):
        part = weights[start[c] : start[c + 1]]
        stumps = all_stumps((channels[c],))
        # A learner that always returns 0 is not a column; the constant 1 is.
        best = (stumps[stumps.any(axis=1)] @ part).max()
        assert candidate.score == pytest.approx(best, abs=1e-12)
        assert candidate.score == pytest.approx(part @ candidate.responses, abs=1e-12)
        assert np.array_equal(
            candidate.hypothesis.predict(channels[c].features), candidate.responses
        )


def test_one_inexact_learner_makes_the_pricer_inexact():
    channels = (Channel("a", np.ones((2, 1))), Channel("b", np.ones((2, 1))))
    assert not Pricer(channels, [DecisionStump(), Counting(exact=False)]).exact


def test_the_number_of_learners_must_fit():
    with pytest.raises(ValueError, match="2 learners for 1 channels"):
        Pricer((Channel("a", np.ones((2, 1))),), [DecisionStump()] * 2)


class Proposing:
    """A bound learner that proposes two more columns per channel."""

    exact = False

    def best(self, weights):
        return [Candidate(None, w, 0.0) for w in weights.T]

    def further(self, weights):
        return [[Candidate(None, w, 1.0), Candidate(None, w, 2.0)] for w in weights.T]


class ProposingLearner:
    def bind(self, features, outputs):
        return Proposing()


def test_further_columns_belong_to_their_channels():
    shared, own = np.zeros((2, 1)), np.zeros((3, 1))
    channels = (Channel("a", shared), Channel("b", own), Channel("c", shared))
    several = ProposingLearner()
    pricer = Pricer(channels, [several, DecisionStump(), several])
    found = pricer.further(np.arange(7.0))
    assert [(channel, c.score) for channel, c in found] == [(0, 1.0), (0, 2.0), (2, 1.0), (2, 2.0)]
    assert found[0][1].responses.tolist() == [0.0, 1.0]
    assert found[3][1].responses.tolist() == [5.0, 6.0]
