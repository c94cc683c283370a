"""Kernels of α-expansion on many graphs at once: one move per graph and round.

A move is the binary energy ``Σ_p d_p x_p + Σ_(p,q) s_pq [x_p ≠ x_q]`` with x_p = 1 where the node
changes to α (see `segboost.graphs.expansion`). Most nodes are decided without a max-flow, as in
`segboost.graphs.persistency`; only the others are passed to one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from segboost._types import BoolArray, FloatArray, Int8Array, IntArray

FIXED, KEEPS, CHANGES, UNDECIDED = -1, 0, 1, -2
"""The values of x. Fixed nodes take part in no move; their edges are costs of their neighbours."""


class Energies(NamedTuple):
    """The energies of several graphs, stacked into one graph, with its arcs in compressed rows.

    Parameters
    ----------
    first, head, edge : ndarray of int
        See `segboost.graphs.graph.Arcs`.
    theta : ndarray of shape (P, K)
    capacity : ndarray of shape (E,)
    factors : ndarray of shape (G, K, K)
        μ of every graph, or a single one for all.
    """

    first: IntArray
    head: IntArray
    edge: IntArray
    theta: FloatArray
    capacity: FloatArray
    factors: FloatArray


class Move(NamedTuple):
    """The state of the moves of a round.

    Parameters
    ----------
    x : ndarray of int8, shape (P,)
    change : ndarray of shape (P,)
        d.
    remaining, bound : ndarray of shape (P,)
        d plus the costs of the edges to decided neighbours, and Σ s over the other edges.
    waiting : ndarray of bool, shape (P,)
        All false between rounds.
    """

    x: Int8Array
    change: FloatArray
    remaining: FloatArray
    bound: FloatArray
    waiting: BoolArray


@njit(cache=True, nogil=True)
def _attraction(c: float, factor: FloatArray, a: int, b: int, alpha: int) -> float:
    """Return s of an edge between the labels a and b; rounding may leave it just below 0."""
    return max(0.5 * c * (factor[alpha, b] + factor[a, alpha] - factor[a, b]), 0.0)


@njit(cache=True, nogil=True)
def _set_terms(
    e: Energies, factor: FloatArray, nodes: IntArray, alpha: int, labels: IntArray, move: Move
) -> None:
    """Compute d and Σ s of one graph's free nodes; those with d ≥ Σ s keep their labels."""
    for p in nodes:
        a = labels[p]
        d, b = e.theta[p, alpha] - e.theta[p, a], 0.0
        if a != alpha:
            for arc in range(e.first[p], e.first[p + 1]):
                q = e.head[arc]
                if move.x[q] == FIXED:
                    continue
                c, z = e.capacity[e.edge[arc]], labels[q]
                s = _attraction(c, factor, a, z, alpha)
                d += c * (factor[alpha, z] - factor[a, z]) - s
                b += s
        move.change[p] = d
        move.remaining[p] = d
        move.bound[p] = b
        move.x[p] = KEEPS if d >= b else UNDECIDED


@njit(cache=True, nogil=True)
def _propagate(
    e: Energies,
    factor: FloatArray,
    nodes: IntArray,
    alpha: int,
    labels: IntArray,
    move: Move,
    stack: IntArray,
) -> None:
    """Decide nodes until none dominates its edges to undecided neighbours."""
    size = 0
    for p in nodes:
        if move.x[p] != UNDECIDED:
            continue
        for arc in range(e.first[p], e.first[p + 1]):
            q = e.head[arc]
            if move.x[q] == KEEPS:
                s = _attraction(e.capacity[e.edge[arc]], factor, labels[p], labels[q], alpha)
                move.bound[p] -= s
                move.remaining[p] += s
        stack[size] = p
        size += 1
        move.waiting[p] = True
    while size > 0:
        size -= 1
        p = stack[size]
        move.waiting[p] = False
        if move.remaining[p] >= move.bound[p]:
            move.x[p] = KEEPS
        elif move.remaining[p] < -move.bound[p]:
            move.x[p] = CHANGES
        else:
            continue
        for arc in range(e.first[p], e.first[p + 1]):
            q = e.head[arc]
            if move.x[q] != UNDECIDED:
                continue
            s = _attraction(e.capacity[e.edge[arc]], factor, labels[p], labels[q], alpha)
            move.bound[q] -= s
            move.remaining[q] += s if move.x[p] == KEEPS else -s
            if not move.waiting[q]:
                move.waiting[q] = True
                stack[size] = q
                size += 1


@njit(cache=True, nogil=True)
def decide(
    e: Energies,
    free: IntArray,
    start: IntArray,
    graphs: IntArray,
    alphas: IntArray,
    labels: IntArray,
    move: Move,
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Decide the nodes that need no max-flow in the moves of these graphs.

    Returns
    -------
    nodes : ndarray of int, shape (F,)
        The undecided nodes.
    tail, head : ndarray of int
        The edges between them, as positions in `nodes`.
    attraction : ndarray
        s of these edges.
    """
    stack = np.empty(len(free), np.intp)
    place = np.empty(len(labels), np.intp)
    nodes = np.empty(len(free), np.intp)
    tail = np.empty(len(e.head), np.intp)
    head = np.empty(len(e.head), np.intp)
    attraction = np.empty(len(e.head))
    n, n_edges = 0, 0
    for i in range(len(graphs)):
        g, alpha = graphs[i], alphas[i]
        part = free[start[g] : start[g + 1]]
        factor = e.factors[g if len(e.factors) > 1 else 0]
        _set_terms(e, factor, part, alpha, labels, move)
        _propagate(e, factor, part, alpha, labels, move, stack)
        begin = n
        for p in part:
            if move.x[p] == UNDECIDED:
                place[p] = n
                nodes[n] = p
                n += 1
        for k in range(begin, n):
            p = nodes[k]
            for arc in range(e.first[p], e.first[p + 1]):
                q = e.head[arc]
                if q > p and move.x[q] == UNDECIDED:
                    c = e.capacity[e.edge[arc]]
                    tail[n_edges], head[n_edges] = k, place[q]
                    attraction[n_edges] = _attraction(c, factor, labels[p], labels[q], alpha)
                    n_edges += 1
    return nodes[:n], tail[:n_edges], head[:n_edges], attraction[:n_edges]


@njit(cache=True, nogil=True)
def settle(
    e: Energies,
    free: IntArray,
    start: IntArray,
    graphs: IntArray,
    alphas: IntArray,
    least: FloatArray,
    labels: IntArray,
    move: Move,
) -> BoolArray:
    """Make the moves that lower the energy of their graph by more than `least`, in place.

    Returns
    -------
    ndarray of bool, shape (len(graphs),)
        Whether each move was made.
    """
    made = np.zeros(len(graphs), np.bool_)
    for i in range(len(graphs)):
        g, alpha = graphs[i], alphas[i]
        part = free[start[g] : start[g + 1]]
        factor = e.factors[g if len(e.factors) > 1 else 0]
        gain = 0.0
        for p in part:
            if move.x[p] != CHANGES:
                continue
            gain -= move.change[p]
            for arc in range(e.first[p], e.first[p + 1]):
                q = e.head[arc]
                if move.x[q] == KEEPS:
                    c = e.capacity[e.edge[arc]]
                    gain -= _attraction(c, factor, labels[p], labels[q], alpha)
        if gain > least[g]:
            made[i] = True
            for p in part:
                if move.x[p] == CHANGES:
                    labels[p] = alpha
    return made
