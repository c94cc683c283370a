"""Persistent labels of energies with several labels, found without a max-flow.

For any labels of its neighbours, changing node p from b to a raises the pairwise terms by at most
``b_p D(a, b)`` with ``b_p = Σ_q c_pq`` and ``D(a, b) = max_z μ(a, z) − μ(b, z)`` (which is μ(a, b)
if μ is a metric). If ``θ_p(a) + b_p D(a, b) ≤ θ_p(b)`` for all b, some minimiser has y_p = a. The
node is then removed: its edges become costs of its neighbours, which may be fixed in turn. If the
inequality holds strictly for b and some a, no minimiser has y_p = b.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from segboost._types import BoolArray, FloatArray, IntArray
from segboost.graphs.graph import Graph
from segboost.graphs.labelling import LabelEnergy


@dataclass(frozen=True, eq=False)
class Reduced:
    """An energy without the nodes whose label is known.

    Parameters
    ----------
    labels : ndarray of int, shape (P,)
        The fixed labels, −1 where the node is free.
    free : ndarray of int, shape (F,)
        The free nodes, which are the nodes of `rest` in this order.
    rest : LabelEnergy
        The energy of the free nodes; it differs from the whole by a constant.
    useful : ndarray of int
        The labels that a minimiser may have at some free node.
    """

    labels: IntArray
    free: IntArray
    rest: LabelEnergy
    useful: IntArray

    def complete(self, found: IntArray) -> IntArray:
        """Return a labelling of all nodes from one of the free nodes."""
        labels = self.labels.copy()
        labels[self.free] = found
        return labels


def reduce(problem: LabelEnergy) -> Reduced:
    """Fix nodes until no label dominates the others at any node."""
    graph = problem.graph
    only = np.array([0, graph.n_nodes], np.intp)
    labels, theta, possible = fix_labels(
        graph, only, problem.theta, problem.capacity, problem.factor[None]
    )
    free = np.flatnonzero(labels < 0).astype(np.intp)
    number = np.full(graph.n_nodes, -1, np.intp)
    number[free] = np.arange(free.size)
    ends = number[graph.edges]
    kept = (ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])
    rest = LabelEnergy(
        Graph(free.size, ends[kept]), theta[free], problem.capacity[kept], problem.factor
    )
    return Reduced(labels, free, rest, np.flatnonzero(possible[0]).astype(np.intp))


def fix_labels(
    graph: Graph,
    node_start: IntArray,
    theta: FloatArray,
    capacity: FloatArray,
    factors: FloatArray,
) -> tuple[IntArray, FloatArray, BoolArray]:
    """Fix nodes in several graphs that are stacked into one.

    Parameters
    ----------
    graph : Graph
        P nodes and E edges of all graphs.
    node_start : ndarray of int, shape (G + 1,)
        The nodes of graph g are ``node_start[g]:node_start[g + 1]``.
    theta : ndarray of shape (P, K)
    capacity : ndarray of shape (E,)
    factors : ndarray of shape (G, K, K) or (1, K, K)
        μ of every graph, or one for all.

    Returns
    -------
    labels : ndarray of int, shape (P,)
        −1 where free.
    theta : ndarray of shape (P, K)
        With the costs of the edges to fixed neighbours.
    possible : ndarray of bool, shape (G, K)
        The labels that a minimiser may have at some free node of the graph.
    """
    arcs = graph.arcs
    spread = np.array([dominance(factor) for factor in factors])
    return _fix_labels(
        arcs.first, arcs.head, arcs.edge, node_start, theta, capacity, factors, spread
    )


def dominance(factor: FloatArray) -> FloatArray:
    """Return ``D(a, b) = max_z μ(a, z) − μ(b, z)``, shape (K, K)."""
    return np.asarray((factor[:, None, :] - factor[None, :, :]).max(axis=2))


@njit(cache=True, nogil=True)
def _mark_possible(
    theta: FloatArray, bound: float, spread: FloatArray, possible: BoolArray
) -> None:
    """Mark the labels of one node that no other label strictly dominates."""
    k = len(theta)
    for b in range(k):
        if possible[b]:
            continue
        dominated = False
        for a in range(k):
            if theta[a] + bound * spread[a, b] < theta[b]:
                dominated = True
                break
        possible[b] = not dominated


@njit(cache=True, nogil=True)
def _dominant(theta: FloatArray, bound: float, spread: FloatArray) -> int:
    """Return the label of one node that dominates all others, or −1."""
    best = 0
    for b in range(1, len(theta)):
        if theta[b] < theta[best]:
            best = b
    for b in range(len(theta)):
        if b != best and theta[best] + bound * spread[best, b] > theta[b]:
            return -1
    return best


@njit(cache=True, nogil=True)
def _fix_labels(
    first: IntArray,
    head: IntArray,
    edge: IntArray,
    node_start: IntArray,
    costs: FloatArray,
    capacity: FloatArray,
    factors: FloatArray,
    spreads: FloatArray,
) -> tuple[IntArray, FloatArray, BoolArray]:
    n, k = costs.shape
    theta = costs.copy()
    bound = np.zeros(n)
    labels = np.full(n, -1, np.intp)
    waiting = np.ones(n, np.bool_)
    possible = np.zeros((len(node_start) - 1, k), np.bool_)
    stack = np.empty(n, np.intp)
    for g in range(len(node_start) - 1):
        factor = factors[g if len(factors) > 1 else 0]
        spread = spreads[g if len(factors) > 1 else 0]
        size = 0
        for p in range(node_start[g], node_start[g + 1]):
            for a in range(first[p], first[p + 1]):
                bound[p] += capacity[edge[a]]
            stack[size] = p
            size += 1
        while size > 0:
            size -= 1
            node = stack[size]
            waiting[node] = False
            best = _dominant(theta[node], bound[node], spread)
            if best < 0:
                continue
            labels[node] = best
            for a in range(first[node], first[node + 1]):
                q = head[a]
                if labels[q] >= 0:
                    continue
                c = capacity[edge[a]]
                bound[q] -= c
                for b in range(k):
                    theta[q, b] += c * factor[b, best]
                if not waiting[q]:
                    waiting[q] = True
                    stack[size] = q
                    size += 1
        for p in range(node_start[g], node_start[g + 1]):
            if labels[p] < 0:
                _mark_possible(theta[p], bound[p], spread, possible[g])
    return labels, theta, possible


def fix_labels_numpy(problem: LabelEnergy) -> IntArray:
    """Return the fixed labels, −1 where free: plain NumPy twin of the kernel of `reduce`."""
    proper = problem.graph.edges[:, 0] != problem.graph.edges[:, 1]
    ends = problem.graph.edges[proper]
    tail, head = np.concatenate([ends, ends[:, ::-1]]).T
    c = np.tile(problem.capacity[proper], 2)
    n, spread = len(problem.theta), dominance(problem.factor)
    labels = np.full(n, -1, np.intp)
    while True:
        known = labels[head] >= 0
        bound = np.bincount(tail[~known], c[~known], n)
        theta = problem.theta.copy()
        np.add.at(theta, tail[known], c[known, None] * problem.factor[labels[head[known]]])
        best = theta.argmin(axis=1)
        others = np.take_along_axis(theta, best[:, None], 1) + bound[:, None] * spread[best]
        dominated = others <= theta
        dominated[np.arange(n), best] = True
        new = (labels < 0) & dominated.all(axis=1)
        if not new.any():
            return labels
        labels[new] = best[new]
