"""Approximate minimisation of energies with several labels by αβ-swaps.

A swap of α and β lets every node with one of these labels choose between the two; the best such
move is a minimum cut for any symmetric μ ≥ 0 that is zero on its diagonal, metric or not. At the
end no swap lowers the energy. Unlike expansions, swaps guarantee no bound on the energy; prefer
expansions if μ is a metric.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray, IntArray
from segboost.graphs.expansion_rounds import PRECISION
from segboost.graphs.graph import Graph
from segboost.graphs.label_order import label_order
from segboost.graphs.label_persistency import Reduced, reduce
from segboost.graphs.labelling import LabelEnergy, make_energy
from segboost.graphs.mincut import minimise


def swap(
    graph: Graph,
    theta: npt.ArrayLike,
    capacity: npt.ArrayLike,
    factor: npt.ArrayLike | None = None,
    start: IntArray | None = None,
) -> IntArray:
    """Return a labelling that no swap of two labels improves, shape (P,).

    Parameters
    ----------
    graph, theta, capacity, start
        As for `segboost.graphs.expansion.expand`.
    factor : array-like of shape (K, K), optional
        μ, which need not be a metric; Potts by default.

    Raises
    ------
    ValueError
        If an argument is invalid.

    Examples
    --------
    >>> graph = Graph(3, [[0, 1], [1, 2]])
    >>> squared = [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    >>> swap(graph, [[0, 3, 9], [2, 2, 2], [9, 3, 0]], [1, 1], squared).tolist()
    [0, 1, 2]
    """
    problem = make_energy(graph, theta, capacity, factor)
    order = label_order(problem.theta, problem.factor)
    part = reduce(_renumbered(problem, order))
    return order[part.complete(_swap(part.rest, _first_labels(part, order, start)))]


def _first_labels(part: Reduced, order: IntArray, start: IntArray | None) -> IntArray:
    """Return the labels that the free nodes begin with, in the numbers of `_renumbered`."""
    if start is None:
        return part.rest.theta.argmin(axis=1)
    return np.argsort(order)[start[part.free]]


def _renumbered(problem: LabelEnergy, order: IntArray) -> LabelEnergy:
    """Return the energy in which label k is the former label ``order[k]``."""
    factor = problem.factor[np.ix_(order, order)]
    return LabelEnergy(problem.graph, problem.theta[:, order], problem.capacity, factor)


def _smallest_gain(problem: LabelEnergy) -> float:
    """Return the decrease of the energy below which a move is rounding error."""
    largest = problem.capacity.max(initial=0.0) * problem.factor.max(initial=0.0)
    return PRECISION * max(float(np.abs(problem.theta).max(initial=0.0)), float(largest))


def _swap(problem: LabelEnergy, labels: IntArray) -> IntArray:
    value, least = problem.value(labels), _smallest_gain(problem)
    pairs = list(combinations(range(problem.n_labels), 2))
    unchanged, turn = 0, 0
    while unchanged < len(pairs):
        moved = _best_swap(problem, labels, *pairs[turn])
        after = problem.value(moved)
        if after < value - least:
            labels, value, unchanged = moved, after, 0
        unchanged += 1
        turn = (turn + 1) % len(pairs)
    return labels


def _best_swap(problem: LabelEnergy, labels: IntArray, alpha: int, beta: int) -> IntArray:
    taking_part = (labels == alpha) | (labels == beta)
    nodes = np.flatnonzero(taking_part)
    number = np.cumsum(taking_part) - 1
    pair = np.array([alpha, beta])
    own = problem.theta[np.ix_(nodes, pair)]
    tail, head = problem.graph.edges.T
    for here, there in ((tail, head), (head, tail)):
        # An edge to a node with another label adds to the costs of both choices.
        outer = taking_part[here] & ~taking_part[there]
        costs = problem.factor[np.ix_(pair, labels[there[outer]])].T
        np.add.at(own, number[here[outer]], problem.capacity[outer, None] * costs)
    inner = taking_part[tail] & taking_part[head]
    graph = Graph(nodes.size, number[problem.graph.edges[inner]])
    x = minimise(graph, own, problem.capacity[inner] * problem.factor[alpha, beta])
    moved = labels.copy()
    moved[nodes] = np.where(x, beta, alpha)
    return moved


def single_node_scores(
    graph: Graph,
    theta: npt.ArrayLike,
    capacity: npt.ArrayLike,
    labels: IntArray,
    factor: npt.ArrayLike | None = None,
) -> FloatArray:
    """Return minus the rise in energy if one node changes its label alone, shape (P, K).

    At most 0 if no swap improves `labels`: changing one node is a swap of two labels.
    """
    problem = make_energy(graph, theta, capacity, factor)
    costs = problem.theta.copy()
    tail, head = graph.edges.T
    proper = tail != head
    for here, there in ((tail[proper], head[proper]), (head[proper], tail[proper])):
        pull = problem.capacity[proper, None] * problem.factor[labels[there]]
        np.add.at(costs, here, pull)
    present = np.take_along_axis(costs, labels[:, None], axis=1)
    return np.minimum(present - costs, 0.0)
