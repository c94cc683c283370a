"""Small random energies, with exhaustive enumeration of their labellings."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from segboost.graphs.graph import Graph


@dataclass(frozen=True, eq=False)
class Energy:
    graph: Graph
    theta: np.ndarray
    capacity: np.ndarray

    def all_values(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all labellings (2^P, P) and their energies."""
        n = self.graph.n_nodes
        y = np.array(list(itertools.product((0, 1), repeat=n)), int).reshape(2**n, n)
        tail, head = self.graph.edges.T
        unary = np.where(y == 1, self.theta[:, 1], self.theta[:, 0]).sum(axis=1)
        return y, unary + (y[:, tail] != y[:, head]) @ self.capacity


def random_energy(rng: np.random.Generator, n_nodes: int, integer: bool = False) -> Energy:
    """Return an energy on a random multigraph with isolated nodes, loops and zero capacities."""
    n_edges = int(rng.integers(0, 3 * n_nodes)) if n_nodes else 0
    edges = rng.integers(0, n_nodes, (n_edges, 2)) if n_edges else np.zeros((0, 2), int)
    if integer:
        theta = rng.integers(-4, 5, (n_nodes, 2)).astype(float)
        capacity = rng.integers(0, 4, n_edges).astype(float)
    else:
        theta = rng.normal(0, 1, (n_nodes, 2))
        capacity = rng.exponential(rng.choice([0.1, 0.5, 2.0]), n_edges)
    return Energy(Graph(n_nodes, edges), theta, capacity)
