"""Binary submodular energies: checks, scaling and evaluation.

``E(y) = Σ_p θ_p(y_p) + Σ_(p,q) c_pq [y_p ≠ y_q]`` with y ∈ {0, 1}^P and c ≥ 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray
from segboost.graphs.graph import Graph


def checked_terms(
    graph: Graph, theta: npt.ArrayLike, capacity: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return θ and c as float64 arrays that are safe input for a max-flow.

    A max-flow may never terminate on NaN, and infinite or negative capacities have no meaning
    here; all three are rejected.

    Parameters
    ----------
    graph : Graph
        P nodes and E edges.
    theta : array-like of shape (P, 2)
        Cost of the labels 0 and 1 of every node; finite, of any sign.
    capacity : array-like of shape (E,)
        Cost of cutting each edge; finite and non-negative.

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it.
    """
    costs = np.asarray(theta, np.float64)
    weights = np.asarray(capacity, np.float64)
    if graph.n_nodes == 0 and costs.size == 0:
        costs = costs.reshape(0, 2)
    if costs.shape != (graph.n_nodes, 2):
        raise ValueError(f"theta must have shape ({graph.n_nodes}, 2), got {costs.shape}")
    if weights.shape != (graph.n_edges,):
        raise ValueError(f"capacity must have shape ({graph.n_edges},), got {weights.shape}")
    if not np.isfinite(costs).all():
        raise ValueError("theta must be finite: it contains NaN or infinity")
    if not np.isfinite(weights).all():
        raise ValueError("capacity must be finite: it contains NaN or infinity")
    if weights.size and weights.min() < 0:
        raise ValueError(f"capacity must not be negative, got {weights.min()}")
    return costs, weights


def scaled_terms(theta: FloatArray, capacity: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """Return ``θ_p(1) − θ_p(0)`` and c times 2^−e, and the exponent e.

    e is 0 unless the largest magnitude is extreme; e then brings it into [½, 1), so that no sum
    overflows and nothing significant underflows. Scaling by a power of two is exact: the
    minimisers stay the same.
    """
    largest = max(np.abs(theta).max(initial=0.0), capacity.max(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    if abs(exponent) < 500:
        # The usual case: sums of numbers of this size neither overflow nor underflow.
        return theta[:, 1] - theta[:, 0], capacity, 0
    costs = np.ldexp(theta, -exponent)
    return costs[:, 1] - costs[:, 0], np.ldexp(capacity, -exponent), exponent


def energy(
    graph: Graph, theta: npt.ArrayLike, capacity: npt.ArrayLike, labels: npt.ArrayLike
) -> float:
    """Return E(y) of one labelling.

    Parameters
    ----------
    graph, theta, capacity
        As for `checked_terms`.
    labels : array-like of shape (P,)
        0 or 1 for every node.
    """
    costs, weights = checked_terms(graph, theta, capacity)
    y = np.asarray(labels).astype(np.intp)
    cut = y[graph.edges[:, 0]] != y[graph.edges[:, 1]]
    return float(costs[np.arange(y.size), y].sum() + weights[cut].sum())
