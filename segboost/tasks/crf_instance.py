"""A graph with its potentials: the input of the CRF learners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segboost._types import AnyArray, FloatArray, IntArray
from segboost.graphs.graph import as_edges

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
