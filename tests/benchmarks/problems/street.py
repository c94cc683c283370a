"""Graphs of the size of CamVid's: blocky label maps with the class scores of a first stage."""

from __future__ import annotations

import numpy as np

from segboost import CRFInstance

ROWS, COLUMNS = 30, 40
"""A grid of 1,200 superpixels; with one diagonal per cell it has 3,461 edges."""


def street_graphs(n_graphs: int = 367, n_classes: int = 11, seed: int = 0) -> list[CRFInstance]:
    """Return graphs whose classes have frequencies from about 0.01 to 0.3.

    The unary potentials, shape (P, K), are minus the log-probabilities of a noisy classifier; the
    pairwise ones, shape (E, 3), are two contrasts that fall where labels change, and a border
    length.
    """
    rng = np.random.default_rng(seed)
    frequency = np.geomspace(0.3, 0.01, n_classes)
    edges = _edges()
    return [_graph(rng, frequency / frequency.sum(), edges) for _ in range(n_graphs)]


def _edges() -> np.ndarray:
    number = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    pairs = [
        (number[:, :-1], number[:, 1:]),
        (number[:-1], number[1:]),
        (number[:-1, :-1], number[1:, 1:]),
    ]
    return np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in pairs])


def _graph(rng: np.random.Generator, frequency: np.ndarray, edges: np.ndarray) -> CRFInstance:
    n_classes = len(frequency)
    centre = rng.random((25, 2)) * (ROWS, COLUMNS)
    place = np.indices((ROWS, COLUMNS)).reshape(2, -1).T
    region = ((place[:, None] - centre) ** 2).sum(axis=2).argmin(axis=1)
    labels = rng.choice(n_classes, len(centre), p=frequency)[region]
    # A region may look like another class as a whole, as objects do; the rest of the noise is
    # that of single superpixels. Rare classes are predicted less often.
    score = np.log(frequency) * 0.5 + rng.normal(0, 0.9, (len(centre), n_classes))[region]
    score += rng.normal(0, 1.1, (len(labels), n_classes))
    score[np.arange(len(labels)), labels] += 4.0
    unary = np.log(np.exp(score).sum(axis=1, keepdims=True)) - score
    cut = labels[edges[:, 0]] != labels[edges[:, 1]]
    contrast = np.exp(-rng.gamma(1.5, 0.5 + 1.5 * cut[:, None], (len(edges), 2)))
    length = rng.gamma(3.0, 3.0, len(edges))
    weight = rng.gamma(5.0, 20.0, len(labels))
    return CRFInstance(unary, edges, np.column_stack([contrast, length]), labels, weight)
