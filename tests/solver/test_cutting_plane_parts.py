"""The parts of the cutting planes, each with cuts of known violation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from segboost.solver.atoms import Cuts
from segboost.solver.cutting_plane import CuttingPlane
from segboost.solver.master import MasterSolution
from segboost.solver.options import SolverOptions
from segboost.solver.steps import relative_gap
from tests.solver.test_cutting_plane import plane_with_columns, task

ATOMS = 3 * 40


def plane(**options):
    """A plane without columns; every one of 40 examples is a block."""
    return CuttingPlane(task(), SolverOptions(C=20.0, slack="each", **options))


def cuts(violations):
    """Cuts of the first blocks that scores of 0 violate by these amounts, without slack."""
    n = len(violations)
    return Cuts(np.arange(n), np.array(violations), sparse.csr_array((n, ATOMS)))


SCORES = np.zeros(ATOMS)
NOTHING = MasterSolution(np.zeros(0), np.zeros(40), np.zeros(0), 0.0)


def test_only_cuts_beyond_the_tolerance_of_the_lp_are_added():
    found = plane()
    assert not found._add_violated(cuts([1.5e-9, 0.0, -1.0]), NOTHING, SCORES)
    assert len(found.working) == 0
    assert found.worst_violation == 1.5e-9
    assert found._add_violated(cuts([1.5e-9, 1e-3, -1.0, 2e-3]), NOTHING, SCORES)
    assert found.working.cuts.block.tolist() == [1, 3]
    assert found.worst_violation == 2e-3
    assert not found._add_violated(cuts([-1.0]), NOTHING, SCORES)
    assert found.worst_violation == 0.0


def test_slack_covers_a_violation():
    slack = np.zeros(40)
    slack[1] = 0.3
    solution = MasterSolution(np.zeros(0), slack, np.zeros(0), 0.0)
    found = plane()
    assert found._add_violated(cuts([0.2, 0.2]), solution, SCORES)
    assert found.working.cuts.block.tolist() == [0]


def test_the_absolute_precision_is_that_of_the_sum_of_violations():
    for epsilon, added in ((0.5, True), (0.6001, False)):
        found = plane(epsilon_cp=epsilon)
        assert found._add_violated(cuts([0.3, -5.0, 0.3]), NOTHING, SCORES) == added


def test_the_absolute_precision_replaces_the_gap():
    found = plane_with_columns(SolverOptions(C=20.0, slack="each", gap=0.9, epsilon_cp=1e-6))
    assert found.gap < 1e-5
    scores = found.pool.scores(found.solution.weights)
    left = found.task.separate(scores, "each")
    over = left.loss - left.weights @ scores - found.solution.slack[left.block]
    assert np.maximum(over, 0.0).sum() <= 1e-6


@pytest.mark.parametrize(("violations", "worth"), [([0.006, -1.0], True), ([0.004, -1.0], False)])
def test_known_outputs_are_used_if_they_close_a_tenth_of_the_gap(violations, worth, monkeypatch):
    found = plane()
    monkeypatch.setattr(found.task, "recall", lambda *_: cuts(violations), raising=False)
    found.best_objective, found.lower_bound = 2.0, 1.0  # C times 0.005 is a tenth
    assert found._recall(NOTHING, SCORES) == worth
    assert len(found.working) == worth
    monkeypatch.setattr(found.task, "recall", lambda *_: None, raising=False)
    assert not found._recall(NOTHING, SCORES)


def test_a_point_is_kept_if_it_is_better_and_not_if_it_is_equal():
    found = plane()
    first, second = np.array([1.0]), np.array([2.0])
    found._record(first, SCORES, cuts([0.1, -7.0]))
    assert found.best_objective == pytest.approx(1.0 + 20.0 * 0.1)
    found._record(second, SCORES, cuts([0.05]))  # 3 as well
    assert found.best_weights.tolist() == [1.0]
    first[0] = 9.0
    assert found.best_weights.tolist() == [1.0]
    found._record(second, SCORES, cuts([0.04]))
    assert found.best_weights.tolist() == [2.0]


def test_the_lower_bound_does_not_exceed_a_known_objective():
    found = plane_with_columns(SolverOptions(C=20.0))
    found.best_objective = found.solution.objective - 1e-3
    found._solve_master()
    assert found.lower_bound == found.best_objective


def test_the_oracle_is_asked_first_between_the_best_and_the_lp_point(monkeypatch):
    options = SolverOptions(C=20.0, slack="each", gap=0.3)
    found = plane_with_columns(options)
    points = []
    record = found._record
    monkeypatch.setattr(found, "_record", lambda w, *rest: (points.append(w), record(w, *rest)))
    best, lp = found.best_weights, found._solve_master().weights
    assert np.abs(best - lp).max() > 1e-3
    found._cut_off(found.solution, found.pool.scores(lp))
    np.testing.assert_allclose(points[0], 0.7 * best + 0.3 * lp, atol=1e-12)


def idle_plane(share):
    """A plane in which this share of the cuts has long been inactive, and its number of cuts."""
    found = plane_with_columns(SolverOptions(C=20.0, slack="each", gap=1e-3, patience=3))
    n = len(found.working)
    found.working._age = np.where(np.arange(n) < share * n, 10, 0)
    return found, n


def test_idle_cuts_are_purged_if_they_are_many():
    found, n = idle_plane(0.2)
    found._purged_at = -np.inf
    found._purge()
    assert len(found.working) == n
    found, n = idle_plane(0.5)
    found._purged_at = -np.inf
    found._purge()
    assert len(found.working) < 0.6 * n
    assert len(found.master.solve().multipliers) == len(found.working)


def test_nothing_is_purged_while_the_bound_stands_still():
    found, n = idle_plane(0.5)
    found._purged_at = found.lower_bound
    found._purge()
    assert len(found.working) == n
    found._purged_at = np.nextafter(found.lower_bound, -np.inf)
    found._purge()
    assert len(found.working) < n
    assert found._purged_at == found.lower_bound


def test_every_solve_may_purge_again(monkeypatch):
    found = plane_with_columns(SolverOptions(C=20.0, slack="each", gap=0.3))
    found._purged_at = np.inf
    seen = []
    monkeypatch.setattr(found, "_purge", lambda: seen.append(found._purged_at))
    found.solve(1e-6)
    assert seen[0] == -np.inf


def test_a_restored_plane_is_the_same():
    options = SolverOptions(C=20.0, slack="each", gap=1e-3)
    found = plane_with_columns(options)
    assert found.working.ages.any()
    again = CuttingPlane(task(), options)
    again.pool = found.pool
    again.load(found.dump())
    kept = again.dump()
    for name, array in found.dump().items():
        np.testing.assert_array_equal(kept[name], array, err_msg=name)
    assert again.gap == found.gap


def test_relative_gap():
    assert relative_gap(4.0, 3.0) == 0.25
    assert relative_gap(0.5, 0.25) == 0.5
    assert relative_gap(3.0, 4.0) == 0.0  # bounds that cross by rounding
    assert relative_gap(0.0, 0.0) == relative_gap(0.0, -1.0) == 0.0


def test_the_random_scores_of_the_start_stay_far_below_any_loss(monkeypatch):
    found, separate, asked = plane(), CuttingPlane._separate, []

    def record(self, scores):
        asked.append(scores)
        return separate(self, scores)

    monkeypatch.setattr(CuttingPlane, "_separate", record)
    found.start(np.random.default_rng(0))
    (noise,) = asked
    assert 0 <= noise.min() < noise.max() <= 1e-6
