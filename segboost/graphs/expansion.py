"""Approximate minimisation of energies with several labels by α-expansion.

An expansion of label α lets every node keep its label or change to α; the best such move is a
minimum cut. With x_p = 1 where the node changes and labels a, b at the ends of an edge, its term
is ``c μ(a, b)`` at (0, 0), ``c μ(a, α)`` at (0, 1), ``c μ(α, b)`` at (1, 0) and 0 at (1, 1), which
equals

    ``const + u_p x_p + u_q x_q + s [x_p ≠ x_q]``,  ``2s = c (μ(a, α) + μ(α, b) − μ(a, b)) ≥ 0``

if μ is a metric. At the end no expansion lowers the energy. If θ ≥ 0, the energy is then at most
``2 max μ / min_{a≠b} μ`` times the minimum: twice for Potts (Boykov, Veksler and Zabih, 2001). For
two labels the result is the minimum.

Labels are visited in the order of their costs (see `segboost.graphs.label_order`).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray, IntArray
from segboost.graphs.expansion_rounds import Rounds
from segboost.graphs.graph import Graph
from segboost.graphs.label_order import label_order
from segboost.graphs.labelling import LabelEnergy, is_metric, make_energy
from segboost.graphs.min_marginals import min_marginals


def expand(
    graph: Graph,
    theta: npt.ArrayLike,
    capacity: npt.ArrayLike,
    factor: npt.ArrayLike | None = None,
    start: IntArray | None = None,
) -> IntArray:
    """Return a labelling that no expansion improves.

    Nodes whose label is certain are fixed first and take part in no move.

    Parameters
    ----------
    graph : Graph
        P nodes and E edges.
    theta : array-like of shape (P, K)
        Costs of the labels; finite, of any sign.
    capacity : array-like of shape (E,)
        Finite and non-negative.
    factor : array-like of shape (K, K), optional
        A metric μ; Potts by default.
    start : ndarray of int, shape (P,), optional
        The labelling to begin with, for example the last one of a similar energy; by default every
        node has its cheapest label.

    Returns
    -------
    ndarray of int, shape (P,)

    Raises
    ------
    ValueError
        If an argument is invalid or `factor` is not a metric.

    Examples
    --------
    >>> graph = Graph(3, [[0, 1], [1, 2]])
    >>> expand(graph, [[0, 3, 3], [1.5, 1, 2], [3, 3, 0]], [1, 0.5]).tolist()
    [0, 0, 2]
    """
    only = np.array([0, graph.n_nodes], np.intp)
    return expand_all(graph, only, theta, capacity, factor, start)


def expand_all(
    graph: Graph,
    node_start: IntArray,
    theta: npt.ArrayLike,
    capacity: npt.ArrayLike,
    factor: npt.ArrayLike | None = None,
    start: IntArray | None = None,
) -> IntArray:
    """Expand the labels of several graphs that are stacked into one.

    The result is the same as that of `expand` for each graph. The moves of a round share kernel
    calls and one max-flow.

    Parameters
    ----------
    graph : Graph
        P nodes and E edges of all graphs; no edge joins two of them.
    node_start : ndarray of int, shape (G + 1,)
        The nodes of graph g are ``node_start[g]:node_start[g + 1]``.
    theta, capacity, factor, start
        As for `expand`, stacked in the same way.

    Returns
    -------
    ndarray of int, shape (P,)

    Raises
    ------
    ValueError
        As for `expand`.
    """
    problem = make_energy(graph, theta, capacity, factor)
    if not is_metric(problem.factor):
        raise ValueError(
            "factor must be a metric for expansions: μ(a, b) ≤ μ(a, c) + μ(c, b); "
            "use segboost.graphs.swap for others"
        )
    order = np.array(
        [label_order(problem.theta[a:b], problem.factor) for a, b in pairwise(node_start)]
    ).reshape(len(node_start) - 1, problem.n_labels)
    return Rounds(problem, node_start, order, start).run()


def move_terms(problem: LabelEnergy, labels: IntArray, alpha: int) -> tuple[FloatArray, FloatArray]:
    """Return the binary energy of the expansions of α: costs, shape (P, 2), and s, shape (E,)."""
    tail, head = problem.graph.edges.T
    a, b = labels[tail], labels[head]
    keep = problem.capacity * problem.factor[a, b]
    second = problem.capacity * problem.factor[a, alpha]
    first = problem.capacity * problem.factor[alpha, b]
    # Rounding may leave a metric's s just below 0.
    attraction = np.maximum(0.5 * (first + second - keep), 0.0)
    n = len(labels)
    change = problem.theta[:, alpha] - problem.theta[np.arange(n), labels]
    change += np.bincount(tail, first - keep - attraction, n)
    change += np.bincount(head, second - keep - attraction, n)
    return np.column_stack([np.zeros(n), change]), attraction


def expansion_marginals(
    graph: Graph,
    theta: npt.ArrayLike,
    capacity: npt.ArrayLike,
    labels: IntArray,
    factor: npt.ArrayLike | None = None,
) -> FloatArray:
    """Return a score per node and label: minus the rise in energy that the label would cause.

    ``S_p(k) = E(y) − min E`` over the expansions of k from y that give node p the label k. It is 0
    for the present label and at most 0 for the others if no expansion improves y. For two labels
    ``S_p(1) − S_p(0)`` is the exact min-marginal; for more, S is a lower bound of the exact one.

    Parameters
    ----------
    graph, theta, capacity, factor
        As for `expand`.
    labels : ndarray of int, shape (P,)
        y, a result of `expand`.

    Returns
    -------
    ndarray of shape (P, K)
    """
    problem = make_energy(graph, theta, capacity, factor)
    scores = np.zeros(problem.theta.shape)
    for alpha in range(problem.n_labels):
        rise = min_marginals(graph, *move_terms(problem, labels, alpha))
        # Changing nothing is the best move, but rounding may show a tiny gain.
        scores[:, alpha] = np.where(labels == alpha, 0.0, np.minimum(rise, 0.0))
    return scores
