"""Energies with several labels: checks, evaluation and the cost factors of pairs of labels.

``E(y) = Σ_p θ_p(y_p) + Σ_(p,q) c_pq μ(y_p, y_q)`` with y ∈ {0, …, K−1}^P, c ≥ 0, and a symmetric
factor μ ≥ 0 that is zero on its diagonal. By default it is Potts, ``μ(a, b) = [a ≠ b]``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray, IntArray
from segboost.graphs.graph import Graph


@dataclass(frozen=True, eq=False)
class LabelEnergy:
    """A checked energy with K labels.

    Parameters
    ----------
    graph : Graph
        P nodes and E edges.
    theta : ndarray of shape (P, K)
        Costs of the labels.
    capacity : ndarray of shape (E,)
        c, non-negative.
    factor : ndarray of shape (K, K)
        μ.
    """

    graph: Graph
    theta: FloatArray
    capacity: FloatArray
    factor: FloatArray

    @property
    def n_labels(self) -> int:
        """Number of labels K."""
        return int(self.theta.shape[1])

    def value(self, labels: IntArray) -> float:
        """Return E(y)."""
        tail, head = self.graph.edges.T
        pairs = self.factor[labels[tail], labels[head]]
        return float(self.theta[np.arange(len(labels)), labels].sum() + self.capacity @ pairs)


def make_energy(
    graph: Graph,
    theta: npt.ArrayLike,
    capacity: npt.ArrayLike,
    factor: npt.ArrayLike | None = None,
) -> LabelEnergy:
    """Return the energy after checking that its terms are finite and fit the graph.

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it.
    """
    costs = np.asarray(theta, np.float64)
    weights = np.asarray(capacity, np.float64)
    if costs.ndim != 2 or len(costs) != graph.n_nodes or costs.shape[1] < 1:
        raise ValueError(f"theta must have shape ({graph.n_nodes}, K), got {costs.shape}")
    if weights.shape != (graph.n_edges,):
        raise ValueError(f"capacity must have shape ({graph.n_edges},), got {weights.shape}")
    if not np.isfinite(costs).all():
        raise ValueError("theta must be finite: it contains NaN or infinity")
    if not np.isfinite(weights).all():
        raise ValueError("capacity must be finite: it contains NaN or infinity")
    if weights.size and weights.min() < 0:
        raise ValueError(f"capacity must not be negative, got {weights.min()}")
    n_labels = costs.shape[1]
    pairs = potts(n_labels) if factor is None else check_factor(factor, n_labels)
    return LabelEnergy(graph, costs, weights, pairs)


def potts(n_labels: int) -> FloatArray:
    """Return ``μ(a, b) = [a ≠ b]``, shape (K, K)."""
    return 1.0 - np.eye(n_labels)


def check_factor(factor: npt.ArrayLike, n_labels: int, name: str = "factor") -> FloatArray:
    """Return μ as float64; ValueError unless it is symmetric, μ ≥ 0 and zero on the diagonal.

    `name` is what error messages call it.
    """
    matrix = np.asarray(factor, np.float64)
    if matrix.shape != (n_labels, n_labels):
        raise ValueError(
            f"{name} must have shape ({n_labels}, {n_labels}), one row per label, "
            f"got {matrix.shape}"
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise ValueError(f"{name} must be finite and not negative")
    if np.diagonal(matrix).any():
        raise ValueError(f"{name} must be zero on its diagonal: equal labels cost nothing")
    if not np.array_equal(matrix, matrix.T):
        raise ValueError(f"{name} must be symmetric")
    return matrix


def is_metric(factor: FloatArray) -> bool:
    """Whether ``μ(a, b) ≤ μ(a, c) + μ(c, b)`` holds for all labels, up to rounding."""
    through = (factor[:, :, None] + factor[None, :, :]).min(axis=1)
    return bool((factor <= through * (1 + 1e-12)).all())


def label_energy(
    graph: Graph,
    theta: npt.ArrayLike,
    capacity: npt.ArrayLike,
    labels: npt.ArrayLike,
    factor: npt.ArrayLike | None = None,
) -> float:
    """Return E(y) of one labelling, shape (P,), of the labels 0 … K−1."""
    problem = make_energy(graph, theta, capacity, factor)
    return problem.value(np.asarray(labels).astype(np.intp))
