"""Persistent labels of energies with several labels, found without a max-flow.

Whatever the labels of its neighbours are, changing node p from b to a raises the pairwise terms by
at most ``b_p D(a, b)`` with ``b_p = Σ_q c_pq`` and ``D(a, b) = max_z μ(a, z) − μ(b, z)`` (which is
μ(a, b) if μ is a metric). If ``θ_p(a) + b_p D(a, b) ≤ θ_p(b)`` for all b, some minimiser has
y_p = a. The node is then removed: its edges become costs of its neighbours, which may be fixed in
turn. A label b for which the inequality holds strictly with some a is in no minimiser.
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
    graph, factor = problem.graph, problem.factor
    arcs, spread = graph.arcs, dominance(factor)
    labels, theta, bound = _fix_labels(
        arcs.first, arcs.head, arcs.edge, problem.theta, problem.capacity, factor, spread
    )
    free = np.flatnonzero(labels < 0).astype(np.intp)
    number = np.full(graph.n_nodes, -1, np.intp)
    number[free] = np.arange(free.size)
    ends = number[graph.edges]
    kept = (ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])
    rest = LabelEnergy(
        Graph(free.size, ends[kept]), theta[free], problem.capacity[kept], problem.factor
    )
    useful = np.flatnonzero(_possible(rest.theta, bound[free], spread).any(axis=0))
    return Reduced(labels, free, rest, useful.astype(np.intp))


def dominance(factor: FloatArray) -> FloatArray:
    """Return ``D(a, b) = max_z μ(a, z) − μ(b, z)``, shape (K, K)."""
    return np.asarray((factor[:, None, :] - factor[None, :, :]).max(axis=2))


def _possible(theta: FloatArray, bound: FloatArray, spread: FloatArray) -> BoolArray:
    """Return whether no other label strictly dominates label b at node p, shape (P, K)."""
    possible = np.ones(theta.shape, bool)
    for a in range(theta.shape[1]):
        possible &= theta[:, [a]] + bound[:, None] * spread[a] >= theta
    return possible


@njit(cache=True, nogil=True)
def _fix_labels(
    first: IntArray,
    head: IntArray,
    edge: IntArray,
    costs: FloatArray,
    capacity: FloatArray,
    factor: FloatArray,
    spread: FloatArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    n, k = costs.shape
    theta = costs.copy()
    bound = np.zeros(n)
    for p in range(n):
        for a in range(first[p], first[p + 1]):
            bound[p] += capacity[edge[a]]
    labels = np.full(n, -1, np.intp)
    waiting = np.ones(n, np.bool_)
    stack = np.arange(n)
    size = n
    while size > 0:
        size -= 1
        node = stack[size]
        waiting[node] = False
        best = 0
        for b in range(1, k):
            if theta[node, b] < theta[node, best]:
                best = b
        fixed = True
        for b in range(k):
            if b != best and theta[node, best] + bound[node] * spread[best, b] > theta[node, b]:
                fixed = False
                break
        if not fixed:
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
    return labels, theta, bound


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
