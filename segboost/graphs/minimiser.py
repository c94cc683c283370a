"""One entry point for energies with any number of labels, which selects the algorithm."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray, IntArray
from segboost.graphs.expansion import expand, expand_all, expansion_marginals
from segboost.graphs.graph import Graph
from segboost.graphs.labelling import check_factor, is_metric
from segboost.graphs.min_marginals import min_marginals
from segboost.graphs.mincut import minimise
from segboost.graphs.swap import single_node_scores, swap


def best_labels(
    graph: Graph,
    theta: FloatArray,
    capacity: FloatArray,
    factor: FloatArray | None = None,
    start: IntArray | None = None,
) -> IntArray:
    """Return labels of low energy: by a minimum cut, by expansions or by swaps.

    Parameters
    ----------
    graph : Graph
    theta : ndarray of shape (P, K)
        The result is exact for K = 2 (ties go to label 0) and approximate for more.
    capacity : ndarray of shape (E,)
    factor : ndarray of shape (K, K), optional
        μ; Potts by default. Swaps are used for K > 2 if it is not a metric.
    start : ndarray of int, shape (P,), optional
        The labelling to begin with, if the result is approximate.

    Returns
    -------
    ndarray of int, shape (P,)
    """
    if theta.shape[1] == 2:
        return minimise(graph, theta, _two_labels(capacity, factor)).astype(np.intp)
    search = expand if factor is None or is_metric(factor) else swap
    return search(graph, theta, capacity, factor, start)


def best_labels_of_all(
    graph: Graph,
    node_start: IntArray,
    theta: FloatArray,
    capacity: FloatArray,
    factor: FloatArray | None = None,
    start: IntArray | None = None,
) -> IntArray:
    """Return the result of `best_labels` for each of several graphs that are stacked into one.

    Parameters
    ----------
    graph : Graph
        No edge joins two of the graphs, and the edges are in the order of the graphs.
    node_start : ndarray of int, shape (G + 1,)
        The nodes of graph g are ``node_start[g]:node_start[g + 1]``.
    theta, capacity, factor, start
        As for `best_labels`, stacked in the same way.

    Returns
    -------
    ndarray of int, shape (P,)
    """
    if theta.shape[1] == 2:
        return minimise(graph, theta, _two_labels(capacity, factor)).astype(np.intp)
    if factor is None or is_metric(factor):
        return expand_all(graph, node_start, theta, capacity, factor, start)
    found = np.empty(graph.n_nodes, np.intp)
    edge_start = np.searchsorted(graph.edges[:, 0], node_start)
    for a, b, c, d in zip(
        node_start[:-1], node_start[1:], edge_start[:-1], edge_start[1:], strict=True
    ):
        part = Graph(int(b - a), graph.edges[c:d] - a)
        first = None if start is None else start[a:b]
        found[a:b] = swap(part, theta[a:b], capacity[c:d], factor, first)
    return found


def label_scores(
    graph: Graph,
    theta: FloatArray,
    capacity: FloatArray,
    factor: FloatArray | None = None,
) -> FloatArray:
    """Return the scores of the labels at every node.

    Two labels: the exact min-marginal ``min_{y_p=0} E − min_{y_p=1} E``, shape (P,). More labels:
    minus the rise in energy if the node gets the label, shape (P, K), over the expansions of the
    label (or, if μ is not a metric, with all other nodes unchanged); 0 for the label of
    `best_labels`.
    """
    if theta.shape[1] == 2:
        return min_marginals(graph, theta, _two_labels(capacity, factor))
    labels = best_labels(graph, theta, capacity, factor)
    rise = expansion_marginals if factor is None or is_metric(factor) else single_node_scores
    return rise(graph, theta, capacity, labels, factor)


def _two_labels(capacity: FloatArray, factor: npt.ArrayLike | None) -> FloatArray:
    return capacity if factor is None else capacity * check_factor(factor, 2)[0, 1]
