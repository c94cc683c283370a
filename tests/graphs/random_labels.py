"""Small random energies with several labels, with exhaustive enumeration."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from segboost.graphs.graph import Graph
from segboost.graphs.labelling import label_energy
from tests.graphs.random_graphs import random_energy


@dataclass(frozen=True, eq=False)
class Labelling:
    graph: Graph
    theta: np.ndarray
    capacity: np.ndarray
    factor: np.ndarray | None = None

    @property
    def terms(self) -> tuple:
        return self.graph, self.theta, self.capacity

    def value(self, labels) -> float:
        return label_energy(*self.terms, labels, self.factor)

    def all_values(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all labellings (K^P, P) and their energies."""
        n, k = self.theta.shape
        y = np.array(list(itertools.product(range(k), repeat=n)), int).reshape(k**n, n)
        tail, head = self.graph.edges.T
        mu = 1.0 - np.eye(k) if self.factor is None else self.factor
        unary = self.theta[np.arange(n), y].sum(axis=1)
        return y, unary + mu[y[:, tail], y[:, head]] @ self.capacity


def random_labelling(
    rng: np.random.Generator, n_nodes: int, n_labels: int, integer: bool = False
) -> Labelling:
    """Return a Potts energy with θ ≥ 0 on a random multigraph."""
    e = random_energy(rng, n_nodes, integer)
    if integer:
        theta = rng.integers(0, 5, (n_nodes, n_labels)).astype(float)
    else:
        theta = rng.exponential(1.0, (n_nodes, n_labels))
    return Labelling(e.graph, theta, e.capacity)


def random_metric(rng: np.random.Generator, n_labels: int) -> np.ndarray:
    """Return distances of random points in the plane."""
    points = rng.normal(size=(n_labels, 2))
    return np.linalg.norm(points[:, None] - points[None], axis=2)
