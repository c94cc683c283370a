"""A graph with its potentials, the input of the CRF learners, and several of them as one graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segboost._types import AnyArray, FloatArray, IntArray
from segboost.graphs.graph import Graph, as_edges

UNKNOWN = -1
"""The label of an unlabelled node."""


@dataclass(frozen=True, eq=False)
class CRFInstance:
    """The potentials of one graph and, for training, its labels.

    Arrays are stored without a copy if their dtype allows, and never modified.

    Parameters
    ----------
    unary : array-like of shape (P, D)
        The potentials of the nodes. For two labels ``U_d(x, y^p = +1)``; ``U_d(x, −1)`` is its
        negative. The sign convention does not matter: the learners find the sign themselves. For
        more labels every label has its own function of all potentials. Raw features may be uint8
        and stay so, which takes an eighth of the memory.
    edges : array-like of int, shape (E, 2)
        Pairs of different nodes.
    pairwise : array-like of shape (E, L)
        The non-negative potentials of cutting each edge.
    labels : array-like of shape (P,), optional
        Classes from 0 on, or −1 for unknown; with two classes 0 is background and 1 foreground.
        Unknown nodes have no loss, and their labels are free in learning. None for prediction.
    node_weight : array-like of shape (P,), optional
        Cost of a wrong label, 1 by default; for example the number of pixels of a superpixel.

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it.
    """

    unary: AnyArray
    edges: IntArray
    pairwise: FloatArray
    labels: IntArray | None = None
    node_weight: FloatArray | None = None

    def __post_init__(self) -> None:
        unary = _matrix("unary", self.unary, keep_bytes=True)
        edges = as_edges(self.edges, len(unary))
        if (edges[:, 0] == edges[:, 1]).any():
            raise ValueError("edges must join different nodes; remove self loops")
        pairwise = _matrix("pairwise", self.pairwise)
        if len(pairwise) != len(edges):
            raise ValueError(f"pairwise has {len(pairwise)} rows for {len(edges)} edges")
        if pairwise.size and pairwise.min() < 0:
            raise ValueError(f"pairwise must not be negative, got {pairwise.min()}")
        checked = {"unary": unary, "edges": edges, "pairwise": pairwise}
        if self.labels is not None:
            checked["labels"] = _labels(self.labels, len(unary))
        if self.node_weight is not None:
            checked["node_weight"] = _node_weight(self.node_weight, len(unary))
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def n_nodes(self) -> int:
        """Number of nodes P."""
        return int(self.unary.shape[0])

    @property
    def n_edges(self) -> int:
        """Number of edges E."""
        return int(self.edges.shape[0])


class StackedGraphs:
    """Several instances as one graph: nodes and edges in the order of the instances.

    Parameters
    ----------
    instances : sequence of CRFInstance
        m of them.

    Attributes
    ----------
    graph : Graph
    node_start : ndarray of int, shape (m + 1,)
        The first node of every instance, followed by the number of nodes.
    node_owner, edge_owner : ndarray of int
        The instance of every node and of every edge.
    loss : ndarray of float
        The cost of a wrong label at every node.
    """

    def __init__(self, instances: Sequence[CRFInstance]) -> None:
        self.n_graphs = len(instances)
        self.node_start = starts([i.n_nodes for i in instances])
        self._edge_start = starts([i.n_edges for i in instances])
        edges = [i.edges + s for i, s in zip(instances, self.node_start, strict=False)]
        self.graph = Graph(int(self.node_start[-1]), np.concatenate(edges))
        self.node_owner = np.repeat(np.arange(self.n_graphs), np.diff(self.node_start))
        self.edge_owner = np.repeat(np.arange(self.n_graphs), np.diff(self._edge_start))
        labels = [i.labels for i in instances if i.labels is not None]
        known = len(labels) == len(instances) and not any((y == UNKNOWN).any() for y in labels)
        self._labels = np.concatenate(labels) if known else None
        cost = [np.ones(i.n_nodes) if i.node_weight is None else i.node_weight for i in instances]
        self.loss: FloatArray = np.concatenate(cost)

    def true_labels(self) -> IntArray:
        """Return the labels of all nodes; ValueError if any is unknown."""
        if self._labels is None:
            raise ValueError("separate needs a label for every node of every instance")
        return self._labels

    def loss_augmented(self, theta: FloatArray) -> FloatArray:
        """Return the unary costs θ, shape (P, K), less the loss of each label."""
        augmented = theta - self.loss[:, None]
        augmented[np.arange(len(theta)), self.true_labels()] += self.loss
        return augmented

    def losses(self, found: IntArray) -> FloatArray:
        """Return Δ(y_i, y'_i) of the labels found in every instance, shape (m,)."""
        wrong = self.loss * (found != self.true_labels())
        return np.bincount(self.node_owner, wrong, self.n_graphs).astype(np.float64)

    def split(self, found: IntArray) -> list[IntArray]:
        """Return labels of all nodes as one array per instance."""
        return np.split(found, self.node_start[1:-1])

    def terms_of(
        self, instance: int, theta: FloatArray, capacity: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the part of the energy terms that belongs to one instance."""
        nodes = slice(self.node_start[instance], self.node_start[instance + 1])
        edges = slice(self._edge_start[instance], self._edge_start[instance + 1])
        return theta[nodes], capacity[edges]


def check_instances(instances: Sequence[CRFInstance]) -> tuple[CRFInstance, ...]:
    """Return the instances as a tuple; ValueError unless all have the same potentials."""
    checked = tuple(instances)
    if not checked:
        raise ValueError("instances is empty; give at least one graph")
    for number, instance in enumerate(checked):
        if not isinstance(instance, CRFInstance):
            raise ValueError(f"instances[{number}] is {type(instance).__name__}, not CRFInstance")
        for name in ("unary", "pairwise"):
            here, there = getattr(instance, name).shape[1], getattr(checked[0], name).shape[1]
            if here != there:
                raise ValueError(
                    f"instances[{number}] has {here} {name} potentials, instances[0] has {there}"
                )
    return checked


def starts(counts: npt.ArrayLike) -> IntArray:
    """Return the start of each concatenated part, followed by the total length."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)


def _matrix(name: str, value: npt.ArrayLike, keep_bytes: bool = False) -> AnyArray:
    array: AnyArray = np.asarray(value)
    if not (keep_bytes and array.dtype == np.uint8):
        array = np.asarray(value, np.float64)
    if array.ndim != 2:
        raise ValueError(f"{name} must be two-dimensional, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite: it contains NaN or infinity")
    return array


def _labels(value: npt.ArrayLike, n_nodes: int) -> IntArray:
    array: AnyArray = np.asarray(value)
    if array.shape != (n_nodes,):
        raise ValueError(f"labels must have shape ({n_nodes},), got {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"labels must be whole numbers, got dtype {array.dtype}")
    whole = np.isfinite(array) & (array >= UNKNOWN) & (np.floor(array) == array)
    if not whole.all():
        found = np.unique(array[~whole])[:5].tolist()
        raise ValueError(f"labels must be 0, 1, 2, …, or -1 for unknown, got {found}")
    return array.astype(np.intp, copy=False)


def _node_weight(value: npt.ArrayLike, n_nodes: int) -> FloatArray:
    array = np.asarray(value, np.float64)
    if array.shape != (n_nodes,):
        raise ValueError(f"node_weight must have shape ({n_nodes},), got {array.shape}")
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError("node_weight must be finite and not negative")
    return array
