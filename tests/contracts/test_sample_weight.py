"""A weight of k counts as k copies, a weight of 0 as none, and only ratios matter."""

import numpy as np
import pytest

from segboost.solver.options import SolverOptions
from tests.contracts.limits import time_limit
from tests.contracts.problem import start
from tests.contracts.problems import PROBLEMS

EXACT = SolverOptions(C=10.0, n_iterations=2000, gap=1e-9, epsilon_cg=1e-9, slack="each")
problems = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)


def objective(task):
    loop = start(task, EXACT)
    with time_limit(60):
        list(loop.run())
    return loop.certificate().objective


@problems
@pytest.mark.parametrize("seed", range(3))
def test_integer_weights_are_copies(problem, seed):
    counts = np.random.default_rng(seed).integers(0, 4, problem.n_rows)
    counts[:2] = np.maximum(counts[:2], 1)  # the first two rows are of two classes
    weighted = problem.variant({**problem.data, "sample_weight": counts})
    copied = problem.variant(problem.repeat(problem.data, counts))
    value = objective(weighted.task)
    assert value == pytest.approx(objective(copied.task), rel=1e-6)
    assert value == pytest.approx(weighted.optimum(10.0).objective, rel=1e-6)
    # The weights matter: without them the optimum differs.
    assert value != pytest.approx(problem.optimum(10.0).objective, rel=1e-4)


@problems
def test_only_ratios_matter(problem):
    weight = np.random.default_rng(0).random(problem.n_rows) + 0.1
    one, other = (
        problem.variant({**problem.data, "sample_weight": weight * factor}) for factor in (1, 1e3)
    )
    assert objective(one.task) == pytest.approx(objective(other.task), rel=1e-6)


@problems
@pytest.mark.parametrize("bad", ["short", "negative", "nan", "zero"])
def test_bad_weights_are_refused(problem, bad):
    weight = np.ones(problem.n_rows)
    if bad == "short":
        weight = weight[:-1]
    weight[0] = {"negative": -1.0, "nan": np.nan}.get(bad, 1.0)
    if bad == "zero":
        weight[:] = 0.0
    with pytest.raises(ValueError, match="sample_weight"):
        problem.make({**problem.data, "sample_weight": weight})
