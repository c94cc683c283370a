"""Ensembles: scores, stages and importances against direct sums."""

import numpy as np
import pytest

from segboost.solver.ensemble import Ensemble
from segboost.weak.stump import Stump


class Graded:
    """A hypothesis with outputs other than ±1, like ramps and sigmoids."""

    def predict(self, features):
        return features[:, 1] / 4


HYPOTHESES = (Stump(0, 0.5), Stump(1, 0.0, -1), Stump(1, 1.0), Stump(0, -np.inf), Graded())
CHANNEL = np.array([0, 1, 1, 0, 1])
STAGES = (np.array([1.0]), np.array([0.5, 2.0, 0.25]), np.array([0.0, 2.0, 1.0, 0.75, 1.5]))


@pytest.fixture
def ensemble():
    return Ensemble(HYPOTHESES, CHANNEL, STAGES, 2)


@pytest.fixture
def features():
    rng = np.random.default_rng(0)
    return [rng.integers(-1, 3, (5, 2)).astype(float), rng.integers(-1, 3, (3, 2)).astype(float)]


def direct(stage, features):
    out = [np.zeros(len(f)) for f in features]
    for w, hypothesis, c in zip(STAGES[stage], HYPOTHESES, CHANNEL, strict=False):
        out[c] += w * hypothesis.predict(features[c])
    return out


def test_scores_and_stages_are_weighted_sums(ensemble, features):
    staged = list(ensemble.staged_scores(features))
    assert len(staged) == 3
    for stage, scores in enumerate(staged):
        for found, expected in zip(scores, direct(stage, features), strict=True):
            assert found == pytest.approx(expected)
    for found, last in zip(ensemble.scores(features), staged[-1], strict=True):
        assert np.array_equal(found, last)


def test_importances_share_the_weight_among_features(ensemble):
    # Channel 0: a stump of weight 0 and a constant. Channel 1: 2 + 1 on feature 1, and a
    # hypothesis that does not say which features it uses.
    assert ensemble.importances(0, 2).tolist() == [0, 0]
    assert ensemble.importances(1, 2).tolist() == [0, 3]


def test_the_number_of_channels_must_fit(ensemble, features):
    with pytest.raises(ValueError, match="1 channels, the model has 2"):
        ensemble.scores(features[:1])
    with pytest.raises(ValueError, match="3 channels, the model has 2"):
        list(ensemble.staged_scores([*features, features[0]]))


def test_an_ensemble_without_columns_scores_zero():
    empty = Ensemble((), np.empty(0, int), (np.empty(0),), 1)
    assert empty.weights.tolist() == []
    assert empty.scores([np.ones((2, 1))])[0].tolist() == [0, 0]
    assert empty.importances(0, 1).tolist() == [0]
