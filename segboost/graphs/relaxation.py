"""A lower bound of energies with several labels by linear programming.

The relaxation replaces the label of node p by weights ``τ_p(a) ≥ 0`` that sum to 1, and the pair of
labels of an edge by weights ``τ_pq(a, b) ≥ 0`` whose sums over b and a are τ_p and τ_q:

    ``min Σ_p θ_p·τ_p + Σ_(p,q) c_pq μ·τ_pq``

Labellings are its integral points, so that its value is never above the minimum of the energy.
The programme has E·K² variables and is meant for small graphs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import linprog

from segboost.graphs.graph import Graph
from segboost.graphs.labelling import make_energy


def relaxation_bound(
    graph: Graph,
    theta: npt.ArrayLike,
    capacity: npt.ArrayLike,
    factor: npt.ArrayLike | None = None,
) -> float:
    """Return the value of the linear relaxation, at most the minimum of the energy.

    Parameters
    ----------
    graph, theta, capacity
        As for `segboost.graphs.expansion.expand`.
    factor : array-like of shape (K, K), optional
        μ; Potts by default.

    Raises
    ------
    ValueError
        If an argument is invalid.
    RuntimeError
        If the linear programme could not be solved.

    Examples
    --------
    >>> graph = Graph(2, [[0, 1]])
    >>> float(round(relaxation_bound(graph, [[0, 2, 2], [2, 0, 2]], [1]), 9))
    1.0
    """
    problem = make_energy(graph, theta, capacity, factor)
    proper = graph.edges[:, 0] != graph.edges[:, 1]
    edges, weight = graph.edges[proper], problem.capacity[proper]
    n, k, m = graph.n_nodes, problem.n_labels, len(edges)
    if n == 0:
        return 0.0
    one_label = sparse.kron(sparse.eye_array(n), np.ones((1, k)))
    over_second = sparse.kron(sparse.eye_array(m * k), np.ones((1, k)))
    over_first = sparse.kron(sparse.eye_array(m), np.tile(np.eye(k), (1, k)))
    rows = [sparse.hstack([one_label, sparse.csr_array((n, m * k * k))])]
    for ends, sums in ((edges[:, 0], over_second), (edges[:, 1], over_first)):
        node = (ends[:, None] * k + np.arange(k)).ravel()
        at = sparse.csr_array((np.ones(m * k), (np.arange(m * k), node)), shape=(m * k, n * k))
        rows.append(sparse.hstack([-at, sums]))
    pairs = (weight[:, None] * problem.factor.ravel()).ravel()
    right = np.concatenate([np.ones(n), np.zeros(2 * m * k)])
    result = linprog(
        np.concatenate([problem.theta.ravel(), pairs]),
        A_eq=sparse.vstack(rows, format="csr"),
        b_eq=right,
        method="highs",
    )
    if result.status != 0:
        raise RuntimeError(f"the relaxation could not be solved: {result.message}")
    return float(result.fun)
