"""The parts of a window by themselves: ages of cuts and stumps, columns of its master."""

import numpy as np
import pytest

from segboost.solver.window import WindowBoost, WindowOptions
from segboost.solver.window_columns import CodeStump, StumpPool, weighted_sum, weighted_sum_numpy
from segboost.solver.window_cuts import CandidateCuts
from segboost.solver.window_master import WindowMaster


def cuts_of_three_places(patience):
    cuts = CandidateCuts(4, patience)
    cuts.add(np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([0.5, 0.6, 0.7]))
    return cuts


def test_a_cut_is_idle_after_more_solves_at_zero_than_its_patience():
    cuts = cuts_of_three_places(patience=2)
    idle = []
    for multipliers in ([1, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]):
        cuts.note(np.array(multipliers, dtype=float))
        idle.append(cuts.idle().tolist())
    assert idle == [[], [], [1], [1], [1], [0, 1, 2]]


def test_cuts_of_a_place_leave_once():
    cuts = cuts_of_three_places(patience=2)
    assert cuts.leave(1).tolist() == [1]
    assert cuts.leave(1).tolist() == []
    assert cuts.gone().tolist() == [1]
    cuts.remove(cuts.gone())
    assert cuts.place.tolist() == [0, 2]
    assert cuts.gone().tolist() == []
    right, wrong = cuts.atoms()
    assert right.tolist() == [0, 8]
    assert wrong.tolist() == [1, 11]


def test_the_stumps_unused_for_longest_are_stale():
    pool = StumpPool(4, 3, 5, 10)
    for feature in range(3):
        pool.add(CodeStump(feature, 1, 1, 2.0))
    nothing = np.zeros(3)
    assert pool.stale(3, nothing).tolist() == []  # none has been through a solve yet
    pool.note(np.array([0.0, 1.0, 0.0]))
    pool.note(np.array([1.0, 0.0, 0.0]))
    pool.note(np.array([0.0, 0.0, 0.0]))
    assert pool.stale(1, nothing).tolist() == [2]
    assert pool.stale(2, nothing).tolist() == [1, 2]
    assert pool.stale(3, np.array([0.0, 0.0, 1.0])).tolist() == [0, 1]
    pool.add(CodeStump(0, 2, 1, 2.0))
    assert pool.stale(9, np.zeros(4)).tolist() == [0, 1, 2]  # the new one is not stale


def test_a_removed_column_leaves_the_master():
    master = WindowMaster(2, cap=5.0)
    master.set_prices(np.array([10.0, 10.0]))
    master.add_cuts(np.array([0, 1]), np.array([1.0, 1.0]), np.zeros((2, 0)))
    entries = np.array([[1.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    master.add_columns(entries)
    assert master.solve().objective == pytest.approx(1.0)
    master.remove_columns(np.array([1]))
    left = master.solve()
    assert len(left.weights) == 2
    assert left.objective == pytest.approx(1.0)
    master.remove_columns(np.array([0]))
    only = master.solve()  # the third column serves the second cut, slack pays for the first
    np.testing.assert_allclose(only.weights, [0.5])
    np.testing.assert_allclose(only.slack, [1.0, 0.0])
    assert only.objective == pytest.approx(10.5)
    master.add_columns(np.array([[4.0], [0.0]]))
    np.testing.assert_allclose(master.solve().weights, [0.5, 0.25])


@pytest.mark.parametrize("seed", range(5))
def test_the_last_look_at_a_window_adds_no_cuts(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    window = WindowBoost(4, 6, 3, 5, WindowOptions(C=3.0, cap=0.3, patience=10**6))
    for place in range(4):
        codes = rng.integers(0, 5, (3, 6), dtype=np.uint8)
        window.place(place, codes, np.array([0.0, 0.5, 0.6, 0.7, 0.8, 0.9]))
    add, added = window._master.add_cuts, []

    def record(*given):
        added.append(given)
        add(*given)

    monkeypatch.setattr(window._master, "add_cuts", record)
    window.update(2)
    assert len(added) == 1  # the second round looks at w = 0 again; only the last look does not


def test_only_stumps_that_exceed_the_tolerance_are_added(monkeypatch):
    rng = np.random.default_rng(4)
    window = WindowBoost(2, 6, 3, 5, WindowOptions(C=3.0, cap=0.3, epsilon_cg=0.5))
    for place in range(2):
        codes = rng.integers(0, 5, (3, 6), dtype=np.uint8)
        window.place(place, codes, np.array([0.0, 0.5, 0.6, 0.7, 0.8, 0.9]))
    window.update(1)
    before = len(window.pool)
    good, poor = CodeStump(0, 1, 1, 1.6), CodeStump(1, 1, 1, 1.4)
    monkeypatch.setattr(window.pool, "price", lambda *given: [good, poor])
    assert window._grow()
    assert len(window.pool) == before + 1
    assert window.pool.feature[-1] == 0


def test_stumps_stay_while_there_is_room():
    rng = np.random.default_rng(8)
    window = WindowBoost(3, 6, 3, 5, WindowOptions(C=3.0, cap=0.3, max_columns=200))
    seen = 0
    for step in range(20):
        codes = rng.integers(0, 5, (3, 6), dtype=np.uint8)
        window.place(step % 3, codes, np.array([0.0, 0.5, 0.6, 0.7, 0.8, 0.9]))
        first = window.pool.feature.tolist()
        window.update(2)
        assert window.pool.feature[: len(first)].tolist() == first
        seen = max(seen, len(first))
    assert seen > 5


def test_the_last_solution_of_an_update_is_considered():
    rng = np.random.default_rng(9)
    window = WindowBoost(1, 6, 3, 5, WindowOptions(C=3.0, cap=1.0, memory=0.0))
    codes = rng.integers(0, 5, (3, 6), dtype=np.uint8)
    window.place(0, codes, np.array([0.0, 0.5, 0.6, 0.7, 0.8, 0.9]))
    window.update(2)  # both rounds look at w = 0; only the last solution has stumps
    assert window.weights.max() > 0


def test_the_kernel_sums_rows_like_numpy():
    rng = np.random.default_rng(0)
    responses = rng.integers(-3, 4, (7, 30)).astype(np.int8)
    rows, weights = np.array([0, 3, 6]), rng.random(3)
    np.testing.assert_allclose(
        weighted_sum(responses, rows, weights), weighted_sum_numpy(responses, rows, weights)
    )


def test_the_defaults_of_a_window():
    assert WindowOptions() == WindowOptions(
        C=2.0,
        cap=0.005,
        max_columns=300,
        columns_per_round=8,
        memory=0.3,
        epsilon_cg=1e-2,
        patience=10,
    )
