"""Learning from partially labelled graphs.

Let L be the labelled nodes of a graph and U the others. The truth is the set of labellings that
agree with y_L; its energy is that of the best of them, ``min_{y_U} E(y_L, y_U)``. The criterion

    ``J(w) = ‖w‖₁ + (C/m) Σ_i max_y [Δ_L(y_i, y) + min_{y_U} E(y_i, y_U) − E(y)]``

counts only wrong labels in L and leaves U free on both sides. The minimum makes it non-convex, so
that cutting planes would certify nothing. Fixing y_U gives an upper bound, which is tight at the w
for which that y_U is the minimiser; the bound is an ordinary, convex CRF problem with weight 0 on
U. Learning therefore solves two problems, each convex and certified:

1. the labelled nodes and the edges between them;
2. the whole graph with ``y_U = argmin E(y_L, y_U)`` fixed at the energies of the first problem,
   which cannot increase J.

If U is empty, only the second problem is solved, which is then the usual one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from segboost._types import BoolArray, FloatArray
from segboost.graphs.graph import Graph
from segboost.graphs.labelling import potts
from segboost.graphs.minimiser import best_labels
from segboost.tasks.crf_instance import UNKNOWN, CRFInstance

EnergyTerms = Callable[[CRFInstance], tuple[FloatArray, FloatArray]]
"""A function that returns θ, shape (P, K), and the edge costs, shape (E,), of a graph."""


def learning_rounds(
    instances: Sequence[CRFInstance],
    sample_weight: npt.ArrayLike | None,
    energy_terms: EnergyTerms,
    factor: FloatArray | None = None,
) -> Iterator[tuple[list[CRFInstance], FloatArray | None]]:
    """Yield the problems to fit in turn; the weights of the last one are the result.

    If any label is unknown, graphs without a labelled node are left out.

    Parameters
    ----------
    instances : sequence of CRFInstance
        With labels, which may be `UNKNOWN` at some nodes.
    sample_weight : array-like of shape (m,), optional
    energy_terms : callable
        The energy terms of the most recently fitted model; called for the second problem.
    factor : ndarray of shape (K, K), optional
        The cost factors of pairs of labels.

    Raises
    ------
    ValueError
        If no node of any graph has a label.
    """
    weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    if not any(_unknown(i).any() for i in instances):
        yield list(instances), weight
        return
    keep = [k for k, i in enumerate(instances) if not _unknown(i).all()]
    if not keep:
        raise ValueError("instances must have at least one labelled node; all labels are −1")
    some = [instances[k] for k in keep]
    weight = None if weight is None else weight[keep]
    yield [labelled_part(i) for i in some], weight
    yield [complete(i, *energy_terms(i), factor) for i in some], weight


def labelled_part(instance: CRFInstance) -> CRFInstance:
    """Return the subgraph of the labelled nodes and the edges between them."""
    nodes = ~_unknown(instance)
    edges = nodes[instance.edges].all(axis=1)
    number = np.cumsum(nodes) - 1
    assert instance.labels is not None
    return CRFInstance(
        instance.unary[nodes],
        number[instance.edges[edges]],
        instance.pairwise[edges],
        instance.labels[nodes],
        None if instance.node_weight is None else instance.node_weight[nodes],
    )


def complete(
    instance: CRFInstance,
    theta: FloatArray,
    capacity: FloatArray,
    factor: FloatArray | None = None,
) -> CRFInstance:
    """Return the graph with the unknown labels set to ``argmin_{y_U} E(y_L, y_U)``, at weight 0.

    With more than two labels, the minimum is that of `segboost.graphs.minimiser.best_labels`.

    Parameters
    ----------
    instance : CRFInstance
        With labels, some of them `UNKNOWN`.
    theta : ndarray of shape (P, K)
    capacity : ndarray of shape (E,)
        Non-negative.
    factor : ndarray of shape (K, K), optional
        The cost factors of pairs of labels.
    """
    assert instance.labels is not None
    free = _unknown(instance)
    own = theta[free].copy()
    number = np.cumsum(free) - 1
    tail, head = instance.edges.T
    pair_costs = potts(theta.shape[1]) if factor is None else factor
    for here, there in ((tail, head), (head, tail)):
        # An edge to a labelled neighbour adds to the costs of the other labels.
        bound = free[here] & ~free[there]
        costs = capacity[bound, None] * pair_costs[instance.labels[there[bound]]]
        np.add.at(own, number[here[bound]], costs)
    inner = free[tail] & free[head]
    graph = Graph(len(own), number[instance.edges[inner]])
    labels = instance.labels.copy()
    labels[free] = best_labels(graph, own, capacity[inner], factor)
    weight = np.ones(len(free)) if instance.node_weight is None else instance.node_weight
    return replace(instance, labels=labels, node_weight=np.where(free, 0.0, weight))


def _unknown(instance: CRFInstance) -> BoolArray:
    if instance.labels is None:
        raise ValueError("instances must have labels to be fitted; at least one has labels=None")
    return np.asarray(instance.labels == UNKNOWN)
