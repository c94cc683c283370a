"""The loop: how precisely every round is solved, and which columns are worth adding."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest

from segboost.solver.columns import Column
from segboost.solver.options import SolverOptions
from segboost.weak.base import Candidate
from tests.contracts.limits import time_limit
from tests.contracts.problem import start
from tests.solver.test_cutting_plane import task


def test_adaptive_rounds_are_solved_to_a_share_of_the_last_progress(monkeypatch):
    loop = start(task(), SolverOptions(C=20.0, gap=1e-4, n_iterations=10))
    solve, asked = loop._plane.solve, []

    def record(gap):
        asked.append(gap)
        solve(gap)

    monkeypatch.setattr(loop._plane, "solve", record)
    steps = list(loop.run())
    objectives = [20.0, *(step.objective for step in steps)]  # at w = 0: C times the largest loss
    progress = [(a - b) / a for a, b in pairwise(objectives[:-2])]
    expected = [0.1, *np.clip(0.2 * np.array(progress), 1e-4, 0.1), 1e-4]
    np.testing.assert_allclose(asked, expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("epsilon", [0.2, 0.6])
def test_columns_are_added_while_their_score_exceeds_the_tolerance(epsilon, seed):
    options = SolverOptions(C=20.0, gap=1e-3, epsilon_cg=epsilon, n_iterations=300, adaptive=False)
    loop = start(task(seed=seed), options)
    with time_limit(60):
        steps = list(loop.run())
    assert loop.certificate().reason == "optimal"
    scores = [step.column_score for step in steps]
    assert min(scores[:-1]) > 1 + epsilon >= scores[-1]


def test_the_global_gap_is_over_all_learners_and_the_gap_over_the_columns():
    loop = start(task(), SolverOptions(C=20.0, gap=1e-4, n_iterations=3))
    list(loop.run())
    found = loop.certificate()
    assert found.gap == pytest.approx((found.objective - found.lower_bound) / found.objective)
    expected = (found.objective - found.global_bound) / found.objective
    assert found.global_gap == pytest.approx(expected)
    assert found.global_gap > found.gap + 0.01  # three rounds are not enough


@pytest.mark.parametrize("channel", [-1, 3])
def test_known_columns_of_other_channels_are_refused(channel):
    earlier = start(task(), SolverOptions(C=20.0, n_iterations=1))
    list(earlier.run())
    loop = start(task(), SolverOptions(C=20.0))
    loop.add_known(earlier.columns)
    known = Column(channel, earlier.columns[0].hypothesis)
    with pytest.raises(ValueError, match=f"belongs to channel {channel}, but the task has only 3"):
        loop.add_known([known])


def test_further_columns_must_exceed_the_tolerance_too(monkeypatch):
    loop = start(task(), SolverOptions(C=20.0, epsilon_cg=0.5))
    loop._begin(0)
    good, poor = (Candidate(None, np.zeros(40), score) for score in (1.6, 1.4))
    monkeypatch.setattr(loop._pricer, "further", lambda weights: [(2, poor), (1, good)])
    assert loop._worth_adding([poor, good, poor]) == [(1, good), (1, good)]
    assert loop._worth_adding([poor, poor, poor]) == []


def test_a_loosely_solved_round_does_not_end_the_run():
    loop = start(task(), SolverOptions(C=20.0, gap=1e-5, epsilon_cg=0.6, n_iterations=300))
    steps = list(loop.run())
    assert loop.certificate().reason == "optimal"
    assert steps[-1].gap <= 1e-5


@pytest.mark.parametrize("exact_task", [True, False])
@pytest.mark.parametrize("exact_learners", [True, False])
def test_a_certificate_is_exact_only_if_both_oracles_are(exact_task, exact_learners, monkeypatch):
    problem = task()
    loop = start(problem, SolverOptions(C=20.0, n_iterations=2))
    list(loop.run())
    monkeypatch.setattr(type(problem), "exact", exact_task, raising=False)
    monkeypatch.setattr(type(loop._pricer), "exact", exact_learners, raising=False)
    assert loop.certificate().exact == (exact_task and exact_learners)


def test_oracle_calls_are_counted(monkeypatch):
    problem, asked = task(), []
    separate = problem.separate

    def record(scores, slack):
        asked.append(scores)
        return separate(scores, slack)

    monkeypatch.setattr(problem, "separate", record)
    steps = list(start(problem, SolverOptions(C=20.0, n_iterations=5)).run())
    assert steps[-1].n_oracle_calls == len(asked)


@pytest.mark.parametrize("n_iterations", [1, 50])
def test_the_global_bound_stays_below_an_optimum_near_zero(n_iterations):
    loop = start(task(), SolverOptions(C=0.02, gap=1e-4, n_iterations=n_iterations))
    list(loop.run())
    found = loop.certificate()
    assert 0 <= found.global_bound <= found.objective + 1e-9
    assert found.objective <= 0.02 + 1e-9


def test_steps_count_rounds_and_seconds_from_the_start_without_a_word(capfd):
    loop = start(task(), SolverOptions(C=20.0, n_iterations=4))
    begun = time.perf_counter()
    steps = list(loop.run())
    spent = time.perf_counter() - begun
    assert [step.iteration for step in steps] == [1, 2, 3, 4]
    seconds = [step.seconds for step in steps]
    assert 0 <= seconds[0] <= seconds[-1] <= spent + 1.0  # the loop was made just before
    assert capfd.readouterr() == ("", "")
