"""Min-marginals against enumeration and against repeated cuts."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from segboost.graphs.graph import Graph
from segboost.graphs.min_marginals import min_marginals, min_marginals_by_cuts
from segboost.graphs.mincut import minimise
from tests.graphs.random_graphs import random_energy


@pytest.mark.parametrize("integer", [False, True])
def test_equal_enumeration(integer):
    rng = np.random.default_rng(3)
    for _ in range(150):
        e = random_energy(rng, int(rng.integers(1, 11)), integer)
        labellings, values = e.all_values()
        expected = [
            values[labellings[:, p] == 0].min() - values[labellings[:, p] == 1].min()
            for p in range(e.graph.n_nodes)
        ]
        assert min_marginals(e.graph, e.theta, e.capacity) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("strength", [0.1, 1.0, 10.0])
def test_equal_repeated_cuts_on_a_planar_graph(strength):
    rng = np.random.default_rng(4)
    corners = Delaunay(rng.random((120, 2))).simplices
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    graph = Graph(120, np.unique(np.sort(pairs, axis=1), axis=0))
    theta = rng.normal(0, 1, (120, 2))
    capacity = strength * rng.random(graph.n_edges)
    found = min_marginals(graph, theta, capacity)
    assert found == pytest.approx(min_marginals_by_cuts(graph, theta, capacity), abs=1e-9)
    assert np.array_equal(found > 0, minimise(graph, theta, capacity) == 1)


def test_degenerate_graphs_and_scales():
    assert min_marginals(Graph(0, []), np.zeros((0, 2)), []).shape == (0,)
    assert min_marginals(Graph(2, []), [[3, 1], [0, 0]], []).tolist() == [2, 0]
    graph = Graph(2, [[0, 1], [1, 1]])
    base = min_marginals(graph, [[3, 0], [0, 1]], [2, 9])
    assert base.tolist() == [2, 1]
    huge = min_marginals(graph, np.array([[3, 0], [0, 1]]) * 1e300, np.array([2, 9]) * 1e300)
    assert huge == pytest.approx(base * 1e300)


def test_bad_values_are_refused():
    with pytest.raises(ValueError, match="theta must be finite"):
        min_marginals(Graph(1, []), [[np.nan, 0]], [])
    with pytest.raises(ValueError, match="capacity must not be negative"):
        min_marginals(Graph(2, [[0, 1]]), np.zeros((2, 2)), [-1])
