"""Synthetic planar CRFs of the size of an image's superpixel graph."""

from __future__ import annotations

import numpy as np
from scipy.spatial import Delaunay

from segboost.tasks.crf import CRFInstance

N_UNARY = 14


def planar_graphs(n_graphs: int = 150, n_nodes: int = 600, seed: int = 0) -> list[CRFInstance]:
    """Return labelled instances with 14 unary and 2 pairwise potentials.

    The graph is the Delaunay triangulation of random points (about 3·600 − 20 edges). The truth
    is the sign of a smooth random field. Unary potentials are noisy views of the field, from
    good to hardly informative, some saturated or otherwise not linear; the pairwise ones are
    exp(−colour difference), where colours differ more across the truth's boundaries, and the
    length of a shared boundary.
    """
    rng = np.random.default_rng(seed)
    return [_instance(rng, n_nodes) for _ in range(n_graphs)]


def _instance(rng: np.random.Generator, n_nodes: int) -> CRFInstance:
    points = rng.random((n_nodes, 2))
    edges = _triangulation_edges(points)
    field = _smooth_field(rng, points)
    labels = (field > 0).astype(np.intp)
    tail, head = edges.T
    colour = 0.8 * field[:, None] + rng.normal(0, 0.5, (n_nodes, 3))
    similar = np.exp(-np.linalg.norm(colour[tail] - colour[head], axis=1))
    distance = np.linalg.norm(points[tail] - points[head], axis=1)
    length = np.clip(rng.gamma(4.0, 0.25, len(edges)) * 0.04 / (distance + 0.01), 0.05, 4.0)
    return CRFInstance(
        unary=_unary_potentials(rng, field, points),
        edges=edges,
        pairwise=np.column_stack([similar, length]),
        labels=labels,
    )


def _triangulation_edges(points: np.ndarray) -> np.ndarray:
    corners = Delaunay(points).simplices
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    return np.unique(np.sort(pairs, axis=1), axis=0).astype(np.intp)


def _smooth_field(rng: np.random.Generator, points: np.ndarray) -> np.ndarray:
    """Return a sum of random waves of a few periods across the unit square, of variance 1."""
    frequency = rng.normal(0, 2 * np.pi * 0.9, (8, 2))
    phase = rng.uniform(0, 2 * np.pi, 8)
    return np.sqrt(2 / 8) * np.cos(points @ frequency.T + phase).sum(axis=1) + rng.normal(0, 0.3)


def _unary_potentials(
    rng: np.random.Generator, field: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """Return U (P, 14): U_k(x, y = +1), which is low where the foreground is likely."""
    columns = []
    for k in range(N_UNARY):
        noise = 0.8 + 0.35 * k
        # Half of the noise is shared by neighbours, as it is in images.
        view = field + noise * (0.5 * _smooth_field(rng, points) + rng.normal(0, 1, field.size))
        if k % 3 == 1:
            view = np.tanh(2 * view)
        elif k % 3 == 2:
            view = np.sign(view) * np.sqrt(np.abs(view))
        columns.append(-view)
    return np.column_stack(columns)
