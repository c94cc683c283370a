"""Rounds of expansions on several graphs at once: one move per graph, one max-flow for all."""

from __future__ import annotations

import maxflow
import numpy as np
from numba import njit

from segboost._types import FloatArray, IntArray
from segboost.graphs.expansion_moves import FIXED, KEEPS, Energies, Move, decide, settle
from segboost.graphs.label_persistency import fix_labels
from segboost.graphs.labelling import LabelEnergy
from segboost.graphs.mincut import sink_side

PRECISION = 1e-12
"""A move counts if it lowers the energy by more than this share of the largest term. Otherwise
rounding could make the search alternate between two labellings of equal energy forever."""


class Rounds:
    """The expansions of several stacked graphs, each in its own order of labels.

    Inside, labels are numbered by `order`. Nodes whose label is certain are fixed first. Every
    graph visits its useful labels in turn, until none of them lowers its energy.

    Parameters
    ----------
    problem : LabelEnergy
    node_start : ndarray of int, shape (G + 1,)
        The nodes of graph g are ``node_start[g]:node_start[g + 1]``.
    order : ndarray of int, shape (G, K)
        The labels of every graph in the order in which to visit them.
    start : ndarray of int, shape (P,), optional
        The first labels; by default each node has its cheapest.
    """

    def __init__(
        self,
        problem: LabelEnergy,
        node_start: IntArray,
        order: IntArray,
        start: IntArray | None = None,
    ) -> None:
        self._own_order = np.repeat(order, np.diff(node_start), axis=0)
        theta = np.take_along_axis(problem.theta, self._own_order, axis=1)
        # Potts is the same in every order.
        which = order[:1] if _is_potts(problem.factor) else order
        factors = np.ascontiguousarray(problem.factor[which[:, :, None], which[:, None, :]])
        fixed, theta, possible = fix_labels(
            problem.graph, node_start, theta, problem.capacity, factors
        )
        arcs = problem.graph.arcs
        self._energies = Energies(
            arcs.first, arcs.head, arcs.edge, theta, problem.capacity, factors
        )
        self._free = np.flatnonzero(fixed < 0).astype(np.intp)
        self._start = np.searchsorted(self._free, node_start).astype(np.intp)
        self.labels = self._first_labels(fixed, start)
        n = len(fixed)
        x = np.where(fixed < 0, KEEPS, FIXED).astype(np.int8)
        self._move = Move(x, np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, bool))
        self._least = PRECISION * _largest(self._energies, self._free, self._start)
        self._n_useful = possible.sum(axis=1)
        # The useful labels of every graph in ascending order, then the others.
        self._useful = np.argsort(~possible, axis=1, kind="stable")
        self._turn = np.zeros(len(order), np.intp)
        self._unchanged = np.zeros(len(order), np.intp)
        # One object for all moves: resetting it keeps its memory.
        self._flow = maxflow.GraphFloat()

    def _first_labels(self, fixed: IntArray, start: IntArray | None) -> IntArray:
        labels = fixed.copy()
        free = self._free
        if start is None:
            labels[free] = self._energies.theta[free].argmin(axis=1)
        else:
            place = np.argsort(self._own_order[free], axis=1)
            labels[free] = np.take_along_axis(place, start[free, None], axis=1)[:, 0]
        return labels

    def run(self) -> IntArray:
        """Make moves until none lowers the energy of its graph; return the labels."""
        while (self._unchanged < self._n_useful).any():
            graphs = np.flatnonzero(self._unchanged < self._n_useful)
            alphas = self._useful[graphs, self._turn[graphs]]
            made = self._expand(graphs, alphas)
            self._unchanged[graphs] = np.where(made, 1, self._unchanged[graphs] + 1)
            self._turn[graphs] = (self._turn[graphs] + 1) % self._n_useful[graphs]
        return np.take_along_axis(self._own_order, self.labels[:, None], axis=1)[:, 0]

    def _expand(self, graphs: IntArray, alphas: IntArray) -> np.ndarray:
        """Expand a label in each of these graphs; return which of them have changed."""
        where = (self._energies, self._free, self._start, graphs, alphas)
        nodes, tail, head, attraction = decide(*where, self.labels, self._move)
        if len(nodes):
            self._flow.reset()
            remaining = self._move.remaining[nodes]
            self._move.x[nodes] = sink_side(self._flow, remaining, tail, head, attraction)
        return settle(*where, self._least, self.labels, self._move)


def _is_potts(factor: FloatArray) -> bool:
    return len(np.unique(factor[~np.eye(len(factor), dtype=bool)])) <= 1


@njit(cache=True, nogil=True)
def _largest(e: Energies, free: IntArray, start: IntArray) -> FloatArray:
    """Return the largest magnitude of a term of every graph."""
    result = np.zeros(len(start) - 1)
    for g in range(len(result)):
        factor = e.factors[g if len(e.factors) > 1 else 0].max()
        for p in free[start[g] : start[g + 1]]:
            result[g] = max(result[g], np.abs(e.theta[p]).max())
            for arc in range(e.first[p], e.first[p + 1]):
                result[g] = max(result[g], factor * e.capacity[e.edge[arc]])
    return result
