"""The CRF task: separation against enumeration, and invalid instances."""

import itertools

import numpy as np
import pytest

from segboost.solver.atoms import Task, atom_offsets
from segboost.tasks.crf import CRFInstance, CRFTask


def random_instance(rng, n_nodes, n_unary=3, n_pairwise=2, weighted=False):
    pairs = np.array(list(itertools.combinations(range(n_nodes), 2)), int).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < 0.5]
    return CRFInstance(
        rng.normal(0, 1, (n_nodes, n_unary)),
        edges,
        rng.random((len(edges), n_pairwise)),
        rng.integers(0, 2, n_nodes),
        rng.random(n_nodes) * 3 if weighted else None,
    )


def random_task(seed, weighted=False, sizes=(1, 4, 6, 3, 7)):
    rng = np.random.default_rng(seed)
    weight = rng.random(len(sizes)) + 0.1 if weighted else None
    return CRFTask([random_instance(rng, n, weighted=weighted) for n in sizes], weight), rng


def random_scores(task, rng, scale=1.0):
    """Return scores of linear weights, those of edges not negative."""
    unary, pairwise = (c.features for c in task.channels)
    return np.concatenate(
        [unary @ rng.normal(0, scale, unary.shape[1]), pairwise @ rng.random(pairwise.shape[1])]
    )


def labellings(n):
    return np.array(list(itertools.product((0, 1), repeat=n)), int).reshape(2**n, n)


def energies_of(task, scores, k):
    """Return all labellings of instance k and their energies, from the definition."""
    sizes = [i.n_nodes for i in task.instances]
    n_nodes, node = sum(sizes), sum(sizes[:k])
    edge = 2 * n_nodes + sum(i.n_edges for i in task.instances[:k])
    instance = task.instances[k]
    y = labellings(sizes[k])
    value = np.array(
        [
            sum(scores[node + p + n_nodes * label] for p, label in enumerate(row))
            + sum(scores[edge + e] for e, (p, q) in enumerate(instance.edges) if row[p] != row[q])
            for row in y
        ]
    )
    return y, value


def worst_by_enumeration(task, scores):
    """Return max_y Δ − [E(y) − E(truth)] of every instance, unweighted."""
    worst = []
    for k, instance in enumerate(task.instances):
        y, value = energies_of(task, scores, k)
        cost = 1.0 if instance.node_weight is None else instance.node_weight
        loss = ((y != instance.labels) * cost).sum(axis=1)
        truth = value[(y == instance.labels).all(axis=1)][0]
        worst.append((loss - (value - truth)).max())
    return np.array(worst)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("slack", ["one", "each", 2, 3])
def test_separation_equals_enumeration(slack, weighted):
    for seed in range(6):
        task, rng = random_task(seed, weighted)
        m = len(task.instances)
        v = task.example_weight
        for scale in (0.0, 0.3, 2.0):
            scores = random_scores(task, rng, scale)
            cuts = task.separate(scores, slack)
            n_blocks = task.n_blocks(slack)
            expected = np.bincount(
                np.arange(m) * n_blocks // m, v * worst_by_enumeration(task, scores), n_blocks
            )
            found = np.zeros(n_blocks)
            found[cuts.block] = cuts.loss - cuts.weights @ scores
            assert found == pytest.approx(expected, abs=1e-10)


def test_a_cut_is_the_difference_of_potentials_for_every_weak_learner():
    """For any φ on atoms, a·φ = Σ v [Σ φ(atoms of y') − Σ φ(atoms of the truth)]."""
    task, rng = random_task(5)
    scores = random_scores(task, rng)
    cuts = task.separate(scores, "each")
    phi = rng.normal(0, 1, scores.size)
    for row, k in enumerate(cuts.block):
        y, value = energies_of(task, phi, k)
        truth = (y == task.instances[k].labels).all(axis=1)
        differences = (value - value[truth][0]) * task.example_weight[k]
        losses = (y != task.instances[k].labels).sum(axis=1) * task.example_weight[k]
        match = np.isclose(differences, cuts.weights[[row]] @ phi) & np.isclose(
            losses, cuts.loss[row]
        )
        assert match.any()


def test_decoding_equals_enumeration():
    task, rng = random_task(1)
    scores = random_scores(task, rng)
    for k, found in enumerate(task.decode(scores)):
        y, value = energies_of(task, scores, k)
        assert np.array_equal(found, y[value.argmin()])


def test_energies_are_the_terms_of_the_instance():
    task, rng = random_task(2)
    scores = random_scores(task, rng)
    for k, instance in enumerate(task.instances):
        theta, capacity = task.energies(scores, k)
        y, value = energies_of(task, scores, k)
        for row, expected in zip(y, value, strict=True):
            cut = row[instance.edges[:, 0]] != row[instance.edges[:, 1]]
            own = theta[np.arange(row.size), row].sum() + capacity[cut].sum()
            assert own == pytest.approx(expected)


def test_layout_and_protocol():
    task, _ = random_task(0)
    assert isinstance(task, Task)
    unary, pairwise = task.channels
    n_nodes = sum(i.n_nodes for i in task.instances)
    n_edges = sum(i.n_edges for i in task.instances)
    assert (unary.outputs, pairwise.outputs) == ("signed", "binary")
    assert unary.features.shape == (2 * n_nodes, 4)
    assert np.array_equal(unary.features[:n_nodes], -unary.features[n_nodes:])
    assert (unary.features[n_nodes:, -1] == 1).all()
    assert pairwise.features.shape == (n_edges, 2)
    assert atom_offsets(task.channels)[-1] == 2 * n_nodes + n_edges
    assert CRFTask(task.instances, fit_intercept=False).channels[0].features.shape[1] == 3


def test_order_of_nodes_edges_and_instances_does_not_matter():
    task, rng = random_task(3)
    u, v = rng.normal(0, 1, 4), rng.random(2)
    shuffled = []
    for i in task.instances:
        node, edge = rng.permutation(i.n_nodes), rng.permutation(i.n_edges)
        edges = np.argsort(node)[i.edges[edge]][:, ::-1]
        shuffled.append(CRFInstance(i.unary[node], edges, i.pairwise[edge], i.labels[node]))
    other = CRFTask(shuffled[::-1])

    def cut(t):
        unary, pairwise = (c.features for c in t.channels)
        found = t.separate(np.concatenate([unary @ u, pairwise @ v]), "one")
        n = len(unary)
        dense = found.weights.toarray()
        return np.concatenate([found.loss, (dense[:, :n] @ unary)[0], (dense[:, n:] @ pairwise)[0]])

    assert cut(other) == pytest.approx(cut(task), abs=1e-12)


def test_degenerate_instances():
    empty = CRFInstance(np.zeros((0, 2)), np.zeros((0, 2), int), np.zeros((0, 1)), np.zeros(0))
    single = CRFInstance(np.ones((1, 2)), [], np.zeros((0, 1)), [True])
    task = CRFTask([empty, single, empty])
    scores = np.array([0.25, -0.25])
    assert [d.tolist() for d in task.decode(scores)] == [[], [1], []]
    cuts = task.separate(scores, "each")
    assert cuts.block.tolist() == [1]
    assert cuts.loss == pytest.approx([1 / 3])
    assert cuts.weights.toarray() == pytest.approx(np.array([[1 / 3, -1 / 3]]))


def test_without_pairwise_potentials_a_constant_is_used():
    instance = CRFInstance(np.ones((2, 1)), [[0, 1]], np.zeros((1, 0)), [0, 1])
    assert CRFTask([instance]).channels[1].features.tolist() == [[1.0]]


def test_instances_without_labels_decode_but_do_not_separate():
    task = CRFTask([CRFInstance(np.ones((2, 1)), [[0, 1]], np.ones((1, 1)))])
    scores = np.zeros(5)
    assert task.decode(scores)[0].tolist() == [0, 0]
    with pytest.raises(ValueError, match="needs a label for every node"):
        task.separate(scores, "one")


def test_scores_that_break_the_energy_are_refused():
    task, rng = random_task(4)
    good = random_scores(task, rng)
    for value, message in ((-1.0, "capacity"), (np.nan, "capacity"), (np.inf, "capacity")):
        bad = good.copy()
        bad[-1] = value
        with pytest.raises(ValueError, match=message):
            task.separate(bad, "one")
    with pytest.raises(ValueError, match="scores has shape"):
        task.decode(good[:-1])


GOOD = {
    "unary": np.ones((3, 2)),
    "edges": np.array([[0, 1], [1, 2]]),
    "pairwise": np.ones((2, 1)),
    "labels": np.array([0, 1, 1]),
    "node_weight": np.ones(3),
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("unary", np.ones(3)),
        ("unary", np.full((3, 2), np.nan)),
        ("edges", [[0, 3], [0, 1]]),
        ("edges", [[0, 0], [0, 1]]),
        ("edges", [[0.5, 1.0], [0.0, 1.0]]),
        ("pairwise", np.ones((3, 1))),
        ("pairwise", -np.ones((2, 1))),
        ("pairwise", np.full((2, 1), np.inf)),
        ("labels", [0, 1]),
        ("labels", [0, 1, 1.5]),
        ("labels", [-2, 1, 1]),
        ("labels", [0, 1, np.nan]),
        ("node_weight", [1, 1]),
        ("node_weight", [1, -1, 1]),
        ("node_weight", [1, np.inf, 1]),
    ],
)
def test_a_bad_argument_is_named(name, value):
    with pytest.raises(ValueError, match=name):
        CRFInstance(**{**GOOD, name: value})


def test_mismatched_instances_are_refused():
    good = CRFInstance(**GOOD)
    with pytest.raises(ValueError, match="empty"):
        CRFTask([])
    with pytest.raises(ValueError, match="not CRFInstance"):
        CRFTask([good, "graph"])
    with pytest.raises(ValueError, match=r"instances\[1\] has 1 unary potentials"):
        CRFTask([good, CRFInstance(**{**GOOD, "unary": np.ones((3, 1))})])
    with pytest.raises(ValueError, match="sample_weight"):
        CRFTask([good], sample_weight=[1, 2])
