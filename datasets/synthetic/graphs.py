"""Labelled grid graphs drawn at random: noisy shapes, or noisy regions of several classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from segboost._types import FloatArray, IntArray

POTENTIALS = ("linear", "band", "spikes", "shared noise")
"""Names of the columns of a `grid_graph`'s unary potentials."""


@dataclass(frozen=True, eq=False)
class GridGraph:
    """A grid of nodes with 4-neighbour edges; the nodes are numbered row by row.

    Parameters
    ----------
    unary : ndarray of float64, shape (H·W, D)
    edges : ndarray of int, shape (E, 2)
    pairwise : ndarray of float64, shape (E, 2)
        exp(−brightness difference / 0.15), and 1.
    labels : ndarray of int, shape (H·W,)
        1 inside the shapes, or the class.
    brightness : ndarray of float64, shape (H, W)
        The picture from which the contrast of the edges is computed.
    """

    unary: FloatArray
    edges: IntArray
    pairwise: FloatArray
    labels: IntArray
    brightness: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the grid."""
        return self.brightness.shape[0], self.brightness.shape[1]


def grid_graphs(
    n_graphs: int, rng: np.random.Generator, height: int = 24, width: int = 32
) -> list[GridGraph]:
    """Return `n_graphs` independent graphs."""
    return [grid_graph(rng, height, width) for _ in range(n_graphs)]


def grid_graph(rng: np.random.Generator, height: int = 24, width: int = 32) -> GridGraph:
    """Return one graph whose shapes are roughly the upper half of a smooth random field.

    With s = ±1 for shape and ground, the unary potentials are

    - ``linear``: −s under strong Gaussian noise;
    - ``band``: near 0 in the shapes, near −2 or +2 outside, so that a pair of thresholds can
      separate them, but no weight can;
    - ``spikes``: −s under Gaussian noise, with about every sixth value replaced by an outlier;
    - ``shared noise``: −s under noise that neighbours share, which smoothing cannot remove.

    Examples
    --------
    >>> graph = grid_graph(np.random.default_rng(0), 4, 5)
    >>> graph.unary.shape, graph.edges.shape, graph.shape
    ((20, 4), (31, 2), (4, 5))
    """
    field = smooth_field(rng, height, width, 4.0)
    sign = np.where(field > np.median(field) + rng.uniform(-0.2, 0.2), 1.0, -1.0)
    clutter = np.sign(smooth_field(rng, height, width, 2.0)) + rng.normal(0, 0.8, sign.shape)
    brightness = np.clip(0.5 + 0.13 * sign + 0.09 * clutter, 0.0, 1.0)
    edges = grid_edges(height, width)
    tail, head = brightness.ravel()[edges.T]
    contrast = np.exp(-np.abs(tail - head) / 0.15)
    return GridGraph(
        unary=_unary_potentials(rng, sign),
        edges=edges,
        pairwise=np.column_stack([contrast, np.ones(len(edges))]),
        labels=(sign.ravel() > 0).astype(np.intp),
        brightness=brightness,
    )


def class_graphs(
    n_graphs: int,
    rng: np.random.Generator,
    n_classes: int = 4,
    height: int = 16,
    width: int = 20,
) -> list[GridGraph]:
    """Return `n_graphs` independent graphs with regions of several classes."""
    return [class_graph(rng, n_classes, height, width) for _ in range(n_graphs)]


def class_graph(
    rng: np.random.Generator, n_classes: int = 4, height: int = 16, width: int = 20
) -> GridGraph:
    """Return one graph; a node has the class with the highest of K smooth random fields.

    The unary potentials are one indicator per class under Gaussian noise, and the noisy brightness:
    it rises with the class, but it takes two thresholds to separate a middle class from the others.
    The pairwise potentials are those of `grid_graph`. Not every graph has every class.

    Examples
    --------
    >>> graph = class_graph(np.random.default_rng(0), 3, 4, 5)
    >>> graph.unary.shape, graph.edges.shape, int(graph.labels.max()) < 3
    ((20, 4), (31, 2), True)
    """
    fields = [smooth_field(rng, height, width, 3.0) for _ in range(n_classes)]
    labels = np.argmax(fields, axis=0).ravel().astype(np.intp)
    noise = rng.normal(0, 0.12, labels.size)
    brightness = np.clip((labels + 1) / (n_classes + 1) + noise, 0.0, 1.0)
    indicator = (labels[:, None] == np.arange(n_classes)) + rng.normal(
        0, 0.8, (labels.size, n_classes)
    )
    edges = grid_edges(height, width)
    tail, head = brightness[edges.T]
    return GridGraph(
        unary=np.column_stack([indicator, brightness]),
        edges=edges,
        pairwise=np.column_stack([np.exp(-np.abs(tail - head) / 0.15), np.ones(len(edges))]),
        labels=labels,
        brightness=brightness.reshape(height, width),
    )


def smooth_field(rng: np.random.Generator, height: int, width: int, scale: float) -> FloatArray:
    """Return Gaussian noise blurred over `scale` nodes, mean 0 and variance 1, shape (H, W)."""
    field = ndimage.gaussian_filter(rng.normal(size=(height, width)), scale, mode="wrap")
    return (field - field.mean()) / field.std()


def grid_edges(height: int, width: int) -> IntArray:
    """Return the pairs of horizontal, then of vertical neighbours, shape (E, 2)."""
    node = np.arange(height * width).reshape(height, width)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)
    down = np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)
    return np.concatenate([across, down]).astype(np.intp)


def _unary_potentials(rng: np.random.Generator, sign: FloatArray) -> FloatArray:
    shape = sign.shape
    linear = -sign + rng.normal(0, 3.0, shape)
    outside = 2.0 * rng.choice([-1.0, 1.0], shape) * (sign < 0)
    band = outside + rng.normal(0, 1.1, shape)
    spikes = -sign + rng.normal(0, 2.5, shape)
    wild = rng.random(shape) < 1 / 6
    spikes[wild] = rng.normal(0, 25.0, int(wild.sum()))
    shared = -sign + 1.5 * smooth_field(rng, shape[0], shape[1], 2.0) + rng.normal(0, 1.5, shape)
    return np.column_stack([part.ravel() for part in (linear, band, spikes, shared)])
