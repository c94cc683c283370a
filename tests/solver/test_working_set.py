"""The working set: order, ageing, removal."""

import numpy as np
import pytest
from scipy import sparse

from segboost.solver.atoms import Cuts
from segboost.solver.working_set import WorkingSet


def cuts(rng, n, n_atoms=6):
    weights = sparse.csr_array(rng.normal(0, 1, (n, n_atoms)) * (rng.random((n, n_atoms)) < 0.5))
    return Cuts(rng.integers(0, 3, n), rng.random(n), weights)


def test_cuts_keep_their_order_through_adding_and_removing():
    rng = np.random.default_rng(0)
    working = WorkingSet(6, patience=5)
    parts = [cuts(rng, n) for n in (2, 0, 3, 1)]
    for part in parts:
        working.add(part)
    block = np.concatenate([p.block for p in parts])
    loss = np.concatenate([p.loss for p in parts])
    dense = np.vstack([p.weights.toarray() for p in parts])
    for gone in ([1, 4], [0], []):
        working.remove(np.array(gone, int))
        block, loss = np.delete(block, gone), np.delete(loss, gone)
        dense = np.delete(dense, gone, axis=0)
        assert len(working) == len(loss)
        assert np.array_equal(working.cuts.block, block)
        assert np.array_equal(working.cuts.loss, loss)
        assert np.array_equal(working.cuts.weights.toarray(), dense)
        lam = rng.random(len(loss)) * (rng.random(len(loss)) < 0.7)
        assert working.atom_weights(lam) == pytest.approx(lam @ dense)


def test_idle_cuts_are_those_unused_for_longer_than_the_patience():
    rng = np.random.default_rng(1)
    working = WorkingSet(6, patience=2)
    working.add(cuts(rng, 3))
    for lam in ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]):
        working.note(np.array(lam))
        assert working.idle().tolist() == []
    working.note(np.array([1.0, 0.0, 0.5]))
    assert working.ages.tolist() == [0, 3, 0]
    assert working.idle().tolist() == [1]
    working.add(cuts(rng, 1))
    assert working.ages.tolist() == [0, 3, 0, 0]
    working.remove(working.idle())
    assert working.ages.tolist() == [0, 0, 0]
    assert working.idle().tolist() == []


def test_no_patience_keeps_all():
    working = WorkingSet(6, patience=None)
    working.add(cuts(np.random.default_rng(2), 4))
    for _ in range(50):
        working.note(np.zeros(4))
    assert working.idle().tolist() == []
    assert working.ages.tolist() == [50] * 4


def test_ages_can_be_given():
    working = WorkingSet(6, patience=3)
    working.add(cuts(np.random.default_rng(3), 2), np.array([7, 1]))
    assert working.idle().tolist() == [0]


def test_the_cuts_that_stay_keep_their_ages():
    working = WorkingSet(6, patience=3)
    working.add(cuts(np.random.default_rng(4), 4), np.array([7, 1, 9, 2]))
    working.remove(working.idle())
    assert working.ages.tolist() == [1, 2]


def test_small_multipliers_count():
    given = cuts(np.random.default_rng(5), 3)
    working = WorkingSet(6, patience=3)
    working.add(given)
    lam = np.array([1e-9, 0.0, 1e-12])
    expected = lam @ given.weights.toarray()
    np.testing.assert_allclose(working.atom_weights(lam), expected, rtol=1e-12)
