"""CRFs with several classes: separation against enumeration, two classes against the binary CRF."""

import itertools

import numpy as np
import pytest

from segboost.solver.atoms import StatefulTask, Task
from segboost.tasks.crf import CRFInstance, CRFTask
from segboost.tasks.crf_classes import MulticlassCRFTask
from segboost.tasks.crf_partial import complete


def random_graph(rng, n_nodes, n_classes, weighted=False):
    pairs = np.array(list(itertools.combinations(range(n_nodes), 2)), int).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < 0.5]
    labels = rng.integers(0, n_classes, n_nodes)
    unary = rng.normal(size=(n_nodes, 3))
    weight = rng.integers(0, 4, n_nodes) if weighted else None
    return CRFInstance(unary, edges, rng.random((len(edges), 2)), labels, weight)


def random_task(seed, n_classes, costs=None, sizes=(4, 1, 5, 3)):
    rng = np.random.default_rng(seed)
    graphs = [random_graph(rng, n, n_classes, weighted=True) for n in sizes]
    weight = rng.integers(1, 4, len(graphs))
    return MulticlassCRFTask(graphs, n_classes, weight, label_costs=costs), weight, rng


def random_scores(task, rng):
    *unary, pairwise = task.channels
    signed = rng.normal(0, 1.5, sum(c.n_atoms for c in unary))
    return np.concatenate([signed, rng.exponential(0.5, pairwise.n_atoms)])


def violations(task, scores, number, factor):
    """Return Δ(y_i, y) + E(y_i) − E(y) of every labelling of one instance."""
    g = task.instances[number]
    theta, capacity = task.energies(scores, number)
    y = np.array(list(itertools.product(range(task.n_classes), repeat=g.n_nodes)))
    tail, head = g.edges.T
    energy = theta[np.arange(g.n_nodes), y].sum(axis=1) + factor[y[:, tail], y[:, head]] @ capacity
    loss = (y != g.labels) @ (np.ones(g.n_nodes) if g.node_weight is None else g.node_weight)
    truth = np.flatnonzero((y == g.labels).all(axis=1))[0]
    return loss + energy[truth] - energy


@pytest.mark.parametrize("costs", [None, [[0, 1, 2], [1, 0, 1.5], [2, 1.5, 0]]])
def test_cuts_are_violated_labellings_and_mostly_the_worst(costs):
    factor = 1 - np.eye(3) if costs is None else np.array(costs)
    equal = []
    for seed in range(12):
        task, weight, rng = random_task(seed, 3, costs)
        scores = random_scores(task, rng)
        cuts = task.separate(scores, "each")
        found = np.zeros(len(task.instances))
        found[cuts.block] = cuts.loss - cuts.weights @ scores
        for i, share in enumerate(weight / weight.sum()):
            worst = share * violations(task, scores, i, factor).max()
            assert found[i] <= worst + 1e-9
            equal.append(found[i] >= worst - 1e-9)
        one = task.separate(scores, "one")
        assert one.loss[0] - (one.weights @ scores)[0] == pytest.approx(found.sum())
    assert np.mean(equal) >= 0.95


def test_two_classes_are_the_binary_crf():
    for seed in range(10):
        task, weight, rng = random_task(seed, 2)
        binary = CRFTask(task.instances, weight)
        scores = random_scores(task, rng)
        assert task.exact
        for slack in ("each", 2):
            ours, theirs = task.separate(scores, slack), binary.separate(scores, slack)
            assert np.array_equal(ours.block, theirs.block)
            np.testing.assert_allclose(ours.loss, theirs.loss)
            np.testing.assert_allclose(ours.weights.toarray(), theirs.weights.toarray())
        for a, b in zip(task.decode(scores), binary.decode(scores), strict=True):
            assert np.array_equal(a, b)


def test_renumbering_classes_renumbers_cuts_and_labels():
    order = np.array([2, 0, 3, 1])  # the old class of every new one
    for seed in range(10):
        task, weight, rng = random_task(seed, 4)
        scores = random_scores(task, rng)
        n_nodes = sum(g.n_nodes for g in task.instances)
        place = np.concatenate([np.arange(n_nodes) + k * n_nodes for k in order])
        atoms = np.concatenate([place, np.arange(4 * n_nodes, len(scores))])
        graphs = [
            CRFInstance(g.unary, g.edges, g.pairwise, np.argsort(order)[g.labels], g.node_weight)
            for g in task.instances
        ]
        other = MulticlassCRFTask(graphs, 4, weight)
        ours, theirs = task.separate(scores, "each"), other.separate(scores[atoms], "each")
        np.testing.assert_allclose(theirs.loss, ours.loss)
        np.testing.assert_allclose(theirs.weights.toarray(), ours.weights.toarray()[:, atoms])
        for a, b in zip(task.decode(scores), other.decode(scores[atoms]), strict=True):
            assert np.array_equal(order[b], a)


def test_decoding_together_equals_decoding_alone():
    task, _, rng = random_task(3, 3)
    scores = random_scores(task, rng)
    together = task.decode(scores)
    for i, g in enumerate(task.instances):
        alone = MulticlassCRFTask([g], 3)
        theta, capacity = task.energies(scores, i)
        found = alone.decode(np.concatenate([theta.T.ravel(), capacity]))
        assert np.array_equal(found[0], together[i])


def test_the_state_is_restored_and_decoding_does_not_change_it():
    task, weight, rng = random_task(5, 3)
    assert isinstance(task, StatefulTask)
    assert not isinstance(CRFTask(random_task(5, 2)[0].instances), StatefulTask)
    assert isinstance(task, Task)
    assert not task.exact
    assert task.dump() == {}
    task.separate(random_scores(task, rng), "each")
    state = task.dump()["last"].copy()
    task.decode(random_scores(task, rng))
    assert np.array_equal(task.dump()["last"], state)
    other = MulticlassCRFTask(task.instances, 3, weight)
    other.load(task.dump())
    scores = random_scores(task, rng)
    first, second = task.separate(scores, "one"), other.separate(scores, "one")
    assert np.array_equal(first.weights.toarray(), second.weights.toarray())


def test_unknown_labels_are_completed_with_the_best_ones():
    rng = np.random.default_rng(6)
    equal = []
    for _ in range(20):
        g = random_graph(rng, 6, 3)
        labels = np.where(rng.random(6) < 0.5, -1, g.labels)
        part = CRFInstance(g.unary, g.edges, g.pairwise, labels)
        theta, capacity = rng.normal(size=(6, 3)), rng.exponential(0.5, g.n_edges)
        done = complete(part, theta, capacity)
        y = np.array(list(itertools.product(range(3), repeat=6)))
        y = y[((y == labels) | (labels == -1)).all(axis=1)]
        tail, head = g.edges.T
        energy = theta[np.arange(6), y].sum(axis=1) + (y[:, tail] != y[:, head]) @ capacity
        place = np.flatnonzero((y == done.labels).all(axis=1))
        assert len(place) == 1
        equal.append(energy[place[0]] <= energy.min() + 1e-9)
        assert np.array_equal(done.node_weight, np.where(labels == -1, 0.0, 1.0))
    assert np.mean(equal) >= 0.9


def test_mismatched_arguments_are_refused():
    rng = np.random.default_rng(7)
    graph = random_graph(rng, 4, 3)
    with pytest.raises(ValueError, match="below n_classes=2"):
        MulticlassCRFTask([CRFInstance(graph.unary, graph.edges, graph.pairwise, [0, 1, 2, 0])], 2)
    with pytest.raises(ValueError, match="MulticlassCRFTask"):
        CRFTask([CRFInstance(graph.unary, graph.edges, graph.pairwise, [0, 1, 2, 0])])
    with pytest.raises(ValueError, match="factor"):
        MulticlassCRFTask([graph], 3, label_costs=np.ones((3, 3)))
    task = MulticlassCRFTask([CRFInstance(graph.unary, graph.edges, graph.pairwise)], 3)
    with pytest.raises(ValueError, match="needs a label for every node"):
        task.separate(np.zeros(12 + graph.n_edges), "one")
    with pytest.raises(ValueError, match="scores has shape"):
        task.decode(np.zeros(3))


def scored_graph(rng, n_nodes, n_classes, n_groups=2):
    g = random_graph(rng, n_nodes, n_classes)
    unary = rng.normal(size=(n_nodes, n_groups * n_classes))
    return CRFInstance(unary, g.edges, g.pairwise, g.labels)


@pytest.mark.parametrize("unary", ["shared", "both"])
def test_atoms_of_shared_learners_add_up_to_the_energy(unary):
    """The weights of a cut are the change of the energy terms, for any channels."""
    rng = np.random.default_rng(8)
    graphs = [scored_graph(rng, n, 3) for n in (4, 6)]
    task = MulticlassCRFTask(graphs, 3, unary=unary)
    names = [c.name for c in task.channels]
    own = [f"class {k}" for k in range(3)] if unary == "both" else []
    bias = [f"bias {k}" for k in range(3)] if unary == "shared" else []
    assert names == [*own, "shared", *bias, "pairwise"]
    shared = task.channels[names.index("shared")].features
    assert shared.shape == (30, 2)
    for k in range(3):
        expected = np.concatenate([g.unary[:, [k, 3 + k]] for g in graphs])
        assert np.array_equal(shared[10 * k : 10 * k + 10], expected)
    scores = np.concatenate(
        [
            rng.normal(size=c.n_atoms) if c.outputs == "signed" else rng.random(c.n_atoms)
            for c in task.channels
        ]
    )
    cuts = task.separate(scores, "each")
    assert len(cuts)
    potts = 1 - np.eye(3)
    found = cuts.loss - cuts.weights @ scores
    for value, block in zip(found, cuts.block, strict=True):
        worst = violations(task, scores, block, potts) / 2
        assert np.isclose(worst, value).any()
        assert value > 0.9 * worst.max()


def test_shared_learners_need_a_score_for_every_class():
    rng = np.random.default_rng(9)
    graph = scored_graph(rng, 5, 3)
    two = CRFInstance(graph.unary, graph.edges, graph.pairwise, graph.labels % 2)
    task = MulticlassCRFTask([two], 2, unary="shared", classes=np.array([0, 2]), n_scores=3)
    assert np.array_equal(task.channels[0].features[5:], graph.unary[:, [2, 5]])
    with pytest.raises(ValueError, match="multiple of 4"):
        MulticlassCRFTask([graph], 3, unary="shared", n_scores=4)
    with pytest.raises(ValueError, match="class 3 has no score"):
        MulticlassCRFTask([graph], 3, unary="shared", classes=np.array([0, 1, 3]), n_scores=3)
    with pytest.raises(ValueError, match="unary must be one of"):
        MulticlassCRFTask([graph], 3, unary="own")


def test_raw_features_of_two_classes_have_one_channel_and_exact_cuts():
    rng = np.random.default_rng(10)
    graphs = [random_graph(rng, n, 2, weighted=True) for n in (4, 6, 3)]
    task = MulticlassCRFTask(graphs, 2, unary="raw")
    assert task.exact
    assert [c.name for c in task.channels] == ["unary", "pairwise"]
    assert task.channels[0].features.shape == (13, 3)
    for _ in range(5):
        scores = np.concatenate([rng.normal(size=13), rng.random(task.channels[1].n_atoms)])
        cuts = task.separate(scores, "each")
        found = np.zeros(3)
        found[cuts.block] = cuts.loss - cuts.weights @ scores
        for i in range(3):
            worst = violations(task, scores, i, 1 - np.eye(2)).max() / 3
            assert found[i] == pytest.approx(worst)
    three = MulticlassCRFTask([random_graph(rng, 5, 3)], 3, unary="raw")
    assert [c.name for c in three.channels] == ["class 0", "class 1", "class 2", "pairwise"]
    assert three.channels[0].features.shape == (5, 3)
