"""The separation oracles against all outputs of every example."""

import numpy as np
import pytest

from segboost.solver.atoms import Task, atom_offsets
from tests.contracts.enumeration import block_values
from tests.contracts.problems import PROBLEMS

problems = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
slacks = pytest.mark.parametrize("slack", ["one", "each", 1, 2, 4, "most"])


def slack_of(problem, slack):
    return problem.n_groups if slack == "most" else slack


@problems
@slacks
@pytest.mark.parametrize("weighted", [False, True])
def test_the_most_violated_cut_of_every_block_equals_enumeration(problem, slack, weighted):
    rng = np.random.default_rng(0)
    slack = slack_of(problem, slack)
    if weighted:
        weight = rng.integers(1, 5, problem.n_rows)
        problem = problem.variant({**problem.data, "sample_weight": weight})
    for scale in (0.0, 0.02, 0.2, 2.0):
        scores = problem.random_scores(rng, scale)
        expected = block_values(problem.examples, scores, slack)
        cuts = problem.task.separate(scores, slack)
        found = np.zeros(len(expected))
        found[cuts.block] = cuts.loss - cuts.weights @ scores
        assert problem.task.n_blocks(slack) == len(expected)
        assert len(np.unique(cuts.block)) == len(cuts)
        assert found == pytest.approx(expected, abs=1e-12)


@problems
@slacks
def test_a_cut_is_a_sum_of_outputs_of_its_block(problem, slack):
    """Loss and weights are those of one output (or none) of every example: a·s = Σ v δψ·s.

    With random scores the most violated outputs are unique, so they can be compared.
    """
    rng = np.random.default_rng(1)
    slack = slack_of(problem, slack)
    scores = rng.exponential(0.3, problem.n_atoms)
    cuts = problem.task.separate(scores, slack)
    n_blocks = problem.task.n_blocks(slack)
    loss = np.zeros(n_blocks)
    weights = np.zeros((n_blocks, problem.n_atoms))
    for number, e in enumerate(problem.examples):
        block = number if slack == "each" else e.group * n_blocks // problem.n_groups
        violations = e.violations(scores)
        worst = int(np.argmax(violations))
        if violations[worst] > 0:
            loss[block] += e.weight * e.loss[worst]
            weights[block] += e.weight * e.difference[worst]
    left_out = np.setdiff1d(np.arange(n_blocks), cuts.block)
    assert not loss[left_out].any()
    assert cuts.loss == pytest.approx(loss[cuts.block], abs=1e-12)
    assert cuts.weights.toarray() == pytest.approx(weights[cuts.block], abs=1e-12)


@problems
def test_decoding_maximises_the_score(problem):
    """No output of an example scores above the decoded one; rankings decode to their scores."""
    rng = np.random.default_rng(2)
    scores = rng.exponential(1.0, problem.n_atoms)
    decoded = problem.task.decode(scores)
    if problem.name in ("AUC", "ordinal"):
        assert np.array_equal(decoded, scores)
        return
    for i, e in enumerate(problem.examples):
        # F(y') − F(y_i) of all outputs; classes and labellings are listed in their order.
        gains = -(e.difference @ scores)
        if problem.name == "candidates":
            first = sum(len(f) for f in problem.data["frames"][:i])
            chosen = decoded[i] - first
        elif problem.name.startswith("CRF"):
            chosen = int("".join(map(str, decoded[i])), 2)
        else:
            chosen = decoded[i]
        assert gains[chosen] == pytest.approx(gains.max(), abs=1e-12)


@problems
def test_the_task_contract(problem):
    task = problem.task
    assert isinstance(task, Task)
    assert task.exact
    assert len({c.name for c in task.channels}) == len(task.channels)
    assert atom_offsets(task.channels)[-1] == problem.n_atoms
    assert task.n_blocks("one") == 1
    assert task.n_blocks("each") == len(problem.examples)
    for slack in (0, -1, problem.n_groups + 1, True, "two", 1.5, None):
        with pytest.raises(ValueError, match="slack"):
            task.n_blocks(slack)


@problems
def test_separation_does_not_modify_its_input(problem):
    scores = np.random.default_rng(3).exponential(1.0, problem.n_atoms)
    before = scores.copy()
    features = [c.features.copy() for c in problem.task.channels]
    first = problem.task.separate(scores, "one")
    second = problem.task.separate(scores, "one")
    problem.task.decode(scores)
    assert np.array_equal(scores, before)
    for channel, kept in zip(problem.task.channels, features, strict=True):
        assert np.array_equal(channel.features, kept)
    assert np.array_equal(first.loss, second.loss)
    assert np.array_equal(first.weights.toarray(), second.weights.toarray())
