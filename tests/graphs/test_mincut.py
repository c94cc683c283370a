"""Min-cut against exhaustive search; input that must never reach the max-flow."""

import numpy as np
import pytest

from segboost.graphs.energy import energy
from segboost.graphs.graph import Graph
from segboost.graphs.mincut import cut, minimise
from segboost.graphs.persistency import fix_dominant, fix_dominant_numpy
from tests.graphs.random_graphs import Energy, random_energy


def with_loss(e: Energy, rng: np.random.Generator) -> Energy:
    """Return the energy minus the Hamming distance to a random truth."""
    truth = rng.integers(0, 2, e.graph.n_nodes)
    theta = e.theta.copy()
    theta[np.arange(truth.size), 1 - truth] -= 1.0
    return Energy(e.graph, theta, e.capacity)


@pytest.mark.parametrize("loss", [False, True])
def test_equals_exhaustive_search_on_200_graphs(loss):
    rng = np.random.default_rng(7)
    for _ in range(200):
        e = random_energy(rng, int(rng.integers(1, 13)))
        if loss:
            e = with_loss(e, rng)
        found = minimise(e.graph, e.theta, e.capacity)
        labellings, values = e.all_values()
        value = energy(e.graph, e.theta, e.capacity, found)
        assert value == pytest.approx(values.min(), rel=1e-12, abs=1e-12)
        assert np.array_equal(found, labellings[values.argmin()])


def test_ties_give_the_minimiser_with_the_fewest_ones():
    rng = np.random.default_rng(8)
    n_ties = 0
    for _ in range(300):
        e = random_energy(rng, int(rng.integers(1, 9)), integer=True)
        labellings, values = e.all_values()
        best = labellings[values == values.min()]
        n_ties += len(best) > 1
        smallest = best.min(axis=0)
        assert np.array_equal(minimise(e.graph, e.theta, e.capacity), smallest)
        proper = e.graph.edges[:, 0] != e.graph.edges[:, 1]
        cost = e.theta[:, 1] - e.theta[:, 0]
        assert np.array_equal(cut(cost, e.graph.edges[proper], e.capacity[proper]), smallest)
    assert n_ties > 50


def test_many_graphs_at_once_equal_each_alone():
    rng = np.random.default_rng(9)
    parts = [random_energy(rng, int(rng.integers(1, 30))) for _ in range(40)]
    start = np.cumsum([0] + [p.graph.n_nodes for p in parts])
    union = Graph(
        int(start[-1]),
        np.concatenate([p.graph.edges + s for p, s in zip(parts, start[:-1], strict=True)]),
    )
    theta = np.concatenate([p.theta for p in parts])
    together = minimise(union, theta, np.concatenate([p.capacity for p in parts]))
    alone = np.concatenate([minimise(p.graph, p.theta, p.capacity) for p in parts])
    assert np.array_equal(together, alone)


def test_order_of_nodes_and_edges_does_not_matter():
    rng = np.random.default_rng(10)
    for _ in range(30):
        e = random_energy(rng, 25, integer=True)
        node, edge = rng.permutation(25), rng.permutation(e.graph.n_edges)
        place = np.argsort(node)
        shuffled = Graph(25, place[e.graph.edges[edge]][:, ::-1])
        found = minimise(shuffled, e.theta[node], e.capacity[edge])
        assert np.array_equal(found, minimise(e.graph, e.theta, e.capacity)[node])


def test_inputs_are_not_changed():
    rng = np.random.default_rng(11)
    e = random_energy(rng, 12)
    theta, capacity, edges = e.theta.copy(), e.capacity.copy(), e.graph.edges.copy()
    minimise(e.graph, e.theta, e.capacity)
    assert np.array_equal(theta, e.theta)
    assert np.array_equal(capacity, e.capacity)
    assert np.array_equal(edges, e.graph.edges)


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1.0, 1e200, 1.7e308])
def test_any_scale_gives_the_same_labels(scale):
    # At the largest scale θ(1) − θ(0) overflows, and so does the sum of a node's capacities.
    star = Graph(5, [[0, 1], [0, 2], [0, 3]])
    theta = np.array([[0.9, -0.9], [-1, 1], [-1, 1], [-1, 1], [1, -1]])
    assert minimise(star, scale * theta, np.full(3, scale)).tolist() == [0, 0, 0, 0, 1]
    assert minimise(star, scale * theta, np.full(3, scale / 2)).tolist() == [1, 0, 0, 0, 1]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(bad):
    graph = Graph(2, [[0, 1]])
    with pytest.raises(ValueError, match="theta must be finite"):
        minimise(graph, [[0, bad], [0, 0]], [1])
    with pytest.raises(ValueError, match="capacity must be finite"):
        minimise(graph, [[0, 1], [0, 0]], [bad])


def test_negative_capacities_and_wrong_shapes_are_refused():
    graph = Graph(2, [[0, 1]])
    with pytest.raises(ValueError, match="capacity must not be negative"):
        minimise(graph, np.zeros((2, 2)), [-1e-9])
    with pytest.raises(ValueError, match="theta must have shape"):
        minimise(graph, np.zeros((3, 2)), [1])
    with pytest.raises(ValueError, match="capacity must have shape"):
        minimise(graph, np.zeros((2, 2)), [1, 1])


def test_degenerate_graphs():
    assert minimise(Graph(0, []), np.zeros((0, 2)), []).shape == (0,)
    assert minimise(Graph(1, []), [[1, 0]], []).tolist() == [1]
    assert minimise(Graph(3, []), [[1, 0], [0, 1], [0, 0]], []).tolist() == [1, 0, 0]
    # A self loop is never cut, and the capacities of parallel edges add up.
    loops = Graph(2, [[0, 0], [0, 1], [1, 0]])
    assert minimise(loops, [[3, 0], [0, 2.5]], [99, 1, 1]).tolist() == [1, 0]
    assert minimise(loops, [[3, 0], [0, 2.5]], [0, 1.5, 1.5]).tolist() == [1, 1]


def test_fixing_dominant_nodes_equals_its_numpy_twin():
    rng = np.random.default_rng(12)
    fixed = []
    for _ in range(100):
        e = random_energy(rng, 20, integer=True)
        cost = e.theta[:, 1] - e.theta[:, 0]
        labels, rest = fix_dominant(e.graph, cost, e.capacity)
        labels_numpy, rest_numpy = fix_dominant_numpy(e.graph, cost, e.capacity)
        assert np.array_equal(labels, labels_numpy)
        assert np.array_equal(rest[labels < 0], rest_numpy[labels < 0])
        fixed.append((labels >= 0).mean())
    assert 0.2 < np.mean(fixed) < 0.999
