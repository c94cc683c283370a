"""Graphs as arrays: arcs, and invalid input."""

import numpy as np
import pytest

from segboost.graphs.graph import Graph


def test_arcs_list_every_edge_from_both_ends():
    graph = Graph(4, [[0, 1], [2, 1], [1, 1], [0, 1]])
    arcs = graph.arcs
    assert np.diff(arcs.first).tolist() == [2, 3, 1, 0]
    tails = np.repeat(np.arange(4), np.diff(arcs.first))
    for a, (tail, head) in enumerate(zip(tails, arcs.head, strict=True)):
        assert sorted((tail, head)) == sorted(graph.edges[arcs.edge[a]])
        assert arcs.mate[arcs.mate[a]] == a
        assert (tails[arcs.mate[a]], arcs.head[arcs.mate[a]]) == (head, tail)
        assert arcs.edge[arcs.mate[a]] == arcs.edge[a]


@pytest.mark.parametrize("n_nodes", [0, 3])
def test_a_graph_may_have_no_edges(n_nodes):
    graph = Graph(n_nodes, [])
    assert graph.n_edges == 0
    assert graph.arcs.first.tolist() == [0] * (n_nodes + 1)


@pytest.mark.parametrize(
    ("n_nodes", "edges", "message"),
    [
        (2, [[0, 2]], r"edges must name nodes in \[0, 2\)"),
        (2, [[-1, 0]], "edges must name nodes"),
        (0, [[0, 0]], "edges must name nodes"),
        (3, [[0, 1, 2]], "edges must have shape"),
        (3, [0, 1], "edges must have shape"),
        (3, [[0.0, 1.0]], "edges must be integers"),
        (-1, [], "n_nodes must not be negative"),
    ],
)
def test_bad_edges_are_refused(n_nodes, edges, message):
    with pytest.raises(ValueError, match=message):
        Graph(n_nodes, edges)
