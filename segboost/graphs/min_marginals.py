"""Exact min-marginals of binary submodular energies.

``M_p = min_{y: y_p = 0} E(y) − min_{y: y_p = 1} E(y)``: the energy saved by making a node
foreground. One of the two minima is the minimum of the energy; the other is that plus the flow
that the optimal residual graph still admits once the node is forced to the other side. This takes
a single max-flow and a short search per node.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray
from segboost.graphs.energy import checked_terms, scaled_terms
from segboost.graphs.graph import Graph
from segboost.graphs.mincut import cut
from segboost.graphs.residual import maximise_flow, regrets


def min_marginals(graph: Graph, theta: npt.ArrayLike, capacity: npt.ArrayLike) -> FloatArray:
    """Return ``min_{y_p=0} E − min_{y_p=1} E`` of every node; positive means foreground.

    Parameters
    ----------
    graph : Graph
        P nodes and E edges.
    theta : array-like of shape (P, 2)
        Costs of the labels 0 and 1; finite.
    capacity : array-like of shape (E,)
        Costs of cutting the edges; finite and non-negative.

    Returns
    -------
    ndarray of shape (P,)

    Raises
    ------
    ValueError
        If a value is NaN or infinite, a capacity is negative or a shape is wrong.

    Examples
    --------
    >>> graph = Graph(2, [[0, 1]])
    >>> min_marginals(graph, [[3, 0], [0, 1]], [2]).tolist()
    [2.0, 1.0]
    """
    costs, weights = checked_terms(graph, theta, capacity)
    cost, capacities, exponent = scaled_terms(costs, weights)
    arcs = graph.arcs
    residual = capacities[arcs.edge]
    # A node that prefers 0 is connected to the source, one that prefers 1 to the sink.
    terminal = cost.copy()
    maximise_flow(arcs.first, arcs.head, arcs.mate, residual, terminal)
    return np.ldexp(regrets(arcs.first, arcs.head, arcs.mate, residual, terminal), exponent)


def min_marginals_by_cuts(
    graph: Graph, theta: npt.ArrayLike, capacity: npt.ArrayLike
) -> FloatArray:
    """Compute `min_marginals` with 2P min-cuts: the reference for the tests.

    A node is forced to a label by a cost larger than the sum of all others.
    """
    costs, weights = checked_terms(graph, theta, capacity)
    cost = costs[:, 1] - costs[:, 0]
    force = 1.0 + np.abs(cost).sum() + weights.sum()
    proper = graph.edges[:, 0] != graph.edges[:, 1]
    tail, head = graph.edges.T
    result = np.zeros(graph.n_nodes)
    for p in range(graph.n_nodes):
        for sign in (1.0, -1.0):
            forced = cost.copy()
            forced[p] += sign * force
            y = cut(forced, graph.edges[proper], weights[proper])
            result[p] += sign * (cost[y == 1].sum() + weights[y[tail] != y[head]].sum())
    return result
