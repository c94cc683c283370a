"""The pricer: one binding a group of channels that share features, outputs and learner."""

import numpy as np
import pytest

from segboost.solver.atoms import Channel
from segboost.solver.pricing import Pricer
from segboost.weak.stump import DecisionStump
from tests.contracts.enumeration import all_stumps


class Counting:
    """A weak learner that notes what it was bound to."""

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
        # A learner that always answers 0 is no column: the constant 1 is, 0 is left out.
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
