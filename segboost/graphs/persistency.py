"""Persistent labels: labels of the minimiser with the fewest ones, found without a max-flow.

Let ``d_p = θ_p(1) − θ_p(0)`` and ``b_p = Σ_q c_pq``. If ``d_p ≥ b_p``, label 0 is never worse, for
any labels of the neighbours; if ``d_p < −b_p``, label 1 is always better. A node fixed in this way
is removed from the graph: its edges become costs of its neighbours, which may then be fixed in
turn. Often only a small part of the problem remains.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from segboost._types import FloatArray, Int8Array, IntArray
from segboost.graphs.graph import Graph

UNDECIDED = np.int8(-1)


def fix_dominant(
    graph: Graph, cost: FloatArray, capacity: FloatArray
) -> tuple[Int8Array, FloatArray]:
    """Fix nodes until no node dominates its remaining edges.

    Parameters
    ----------
    graph : Graph
    cost : ndarray of shape (P,)
        ``d_p``, finite.
    capacity : ndarray of shape (E,)
        Finite and non-negative.

    Returns
    -------
    labels : ndarray of int8, shape (P,)
        0, 1, or −1 if the node is undecided.
    remaining : ndarray of shape (P,)
        ``d_p`` plus the costs of the edges to decided neighbours.
    """
    arcs = graph.arcs
    return _fix_dominant(arcs.first, arcs.head, arcs.edge, cost, capacity)


@njit(cache=True, nogil=True)
def _fix_dominant(
    first: IntArray, head: IntArray, edge: IntArray, cost: FloatArray, capacity: FloatArray
) -> tuple[Int8Array, FloatArray]:
    n = cost.shape[0]
    d = cost.copy()
    b = np.zeros(n)
    for p in range(n):
        for a in range(first[p], first[p + 1]):
            b[p] += capacity[edge[a]]
    labels = np.full(n, -1, np.int8)
    waiting = np.ones(n, np.bool_)
    stack = np.arange(n)
    size = n
    while size > 0:
        size -= 1
        node = stack[size]
        waiting[node] = False
        if d[node] >= b[node]:
            labels[node] = 0
        elif d[node] < -b[node]:
            labels[node] = 1
        else:
            continue
        for a in range(first[node], first[node + 1]):
            q = head[a]
            if labels[q] >= 0:
                continue
            c = capacity[edge[a]]
            b[q] -= c
            d[q] += c if labels[node] == 0 else -c
            if not waiting[q]:
                waiting[q] = True
                stack[size] = q
                size += 1
    return labels, d


def fix_dominant_numpy(
    graph: Graph, cost: FloatArray, capacity: FloatArray
) -> tuple[Int8Array, FloatArray]:
    """Plain NumPy twin of `fix_dominant`, in rounds of array operations."""
    proper = graph.edges[:, 0] != graph.edges[:, 1]
    ends = graph.edges[proper]
    tail, head = np.concatenate([ends, ends[:, ::-1]]).T
    c = np.tile(capacity[proper], 2)
    labels = np.full(graph.n_nodes, UNDECIDED)
    while True:
        open_arc = labels[head] < 0
        b = np.bincount(tail[open_arc], c[open_arc], graph.n_nodes)
        pull = np.where(labels[head] == 0, c, -c)[~open_arc]
        d = cost + np.bincount(tail[~open_arc], pull, graph.n_nodes)
        found = np.where(d >= b, 0, np.where(d < -b, 1, -1)).astype(np.int8)
        new = (labels < 0) & (found >= 0)
        if not new.any():
            return labels, d
        labels[new] = found[new]
