"""Counts of wrongly ordered pairs against the double loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segboost.tasks.pair_counts import violated_pairs, violated_pairs_numpy


def double_loop(scores, ranks, weights, in_block):
    above, below = np.zeros(len(scores)), np.zeros(len(scores))
    for i in range(len(scores)):
        for j in range(len(scores)):
            if in_block[i] and ranks[i] > ranks[j] and scores[j] > scores[i] - 1.0:
                above[i] += weights[j]
                below[j] += weights[i]
    return above, below


# Quarters make ties, also at a distance of exactly 1.
rows = st.lists(
    st.tuples(
        st.one_of(st.integers(-8, 8).map(lambda v: v / 4), st.floats(-3, 3)),
        st.integers(0, 4),
        st.one_of(st.integers(0, 3).map(float), st.floats(0, 2)),
        st.booleans(),
    ),
    max_size=25,
)


@given(rows)
@settings(max_examples=300, deadline=None)
def test_counts_equal_the_double_loop(table):
    scores = np.array([r[0] for r in table], float)
    ranks = np.array([r[1] for r in table], np.intp)
    weights = np.array([r[2] for r in table], float)
    in_block = np.array([r[3] for r in table], bool)
    expected = double_loop(scores, ranks, weights, in_block)
    for count in (violated_pairs, violated_pairs_numpy):
        for found, want in zip(count(scores, ranks, weights, in_block), expected, strict=True):
            assert found == pytest.approx(want, rel=1e-12, abs=1e-12)


def test_a_distance_of_exactly_one_is_the_right_order():
    scores, ranks = np.array([1.0, 0.0]), np.array([1, 0])
    above, below = violated_pairs(scores, ranks, np.ones(2), np.ones(2, bool))
    assert above.tolist() == [0, 0]
    assert below.tolist() == [0, 0]
    above, below = violated_pairs(scores - [1e-9, 0], ranks, np.ones(2), np.ones(2, bool))
    assert above.tolist() == [1, 0]
    assert below.tolist() == [0, 1]


def test_both_sums_count_the_same_pairs_under_rounding():
    """Both sides must use the same rounded f − 1; otherwise loss and weights contradict."""
    rng = np.random.default_rng(0)
    for scale in (1e-9, 1.0, 1e8, 1e15):
        scores = rng.integers(0, 3, 400) + scale * rng.normal(0, 1, 400).round(3)
        ranks = rng.integers(0, 3, 400)
        above, below = violated_pairs(scores, ranks, np.ones(400), np.ones(400, bool))
        assert above.sum() == below.sum()


def test_many_rows_agree_with_the_twin():
    rng = np.random.default_rng(1)
    n = 1500
    scores, ranks = rng.normal(0, 1, n), rng.integers(0, 7, n)
    weights, in_block = rng.random(n), rng.random(n) < 0.5
    for found, want in zip(
        violated_pairs(scores, ranks, weights, in_block),
        violated_pairs_numpy(scores, ranks, weights, in_block),
        strict=True,
    ):
        assert found == pytest.approx(want, rel=1e-10)
