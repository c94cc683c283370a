"""The pool of columns against dense algebra."""

import numpy as np
import pytest
from scipy import sparse

from segboost.solver.atoms import Channel
from segboost.solver.columns import ColumnPool
from segboost.weak.base import Candidate
from segboost.weak.stump import Stump


def filled(seed, sizes=(5, 0, 3), n=17):
    rng = np.random.default_rng(seed)
    channels = tuple(Channel(f"c{i}", np.zeros((s, 1))) for i, s in enumerate(sizes))
    start = np.concatenate([[0], np.cumsum(sizes)])
    pool, dense = ColumnPool(channels), np.zeros((n, sum(sizes)))
    for j in range(n):
        c = int(rng.integers(0, len(sizes)))
        responses = rng.choice([-1.0, 1.0], sizes[c])
        dense[j, start[c] : start[c + 1]] = responses
        pool.add(c, Candidate(Stump(0, 0.0), responses, 0.0))
    return pool, dense, rng


@pytest.mark.parametrize("seed", range(5))
def test_scores_and_entries_equal_dense_algebra(seed):
    pool, dense, rng = filled(seed)
    assert pool.n_atoms == 8
    assert len(pool) == 17
    w = rng.random(17) * (rng.random(17) < 0.5)
    assert pool.scores(w) == pytest.approx(w @ dense)
    cuts = rng.normal(0, 1, (4, 8)) * (rng.random((4, 8)) < 0.6)
    for first in (0, 1, 9, 16, 17):
        found = pool.entries(sparse.csr_array(cuts), first)
        assert found == pytest.approx(cuts @ dense[first:].T)
        assert found.shape == (4, 17 - first)
    assert pool.entries(sparse.csr_array((0, 8))).shape == (0, 17)


def test_an_empty_pool_scores_zero():
    pool = ColumnPool((Channel("c", np.zeros((3, 1))),))
    assert pool.scores(np.zeros(0)).tolist() == [0, 0, 0]
    assert pool.entries(sparse.csr_array(np.ones((2, 3)))).shape == (2, 0)


def test_later_columns_leave_earlier_scores_alone():
    pool, dense, rng = filled(9, sizes=(4,), n=3)
    scores = pool.scores(np.array([0.5, 0.0, 2.0]))
    kept = scores.copy()
    for _ in range(40):
        pool.add(0, Candidate(Stump(0, 0.0), rng.choice([-1.0, 1.0], 4), 0.0))
    assert np.array_equal(scores, kept)
    assert pool.scores(np.append([0.5, 0.0, 2.0], np.zeros(40))) == pytest.approx(
        np.array([0.5, 0.0, 2.0]) @ dense
    )


def test_small_weights_count():
    pool, dense, _ = filled(3, sizes=(4,), n=2)
    weights = np.array([1e-9, 1e-12])
    np.testing.assert_allclose(pool.scores(weights), weights @ dense, rtol=1e-12)
