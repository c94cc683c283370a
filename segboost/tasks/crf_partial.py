"""Learning from graphs some of whose nodes have no label.

Let L be the labelled nodes of a graph, U the others. The truth is a set of labellings, those that
agree with y_L; its energy is that of the best of them, ``min_{y_U} E(y_L, y_U)``. The criterion

    ``J(w) = ‖w‖₁ + (C/m) Σ_i max_y [Δ_L(y_i, y) + min_{y_U} E(y_i, y_U) − E(y)]``

counts wrong labels of L only and leaves U free on both sides. The minimum makes it non-convex, and
cutting planes would certify nothing. It is bounded from above by fixing y_U, tightly so at the w
where that y_U is the minimiser; the bound is an ordinary, convex CRF problem with weight 0 on U.
So learning goes in rounds, each of them convex and certified:

1. from the labelled nodes and the edges between them alone;
2. with ``y_U = argmin E(y_L, y_U)`` of the first round, fixed: this cannot raise J.

Without a node in U there is the second problem only, which is then the usual one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray
from segboost.graphs.graph import Graph
from segboost.graphs.mincut import minimise
from segboost.tasks.crf_instance import UNKNOWN, CRFInstance

EnergyTerms = Callable[[CRFInstance], tuple[FloatArray, FloatArray]]
"""Returns θ, shape (P, 2), and the edge costs, shape (E,), of a graph."""


def learning_rounds(
    instances: Sequence[CRFInstance],
    sample_weight: npt.ArrayLike | None,
    energy_terms: EnergyTerms,
    n_completions: int = 1,
) -> Iterator[tuple[list[CRFInstance], FloatArray | None]]:
    """Yield what to fit, one problem after the other; the last one's weights are the answer.

    Parameters
    ----------
    instances : sequence of CRFInstance
        With labels, which may be `UNKNOWN` at some nodes.
    sample_weight : array-like of shape (m,), optional
    energy_terms : callable
        Of the model that was fitted last; asked from the second problem on.
    n_completions : int
        Problems with completed labels; each starts from the energies of the one before.

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
        raise ValueError("instances must have a labelled node to learn from: all labels are −1")
    some = [instances[k] for k in keep]
    weight = None if weight is None else weight[keep]
    yield [labelled_part(i) for i in some], weight
    for _ in range(n_completions):
        yield [complete(i, *energy_terms(i)) for i in some], weight


def labelled_part(instance: CRFInstance) -> CRFInstance:
    """Return the graph of the labelled nodes and of the edges between them."""
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


def complete(instance: CRFInstance, theta: FloatArray, capacity: FloatArray) -> CRFInstance:
    """Return the graph with all labels: ``argmin_{y_U} E(y_L, y_U)``, which cost nothing if wrong.

    Parameters
    ----------
    instance : CRFInstance
        With labels, some of them `UNKNOWN`.
    theta : ndarray of shape (P, 2)
    capacity : ndarray of shape (E,)
        Not negative.
    """
    assert instance.labels is not None
    free = _unknown(instance)
    own = theta[free].copy()
    number = np.cumsum(free) - 1
    tail, head = instance.edges.T
    for here, there in ((tail, head), (head, tail)):
        # Towards a labelled neighbour an edge is a cost of the other label.
        bound = free[here] & ~free[there]
        at = (number[here[bound]], 1 - instance.labels[there[bound]])
        np.add.at(own, at, capacity[bound])
    inner = free[tail] & free[head]
    graph = Graph(len(own), number[instance.edges[inner]])
    labels = instance.labels.copy()
    labels[free] = minimise(graph, own, capacity[inner])
    weight = np.ones(len(free)) if instance.node_weight is None else instance.node_weight
    return replace(instance, labels=labels, node_weight=np.where(free, 0.0, weight))


def _unknown(instance: CRFInstance) -> npt.NDArray[np.bool_]:
    if instance.labels is None:
        raise ValueError("instances must have labels to fit; one of them has None")
    return np.asarray(instance.labels == UNKNOWN)
