from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segboost.weak.ramp import Ramp, RampLearner, moments, moments_numpy
from segboost.weak.stump import DecisionStump


def every_ramp(bound, outputs):
    """Yield all ramps and steps between knots, and the constants."""
    yield Ramp(0, -np.inf, -np.inf, 1, outputs)
    if outputs == "signed":
        yield Ramp(0, -np.inf, -np.inf, -1, outputs)
    for j, row in enumerate(bound.knots):
        knots = row[np.isfinite(row)]
        for low, high in itertools.combinations_with_replacement(knots, 2):
            if low == high and low in (knots[0], knots[-1]):
                continue  # at the ends a step is a constant, or splits off single values
            for polarity in (1, -1):
                yield Ramp(j, float(low), float(high), polarity, outputs)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 25),
    st.booleans(),
    st.sampled_from(["signed", "binary"]),
)
def test_the_best_ramp_is_the_best_of_all(seed, n, whole, outputs):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 2)) + (0.0 if whole else rng.random((n, 2)))
    W = rng.normal(size=(n, 2))
    bound = RampLearner(n_knots=9).bind(X, outputs)
    for weights, found in zip(W.T, bound.best(W), strict=True):
        best = max(weights @ ramp.predict(X) for ramp in every_ramp(bound, outputs))
        assert found.score == pytest.approx(best, abs=1e-9)
        np.testing.assert_array_equal(found.responses, found.hypothesis.predict(X))


def test_never_worse_than_a_stump():
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(60, 3)), rng.normal(size=(60, 5))
    ramps = RampLearner(n_knots=61).bind(X, "signed").best(W)
    stumps = DecisionStump(max_bins=60).bind(X, "signed").best(W)
    for ramp, stump in zip(ramps, stumps, strict=True):
        assert ramp.score >= stump.score - 1e-9


def test_moments_equal_their_numpy_twin():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 7, (3, 50)).astype(np.uint8)
    columns, weights = rng.normal(size=(3, 50)), rng.normal(size=50)
    found = moments(codes, columns, weights, 7)
    np.testing.assert_allclose(found, moments_numpy(codes, columns, weights, 7), atol=1e-12)


def test_a_ramp_over_the_range_is_linear():
    X = np.linspace(0, 4, 9)[:, None]
    np.testing.assert_allclose(Ramp(0, 0.0, 4.0).predict(X), X[:, 0] / 2 - 1)
    np.testing.assert_allclose(Ramp(0, 0.0, 4.0, -1, "binary").predict(X), 1 - X[:, 0] / 4)


def test_packed_and_back():
    ramps = [Ramp(2, -1.0, 3.0), Ramp(0, 1.0, 1.0, -1, "binary"), Ramp(0, -np.inf, -np.inf)]
    assert Ramp.unpack(Ramp.pack(ramps)) == ramps


@pytest.mark.parametrize(
    "change",
    [
        {"feature": [-1]},
        {"polarity": np.array([0], dtype=np.int8)},
        {"low": [np.nan]},
        {"low": [5.0]},
        {"high": [np.inf]},
        {"low": [-np.inf]},
        {"high": [1.0, 2.0]},
    ],
)
def test_damaged_arrays_are_refused(change):
    arrays = Ramp.pack([Ramp(2, -1.0, 3.0)])
    with pytest.raises(ValueError, match="stored"):
        Ramp.unpack(arrays | {k: np.asarray(v) for k, v in change.items()})


def test_rising_features_have_no_falling_ramps():
    X = np.column_stack([np.arange(8.0), np.arange(8.0)[::-1]])
    weights = -np.arange(8.0)[:, None] + 3.5
    free = RampLearner().bind(X).best(weights)[0]
    held = RampLearner(n_rising=1).bind(X).best(weights)[0]
    none = RampLearner(n_rising=2).bind(X[:, :1]).best(weights)[0]
    assert (free.hypothesis.feature, free.hypothesis.polarity) == (0, -1)
    assert (held.hypothesis.feature, held.hypothesis.polarity) == (1, 1)
    assert held.score == pytest.approx(free.score)
    assert none.score == pytest.approx(0.0)


@pytest.mark.parametrize("outputs", ["signed", "binary"])
def test_no_ramp_is_narrower_than_min_width(outputs):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), np.repeat([0.0, 1.0], 100)])
    for found in RampLearner(min_width=2.0).bind(X, outputs).best(rng.normal(size=(200, 20))):
        ramp = found.hypothesis
        least = min(2.0 * X[:, ramp.feature].std(), np.ptp(X[:, ramp.feature]))
        assert ramp.high - ramp.low >= least or np.isneginf(ramp.low)


@pytest.mark.parametrize("width", [-1.0, np.nan])
def test_bad_widths_are_refused(width):
    with pytest.raises(ValueError, match="min_width"):
        RampLearner(min_width=width)


def test_too_few_knots_are_refused():
    with pytest.raises(ValueError, match="n_knots"):
        RampLearner(n_knots=2)
