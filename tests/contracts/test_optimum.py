"""All solver options reach the optimum of the full LP, with valid bounds at every step."""

from dataclasses import replace
from itertools import pairwise

import pytest

from segboost.solver.options import SolverOptions
from tests.contracts.enumeration import hinge
from tests.contracts.limits import time_limit
from tests.contracts.problem import atom_scores, start
from tests.contracts.problems import PROBLEMS

EXACT = SolverOptions(n_iterations=2000, gap=1e-9, epsilon_cg=1e-9)
WAYS = {
    "one": EXACT,
    "each": replace(EXACT, slack="each"),
    "blocks": replace(EXACT, slack=3),
    "not adaptive": replace(EXACT, adaptive=False),
    "no centre": replace(EXACT, centre=0.0, patience=1),
    "best column": replace(EXACT, columns="best", slack=2),
    "primal": replace(EXACT, form="primal", slack="each"),
    "literal": EXACT.literal(),
    "literal, each": replace(EXACT, slack="each").literal(),
}
PRICES = (0.5, 5.0, 100.0)

problems = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
ways = pytest.mark.parametrize("way", WAYS)


def drain(problem, options):
    loop = start(problem.task, options)
    with time_limit(60):
        steps = list(loop.run())
    return loop, steps


@problems
@ways
@pytest.mark.parametrize("C", PRICES)
def test_the_optimum_of_the_full_lp_is_reached_with_valid_bounds(problem, way, C):
    best = problem.optimum(C).objective
    loop, steps = drain(problem, replace(WAYS[way], C=C))
    certificate = loop.certificate()
    assert certificate.objective == pytest.approx(best, rel=1e-6)
    assert certificate.global_bound == pytest.approx(best, rel=1e-6)
    assert certificate.exact
    assert certificate.reason == "optimal"
    tolerance = 1e-7 * best
    for step in steps:
        assert step.objective >= step.lower_bound - tolerance
        assert step.objective >= step.global_bound - tolerance
        assert step.objective >= best - tolerance
        assert step.global_bound <= best + tolerance
    objectives = [step.objective for step in steps]
    assert all(later <= before + tolerance for before, later in pairwise(objectives))
    bounds = [step.global_bound for step in steps]
    assert all(later >= before - tolerance for before, later in pairwise(bounds))
    assert certificate.gap <= 1e-6
    assert certificate.global_gap <= 1e-6
    assert certificate.column_score <= 1 + 1e-6


@problems
@ways
def test_the_objective_is_that_of_the_returned_weights(problem, way):
    """``1ᵀw + C Σ_i v_i max_y' [Δ − w·δψ]`` from the definition, with the stored hypotheses."""
    C = 5.0
    loop, _ = drain(problem, replace(WAYS[way], C=C))
    scores = atom_scores(loop, problem.task)
    assert (loop.weights >= 0).all()
    value = loop.weights.sum() + C * hinge(problem.examples, scores)
    assert loop.certificate().objective == pytest.approx(value, rel=1e-9)


@problems
@pytest.mark.parametrize("slack", ["one", "each", 3])
def test_a_loose_gap_is_kept_and_reported_in_the_last_step(problem, slack):
    options = SolverOptions(C=20.0, n_iterations=500, gap=1e-2, epsilon_cg=1e-3, slack=slack)
    loop, steps = drain(problem, options)
    certificate = loop.certificate()
    best = problem.optimum(20.0).objective
    assert certificate.gap <= 1e-2
    # The last step describes the same weights as the certificate.
    assert steps[-1].objective == certificate.objective
    assert steps[-1].lower_bound == certificate.lower_bound
    assert steps[-1].gap == certificate.gap
    # Error over all stumps: the gap, and a column score of 1 + ε, which scales the bound.
    assert best <= certificate.objective * (1 + 1e-9)
    assert certificate.objective * (1 - 1e-2) / (1 + 1e-3) <= best * (1 + 1e-9)


@problems
@pytest.mark.parametrize("form", ["dual", "primal"])
@pytest.mark.parametrize("epsilon", [0.1, 0.01])
def test_the_absolute_tolerance_bounds_the_error(problem, epsilon, form):
    C = 10.0
    options = SolverOptions(
        C=C, n_iterations=500, epsilon_cp=epsilon, epsilon_cg=1e-9, form=form, slack=2
    )
    loop, steps = drain(problem, options)
    certificate = loop.certificate()
    assert steps[-1].worst_violation <= epsilon
    assert certificate.objective - certificate.lower_bound <= C * epsilon + 1e-9
    assert certificate.objective - problem.optimum(C).objective <= C * epsilon + 1e-6
