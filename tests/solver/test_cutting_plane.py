"""The restricted problem: bounds, first cuts, purging and the start of a solve."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.solver.cutting_plane import CuttingPlane
from segboost.solver.loop import ColumnGeneration
from segboost.solver.options import SolverOptions
from segboost.solver.pricing import Pricer
from segboost.tasks.multiclass import MulticlassTask
from segboost.weak.stump import DecisionStump
from tests.contracts.limits import time_limit
from tests.contracts.problem import start


def task(m=40, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(m) % 3
    return MulticlassTask(y[:, None] + rng.normal(0, 0.9, (m, 4)), y, 3)


def plane_with_columns(options, rounds=4, seed=0):
    """A started plane with some columns, each priced at the last solution and solved for."""
    plane = CuttingPlane(task(seed=seed), options)
    pricer = Pricer(plane.task.channels, [DecisionStump()] * len(plane.task.channels))
    plane.start(np.random.default_rng(0))
    for _ in range(rounds):
        first = len(plane.pool)
        for channel, candidate in enumerate(pricer.price(plane.atom_weights())):
            plane.pool.add(channel, candidate)
        plane.add_columns(first)
        plane.solve(options.gap)
    return plane


def objective(plane, weights):
    """The value of weights with all outputs, by one call of the exact oracle."""
    cuts = plane.task.separate(plane.pool.scores(weights), plane.options.slack)
    slack = np.maximum(cuts.loss - cuts.weights @ plane.pool.scores(weights), 0.0)
    return weights.sum() + plane.options.C * slack.sum()


@pytest.mark.parametrize("slack", ["one", "each"])
@pytest.mark.parametrize("centre", [0.0, 0.7])
def test_the_best_objective_is_that_of_the_best_weights(slack, centre):
    options = SolverOptions(C=20.0, slack=slack, centre=centre, gap=1e-4)
    plane = plane_with_columns(options)
    assert plane.best_objective == pytest.approx(objective(plane, plane.best_weights))
    assert plane.lower_bound <= plane.best_objective
    assert plane.gap <= 1e-4


def test_weights_at_the_start_are_zero_and_their_objective_is_known():
    plane = CuttingPlane(task(), SolverOptions(C=20.0))
    plane.start(np.random.default_rng(0))
    assert plane.best_objective == pytest.approx(20.0)  # C times the largest loss, 1
    plane.pool.add(
        0, Pricer(plane.task.channels, [DecisionStump()] * 3).price(plane.atom_weights())[0]
    )
    plane.add_columns(0)
    assert plane.best_weights.tolist() == [0.0]


def test_ties_at_the_start_are_broken_by_the_seed():
    def first_cut(seed):
        plane = CuttingPlane(task(), SolverOptions(C=20.0))
        plane.start(np.random.default_rng(seed))
        return plane.working.cuts

    one, again, other = first_cut(1), first_cut(1), first_cut(2)
    assert (one.weights != again.weights).nnz == 0
    assert (one.weights != other.weights).nnz > 0
    assert one.loss == other.loss == pytest.approx(1.0)


def test_every_solve_starts_from_the_problem_and_its_basis_alone(monkeypatch):
    options = SolverOptions(C=20.0)
    plane = plane_with_columns(options)
    events = []
    monkeypatch.setattr(plane.master, "refresh", lambda: events.append("refresh"))
    solve = plane.master.solve
    monkeypatch.setattr(plane.master, "solve", lambda: (events.append("solve"), solve())[1])
    plane.solve(1e-6)
    assert events[0] == "refresh"
    assert events.count("refresh") == 1


@pytest.mark.parametrize("slack", ["one", "each"])
def test_purging_changes_only_the_number_of_cuts(slack):
    results = {}
    for patience in (None, 1, 3):
        options = SolverOptions(C=20.0, slack=slack, patience=patience, gap=1e-6)
        loop = start(task(), options)
        with time_limit(60):
            list(loop.run())
        results[patience] = loop.certificate()
    for patience in (1, 3):
        assert results[patience].n_cuts < results[None].n_cuts
        assert results[patience].objective == pytest.approx(results[None].objective, rel=1e-5)


def test_the_worst_violation_is_that_of_the_last_cuts():
    plane = plane_with_columns(SolverOptions(C=20.0, slack="each", centre=0.0, gap=1e-2))
    before = plane.solution
    plane.solve(1e-7)
    assert plane.worst_violation >= 0.0
    assert plane.worst_violation < 1e-5  # solved to the end: no cut is violated by more
    assert plane.solution is not before


def test_without_adaptive_precision_every_round_ends_at_the_final_gap():
    options = SolverOptions(C=20.0, adaptive=False, gap=1e-3, n_iterations=15)
    steps = list(start(task(), options).run())
    assert all(step.gap <= 1e-3 for step in steps)
    loose = list(start(task(), SolverOptions(C=20.0, gap=1e-3, n_iterations=15)).run())
    assert any(step.gap > 1e-3 for step in loose)


def test_the_last_round_is_solved_to_the_final_gap():
    for n_iterations in range(1, 6):
        options = SolverOptions(C=20.0, gap=1e-4, n_iterations=n_iterations)
        steps = list(start(task(), options).run())
        assert steps[-1].iteration == n_iterations
        assert steps[-1].gap <= 1e-4


def test_one_column_per_round_is_the_best_of_all_channels():
    problem = task()
    learners = [DecisionStump()] * len(problem.channels)
    options = SolverOptions(C=20.0, columns="best", n_iterations=6)
    loop = ColumnGeneration(problem, learners, options, np.random.default_rng(0))
    pricer = Pricer(problem.channels, learners)
    steps = loop.run()
    weights = None
    for count, _ in enumerate(steps, start=1):
        assert len(loop.columns) == count
        if weights is not None:
            best = max(enumerate(pricer.price(weights)), key=lambda item: item[1].score)
            assert loop.columns[-1].channel == best[0]
            assert loop.columns[-1].hypothesis == best[1].hypothesis
        weights = loop._plane.atom_weights()


def test_the_global_bound_never_falls_and_holds():
    options = SolverOptions(C=20.0, gap=1e-5, epsilon_cg=1e-6, n_iterations=300)
    with time_limit(60):
        steps = list(start(task(), options).run())
    bounds = [step.global_bound for step in steps]
    assert bounds == sorted(bounds)
    assert bounds[0] < steps[0].lower_bound  # the first columns are not enough
    assert bounds[-1] <= steps[-1].objective
    assert steps[-1].gap <= 1e-5  # a loosely solved round does not end the run
    assert bounds[-1] == pytest.approx(steps[-1].objective, rel=1e-3)


def watched(plane, monkeypatch):
    """Record the gap at every call of the oracle, the points judged and the cuts added."""
    gaps, points, violations = [], [], []
    separate, record, add = plane._separate, plane._record, plane._add

    def separate_watched(scores):
        gaps.append(plane.gap)
        return separate(scores)

    def record_watched(weights, scores, cuts):
        points.append(weights)
        record(weights, scores, cuts)

    def add_watched(cuts):
        scores = plane.pool.scores(plane.solution.weights)
        violations.extend(cuts.loss - cuts.weights @ scores - plane.solution.slack[cuts.block])
        add(cuts)

    for name, function in (
        ("_separate", separate_watched),
        ("_record", record_watched),
        ("_add", add_watched),
    ):
        monkeypatch.setattr(plane, name, function)
    return gaps, points, violations


@pytest.mark.parametrize("slack", ["one", "each"])
def test_the_oracle_is_asked_only_until_the_gap_is_closed(slack, monkeypatch):
    loose, tight = (SolverOptions(C=20.0, slack=slack, gap=gap) for gap in (0.3, 1e-3))
    plane = plane_with_columns(loose)
    plane.options = tight
    gaps, points, violations = watched(plane, monkeypatch)
    plane.solve(tight.gap)
    assert plane.gap <= tight.gap
    assert len(gaps) > 2
    assert min(gaps) > tight.gap
    assert len(points) == len(gaps)  # every call is used for the upper bound
    assert min(violations) > 0  # and only cuts that the LP point violates are added
