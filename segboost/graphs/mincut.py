"""Exact minimisation of binary submodular energies by a minimum cut.

``E(y) = Σ_p θ_p(y_p) + Σ_(p,q) c_pq [y_p ≠ y_q]`` with c ≥ 0. Several graphs are solved at once
by stacking them into one, because connected components are minimised independently.

Tie rule: among several minimisers the one with the fewest ones is returned. It is unique (the
minimisers of a submodular energy are closed under intersection), so that the result does not
depend on the order of nodes or edges.
"""

from __future__ import annotations

import maxflow
import numpy as np
import numpy.typing as npt

from segboost._types import BoolArray, FloatArray, Int8Array, IntArray
from segboost.graphs.energy import checked_terms, scaled_terms
from segboost.graphs.graph import Graph
from segboost.graphs.persistency import fix_dominant

Labels = Int8Array


def minimise(graph: Graph, theta: npt.ArrayLike, capacity: npt.ArrayLike) -> Labels:
    """Return the labelling of minimum energy.

    Nodes that dominate their edges are fixed first; only the rest is passed to the max-flow.

    Parameters
    ----------
    graph : Graph
        P nodes and E edges; it may consist of many components.
    theta : array-like of shape (P, 2)
        Costs of the labels 0 and 1.
    capacity : array-like of shape (E,)
        Costs of cutting the edges.

    Returns
    -------
    ndarray of int8, shape (P,)
        The minimiser with the fewest ones.

    Raises
    ------
    ValueError
        If a value is NaN or infinite, a capacity is negative or a shape is wrong.

    Examples
    --------
    >>> graph = Graph(3, [[0, 1], [1, 2]])
    >>> minimise(graph, [[2, 0], [0, 0.5], [0, 3]], [1, 0.25]).tolist()
    [1, 1, 0]
    """
    costs, weights = checked_terms(graph, theta, capacity)
    cost, capacities, _ = scaled_terms(costs, weights)
    labels, remaining = fix_dominant(graph, cost, capacities)
    rest = np.flatnonzero(labels < 0).astype(np.intp)
    if rest.size:
        number = np.full(graph.n_nodes, -1, np.intp)
        number[rest] = np.arange(rest.size)
        ends = number[graph.edges]
        kept = (ends[:, 0] >= 0) & (ends[:, 1] >= 0) & (ends[:, 0] != ends[:, 1])
        labels[rest] = cut(remaining[rest], ends[kept], capacities[kept])
    return labels


def cut(cost: FloatArray, edges: IntArray, capacity: FloatArray) -> Labels:
    """Return the minimiser with the fewest ones, using only PyMaxflow.

    Parameters
    ----------
    cost : ndarray of shape (P,)
        ``θ_p(1) − θ_p(0)``, finite.
    edges : ndarray of int, shape (E, 2)
        In range and without self loops.
    capacity : ndarray of shape (E,)
        Finite and non-negative; the caller must check both (see `checked_terms`).
    """
    flow = maxflow.GraphFloat(cost.size, len(edges))
    return sink_side(flow, cost, edges[:, 0], edges[:, 1], capacity).astype(np.int8)


def sink_side(
    flow: maxflow.GraphFloat, cost: FloatArray, tail: IntArray, head: IntArray, capacity: FloatArray
) -> BoolArray:
    """Return which nodes get label 1 in `cut`, solved in an empty flow graph of PyMaxflow."""
    nodes = flow.add_grid_nodes(cost.size)
    # The source is label 0 and the sink is label 1: for a node on the sink side, its arc from the
    # source is cut. PyMaxflow assigns nodes that neither terminal reaches to the source, which
    # implements the tie rule.
    flow.add_grid_tedges(nodes, np.maximum(cost, 0.0), np.maximum(-cost, 0.0))
    if len(tail):
        flow.add_edges(tail, head, capacity, capacity)
    flow.maxflow()
    return np.asarray(flow.get_grid_segments(nodes))
