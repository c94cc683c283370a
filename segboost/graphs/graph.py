"""An undirected graph as arrays: its edges and the outgoing arcs of every node."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from segboost._types import AnyArray, IntArray


@dataclass(frozen=True, eq=False)
class Arcs:
    """Both directions of every edge, grouped by tail node (compressed sparse rows).

    Parameters
    ----------
    first : ndarray of int, shape (P + 1,)
        The arcs of node p are ``first[p]:first[p + 1]``.
    head : ndarray of int, shape (2E',)
        The head node of each arc. Self loops have no arcs, so that E' may be less than E.
    edge : ndarray of int, shape (2E',)
        The edge of each arc.
    mate : ndarray of int, shape (2E',)
        The reverse arc of the same edge.
    """

    first: IntArray
    head: IntArray
    edge: IntArray
    mate: IntArray


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes ``0 … n_nodes − 1`` and undirected edges between them.

    Self loops are allowed and never cut; the weights of parallel edges add up. To join several
    graphs into one, offset the node numbers of each and stack the edges.

    Parameters
    ----------
    n_nodes : int
    edges : array-like of int, shape (E, 2)

    Raises
    ------
    ValueError
        If `edges` is not an (E, 2) array of integers in ``[0, n_nodes)``.
    """

    n_nodes: int
    edges: IntArray

    def __post_init__(self) -> None:
        if self.n_nodes < 0:
            raise ValueError(f"n_nodes must not be negative, got {self.n_nodes}")
        object.__setattr__(self, "edges", as_edges(self.edges, self.n_nodes))

    @property
    def n_edges(self) -> int:
        """Number of edges E, including self loops and parallel edges."""
        return int(self.edges.shape[0])

    @cached_property
    def arcs(self) -> Arcs:
        """The outgoing arcs of every node, computed on first use and cached."""
        proper = np.flatnonzero(self.edges[:, 0] != self.edges[:, 1])
        ends = self.edges[proper]
        tail = np.concatenate([ends[:, 0], ends[:, 1]])
        order = np.argsort(tail, kind="stable").astype(np.intp)
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        first = np.zeros(self.n_nodes + 1, np.intp)
        np.cumsum(np.bincount(tail, minlength=self.n_nodes), out=first[1:])
        head = np.concatenate([ends[:, 1], ends[:, 0]])[order]
        half = proper.size
        mate = place[np.where(order < half, order + half, order - half)]
        return Arcs(first, head, proper[order % half] if half else order, mate)


def as_edges(edges: npt.ArrayLike, n_nodes: int) -> IntArray:
    """Return `edges` as an (E, 2) array of node numbers below `n_nodes`, or raise ValueError."""
    array: AnyArray = np.asarray(edges)
    if array.size == 0:
        return np.zeros((0, 2), np.intp)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"edges must have shape (E, 2), got {array.shape}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"edges must be integers, got dtype {array.dtype}")
    if array.min() < 0 or array.max() >= n_nodes:
        raise ValueError(
            f"edges must name nodes in [0, {n_nodes}), got {array.min()} to {array.max()}"
        )
    return np.ascontiguousarray(array, np.intp)
