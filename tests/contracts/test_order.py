"""The order of examples, features, classes, nodes and edges does not matter."""

from dataclasses import replace

import numpy as np
import pytest

from segboost.solver.options import SolverOptions
from segboost.tasks.hierarchy import hierarchy_task
from segboost.tasks.multiclass import MulticlassTask, binary_task
from segboost.tasks.taxonomy import Taxonomy
from tests.contracts.class_problems import COST
from tests.contracts.enumeration import hinge
from tests.contracts.limits import time_limit
from tests.contracts.problem import atom_scores, start
from tests.contracts.problems import PROBLEMS

EXACT = SolverOptions(C=5.0, n_iterations=2000, gap=1e-9, epsilon_cg=1e-9, slack="each")
BY_NAME = {p.name: p for p in PROBLEMS}
UNIQUE = {"binary": 13.0, "multiclass": 2.0, "cost matrix": 8.0, "AUC": 5.0, "ordinal": 5.0}
"""Values of C at which the LP has a single optimum, so predictions are determined too."""

problems = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)


def solve(task, options, seed=0):
    loop = start(task, options, seed)
    with time_limit(60):
        for _ in loop.run():
            pass
    return loop


@problems
@pytest.mark.parametrize("seed", range(4))
def test_oracles_follow_a_permutation(problem, seed):
    rng = np.random.default_rng(seed)
    shuffled = problem.shuffle(problem.data, rng)
    task = problem.make(shuffled.data)
    scores = rng.exponential(0.5, problem.n_atoms)
    expected, found = (
        t.separate(s, "one") for t, s in ((problem.task, scores), (task, scores[shuffled.atoms]))
    )
    assert found.loss == pytest.approx(expected.loss, abs=1e-12)
    assert found.weights.toarray() == pytest.approx(
        expected.weights.toarray()[:, shuffled.atoms], abs=1e-12
    )
    decoded = task.decode(scores[shuffled.atoms])
    for one, other in zip(decoded, shuffled.map_outputs(problem.task.decode(scores)), strict=True):
        assert np.array_equal(one, other)


@problems
@pytest.mark.parametrize("slack", ["one", "each", 3])
def test_a_permuted_problem_has_the_same_optimum_and_its_weights_fit_the_original(problem, slack):
    options = replace(EXACT, slack=slack)
    best = problem.optimum(5.0).objective
    shuffled = problem.shuffle(problem.data, np.random.default_rng(7))
    task = problem.make(shuffled.data)
    loop = solve(task, options)
    assert loop.certificate().objective == pytest.approx(best, rel=1e-6)
    scores = np.empty(problem.n_atoms)
    scores[shuffled.atoms] = atom_scores(loop, task)
    value = loop.weights.sum() + 5.0 * hinge(problem.examples, scores)
    assert value == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize(("name", "C"), UNIQUE.items())
@pytest.mark.parametrize("slack", ["one", "each", 3])
def test_a_unique_optimum_gives_the_same_scores_and_predictions(name, C, slack):
    problem = BY_NAME[name]
    options = replace(EXACT, C=C, slack=slack)
    scores = atom_scores(solve(problem.task, options), problem.task)
    assert scores == pytest.approx(problem.optimum(C).scores, abs=1e-5)
    for seed in range(3):
        shuffled = problem.shuffle(problem.data, np.random.default_rng(seed))
        task = problem.make(shuffled.data)
        other = atom_scores(solve(task, options, seed), task)
        assert other == pytest.approx(scores[shuffled.atoms], abs=1e-5)
        if name not in ("AUC", "ordinal"):
            clear = _margins(task, other) > 1e-4
            expected = shuffled.map_outputs(problem.task.decode(scores))
            assert np.array_equal(task.decode(other)[clear], expected[clear])


def _margins(task, scores):
    ordered = np.sort(task.class_scores(scores), axis=1)
    return ordered[:, -1] - ordered[:, -2]


@pytest.mark.parametrize("cost", [None, COST], ids=["0/1", "cost"])
def test_the_names_of_classes_do_not_matter(cost):
    name, C = ("multiclass", 2.0) if cost is None else ("cost matrix", 8.0)
    problem = BY_NAME[name]
    X, y = problem.data["X"], problem.data["y"]
    options = replace(EXACT, C=C)
    first = solve(problem.task, options)
    scores = problem.task.class_scores(atom_scores(first, problem.task))
    for order in ([1, 2, 0], [2, 1, 0], [0, 2, 1]):
        place = np.argsort(order)
        permuted = None if cost is None else cost[np.ix_(order, order)]
        task = MulticlassTask(X, place[y], 3, permuted)
        loop = solve(task, options)
        assert loop.certificate().objective == pytest.approx(
            first.certificate().objective, rel=1e-6
        )
        other = task.class_scores(atom_scores(loop, task))
        assert other == pytest.approx(scores[:, order], abs=1e-5)


def test_binary_classes_can_be_exchanged():
    problem = BY_NAME["binary"]
    options = replace(EXACT, C=13.0)
    first = solve(problem.task, options)
    task = binary_task(problem.data["X"], 1 - problem.data["y"])
    other = solve(task, options)
    assert other.certificate().objective == pytest.approx(first.certificate().objective, rel=1e-6)
    assert atom_scores(other, task) == pytest.approx(-atom_scores(first, problem.task), abs=1e-5)


def test_the_order_of_a_taxonomy_does_not_matter():
    problem = BY_NAME["hierarchy"]
    tree = Taxonomy.from_nested({"all": {"right": {"far": ["d", "c"]}, "left": ["b", "a"]}})
    task = hierarchy_task(problem.data["X"], 3 - problem.data["y"], tree, "dcba")
    for C in (2.0, 20.0):
        loop = solve(task, replace(EXACT, C=C))
        assert loop.certificate().objective == pytest.approx(problem.optimum(C).objective, rel=1e-6)
