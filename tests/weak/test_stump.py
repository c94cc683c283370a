from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from segboost.weak.base import BoundLearner, StorableHypothesis, WeakLearner
from segboost.weak.binning import bin_features
from segboost.weak.splitting import best_cuts, best_cuts_numpy
from segboost.weak.stump import DecisionStump, Stump

OUTPUTS = ["signed", "binary"]


def all_stumps(features, outputs) -> Iterator[Stump]:
    """Yield every stump in the order in which ties are broken."""
    yield Stump(0, -np.inf, 1, outputs)
    if outputs == "signed":
        yield Stump(0, -np.inf, -1, outputs)
    for f in range(features.shape[1]):
        values = np.unique(features[:, f])
        for t in (values[1:] + values[:-1]) / 2:
            yield Stump(f, float(t), 1, outputs)
            yield Stump(f, float(t), -1, outputs)


def best_stump(features, weights, outputs) -> tuple[Stump, float]:
    """Return the first stump of greatest score, and the score."""
    stumps = list(all_stumps(features, outputs))
    scores = [float(weights @ s.predict(features)) for s in stumps]
    best = int(np.argmax(scores))
    return stumps[best], scores[best]


@pytest.mark.parametrize("outputs", OUTPUTS)
@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_equals_brute_force_ties_included(outputs, data):
    n, d, k = (data.draw(st.integers(1, m)) for m in (10, 4, 3))
    features = data.draw(arrays(np.float64, (n, d), elements=st.integers(-2, 2)))
    weights = data.draw(arrays(np.float64, (n, k), elements=st.integers(-3, 3)))
    found = DecisionStump().bind(features, outputs).best(weights)
    assert len(found) == k
    for candidate, w in zip(found, weights.T, strict=True):
        stump, score = best_stump(features, w, outputs)
        assert candidate.hypothesis == stump
        assert candidate.score == score
        np.testing.assert_array_equal(candidate.responses, stump.predict(features))


@pytest.mark.parametrize("outputs", OUTPUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_equals_brute_force_on_reals(outputs, dtype):
    rng = np.random.default_rng(3)
    for k in (1, 2, 8, 9):
        features = (10 * rng.random((60, 5))).astype(dtype)
        weights = rng.standard_normal((60, k))
        for candidate, w in zip(
            DecisionStump().bind(features, outputs).best(weights), weights.T, strict=True
        ):
            _, score = best_stump(features.astype(float), w, outputs)
            assert candidate.score == pytest.approx(score, rel=1e-12)
            assert candidate.score == w @ candidate.hypothesis.predict(features)


def test_chunks_of_features_change_nothing(monkeypatch):
    rng = np.random.default_rng(4)
    bound = DecisionStump().bind(rng.standard_normal((50, 13)), "signed")
    weights = rng.standard_normal((50, 5))
    whole = [c.hypothesis for c in bound.best(weights)]
    single = [c.hypothesis for w in weights.T for c in bound.best(w[:, None])]
    monkeypatch.setattr("segboost.weak.splitting._CHUNK_BYTES", 1)
    assert [c.hypothesis for c in bound.best(weights)] == whole == single


@pytest.mark.parametrize("binary", [False, True])
def test_cut_kernel_equals_twin(binary):
    rng = np.random.default_rng(5)
    for _ in range(30):
        sums = rng.integers(-3, 4, (6, 7, 3)).astype(float)
        n_bins = rng.integers(1, 8, 6)
        sums[np.arange(7) >= n_bins[:, None]] = 0
        totals, slack = sums[0].sum(axis=0), np.full(3, 1e-9)
        fast = best_cuts(sums, n_bins, totals, slack, binary)
        plain = best_cuts_numpy(sums, n_bins, totals, slack, binary)
        for a, b in zip(fast, plain, strict=True):
            np.testing.assert_array_equal(a, b)


def test_order_of_rows_does_not_decide_ties():
    """Weights that add up differently in another order must not break ties differently."""
    rng = np.random.default_rng(6)
    features = rng.standard_normal((300, 1)).repeat(4, axis=1)  # four equal features
    weights = rng.standard_normal((300, 2)) * 10.0 ** rng.integers(-3, 4, (300, 1))
    first = DecisionStump().bind(features, "signed").best(weights)
    for _ in range(20):
        order = rng.permutation(300)
        again = DecisionStump().bind(features[order], "signed").best(weights[order])
        assert [c.hypothesis for c in again] == [c.hypothesis for c in first]
        assert all(c.hypothesis.feature == 0 for c in again)


def test_order_of_features_permutes_the_answer():
    rng = np.random.default_rng(7)
    features, weights = rng.standard_normal((80, 6)), rng.standard_normal((80, 4))
    order = rng.permutation(6)
    plain = DecisionStump().bind(features, "signed").best(weights)
    permuted = DecisionStump().bind(features[:, order], "signed").best(weights)
    for a, b in zip(plain, permuted, strict=True):
        assert a.hypothesis.feature == order[b.hypothesis.feature]
        assert a.score == b.score


def test_duplicated_rows_equal_doubled_weights():
    rng = np.random.default_rng(8)
    features, weights = rng.standard_normal((40, 3)), rng.standard_normal((40, 2))
    once = DecisionStump().bind(features, "signed").best(2 * weights)
    twice = DecisionStump().bind(np.tile(features, (2, 1)), "signed").best(np.tile(weights, (2, 1)))
    assert [c.hypothesis for c in once] == [c.hypothesis for c in twice]


@pytest.mark.parametrize("outputs", OUTPUTS)
def test_degenerate_input(outputs):
    one_row = DecisionStump().bind(np.array([[3.0, 4.0]]), outputs)
    constant = DecisionStump().bind(np.full((5, 2), 7.0), outputs)
    up, down = one_row.best(np.array([[2.0, -2.0]]))
    assert up.score == 2.0
    assert down.score == (2.0 if outputs == "signed" else -2.0)
    for candidate in (up, down, *constant.best(np.ones((5, 1))), *constant.best(-np.ones((5, 1)))):
        assert candidate.hypothesis.threshold == -np.inf
        assert candidate.hypothesis.feature == 0
    assert constant.best(np.zeros((5, 1)))[0].score == 0
    assert constant.best(np.empty((5, 0))) == []


def test_binned_features_are_used_unchanged():
    features = np.random.default_rng(9).standard_normal((30, 3))
    binned = bin_features(features, 8)
    assert DecisionStump().bind(binned, "signed").binned is binned


def test_contract():
    learner = DecisionStump()
    bound = learner.bind(np.zeros((2, 2)), "signed")
    assert isinstance(learner, WeakLearner)
    assert isinstance(bound, BoundLearner)
    assert bound.exact
    assert isinstance(Stump(0, 0.0), StorableHypothesis)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), "weights must have shape"),
        (np.ones((2, 1)), "weights must have shape"),
        (np.full((3, 1), np.nan), "weights must not contain NaN"),
    ],
)
def test_refuses_weights(weights, message):
    bound = DecisionStump().bind(np.zeros((3, 1)), "signed")
    with pytest.raises(ValueError, match=message):
        bound.best(weights)


def test_refuses_outputs():
    with pytest.raises(ValueError, match="outputs must be one of 'signed', 'binary'"):
        DecisionStump().bind(np.zeros((3, 1)), "real")


def test_feature_shares():
    assert Stump(1, 0.5).feature_shares(3).tolist() == [0, 1, 0]
    assert Stump(1, -np.inf).feature_shares(3).tolist() == [0, 0, 0]


def test_pack_and_unpack():
    stumps = [Stump(3, 0.1, -1), Stump(0, -np.inf, 1, "binary")]
    assert Stump.unpack(Stump.pack(stumps)) == stumps
    assert Stump.unpack(Stump.pack([])) == []


@pytest.mark.parametrize(
    "change",
    [
        {"feature": np.array([-1])},
        {"feature": np.array([0.0])},
        {"feature": np.array([[0]])},
        {"threshold": np.array([np.nan])},
        {"threshold": np.array([np.inf])},
        {"threshold": np.array([0.0, 1.0])},
        {"polarity": np.array([0])},
        {"binary": np.array([2])},
        {"binary": None},
    ],
)
def test_refuses_stored_arrays(change):
    arrays_ = {**Stump.pack([Stump(0, 0.0)]), **change}
    arrays_ = {k: v for k, v in arrays_.items() if v is not None}
    with pytest.raises(ValueError, match="stored"):
        Stump.unpack(arrays_)
