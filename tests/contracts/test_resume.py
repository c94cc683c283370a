"""A run that is saved and restored ends with the same bits."""

from itertools import islice

import numpy as np
import pytest

from segboost.solver.options import SolverOptions
from segboost.tasks.multiclass import MulticlassTask
from tests.contracts.limits import time_limit
from tests.contracts.problem import start
from tests.contracts.problems import PROBLEMS

problems = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)


def dumped_arrays(loop):
    """Return copies of the dumped arrays, which must be plain enough for a file."""
    arrays = loop.dump()
    for name, array in arrays.items():
        assert np.asarray(array).dtype.kind in "bif", name
    return {name: np.array(array) for name, array in arrays.items()}


@problems
@pytest.mark.parametrize("form", ["dual", "primal"])
@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize("slack", ["one", "each"])
def test_a_resumed_run_ends_with_the_same_bits(problem, form, adaptive, slack):
    options = SolverOptions(
        C=20.0, gap=1e-4, form=form, adaptive=adaptive, slack=slack, patience=3, n_iterations=200
    )
    whole = start(problem.task, options)
    steps, dumps = [], []
    with time_limit(60):
        for step in whole.run():
            steps.append(step)
            dumps.append(([c.hypothesis for c in whole.columns], dumped_arrays(whole)))
    for at in sorted({2, len(steps) // 2, len(steps) - 1, len(steps)} & set(range(1, 999))):
        second = start(problem.task, options, seed=99)
        second.load(*dumps[at - 1])
        with time_limit(60):
            rest = list(second.run())
        assert len(rest) == len(steps) - at
        for one, other in zip(rest, steps[at:], strict=True):
            assert one.objective == other.objective
            assert one.lower_bound == other.lower_bound
            assert one.n_cuts == other.n_cuts
        assert np.array_equal(second.weights, whole.weights)
        assert [c.hypothesis for c in second.columns] == [c.hypothesis for c in whole.columns]
        found, expected = second.certificate(), whole.certificate()
        assert found == expected


@problems
def test_the_same_seed_gives_the_same_bits(problem):
    options = SolverOptions(C=20.0)
    loops = [start(problem.task, options, seed=5) for _ in range(2)]
    for loop in loops:
        list(loop.run())
    assert np.array_equal(loops[0].weights, loops[1].weights)
    assert loops[0].certificate() == loops[1].certificate()


def test_a_run_that_never_had_a_column_can_be_resumed():
    problem = PROBLEMS[0]
    options = SolverOptions(C=1e-3)
    first = start(problem.task, options)
    assert len(list(first.run())) == 1
    assert len(first.columns) == 0
    second = start(problem.task, options)
    second.load([], dumped_arrays(first))
    list(second.run())
    assert second.certificate() == first.certificate()


@pytest.mark.parametrize("form", ["dual", "primal"])
def test_a_larger_run_resumed_before_its_last_refinement(form):
    """Differences in rounding only show in problems that need many pivots."""
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3
    X = y[:, None] + rng.normal(0, 0.7, (90, 5))
    task = MulticlassTask(X, y, 3)
    options = SolverOptions(C=20.0, gap=1e-4, form=form, slack="each", n_iterations=200)
    whole = start(task, options)
    with time_limit(60):
        steps = list(whole.run())
    assert steps[-1].iteration == steps[-2].iteration  # solved again, to the final gap
    for at in (len(steps) - 3, len(steps) - 1):
        first = start(task, options)
        list(islice(first.run(), at))
        second = start(task, options)
        second.load([c.hypothesis for c in first.columns], dumped_arrays(first))
        list(second.run())
        assert np.array_equal(second.weights, whole.weights)
        assert second.certificate() == whole.certificate()
