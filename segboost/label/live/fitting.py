"""Fit the quick classifier to painted superpixels, and smooth its prediction for an image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from segboost._types import FloatArray, Int64Array
from segboost.graphs.expansion import expand
from segboost.graphs.graph import Graph
from segboost.label.live.linear_model import (
    LEAST_DEVIATION,
    LinearModel,
    Standard,
    fit_linear,
    log_softmax,
)
from segboost.label.live.painted import PaintedRows
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.crf.fixed_crf import border_costs

MOST_ROWS = 6000
"""The largest number of superpixels to learn from."""
BALANCED = 3
"""With up to this many painted images, all classes weigh the same: how much of each is painted
says little about new images. With n > 3 images, superpixels are weighted by the painted pixels of
their class to the power of −3 / n."""
SMOOTHNESS = 6.0
"""The cost of a border between two superpixels of one colour, per side length of a superpixel."""
CONTRAST = 0.3
"""Rate at which that cost falls with the colour difference in LUV units."""
PAINTED = 60.0
"""The cost, per mean superpixel, of giving painted pixels another class."""


def fit_painted(
    parts: Sequence[PaintedRows],
    n_classes: int,
    start: LinearModel | None = None,
    check: Callable[[], Any] = lambda: None,
) -> LinearModel:
    """Fit the classifier to the painted superpixels of some images.

    Parameters
    ----------
    parts : sequence of PaintedRows
        At least one, in an order that does not depend on the strokes.
    n_classes : int
    start : LinearModel, optional
        The previous model, to start from.
    check : callable
        Called at every step; may raise an exception to give up.
    """
    standard = _standard(parts)
    labels = np.concatenate([p.labels for p in parts])
    weight = np.concatenate([p.weight for p in parts])
    rows = np.arange(len(labels))
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(len(rows), MOST_ROWS, replace=False))
    table = standard(np.concatenate([p.table for p in parts])[rows])
    labels, weight = labels[rows], weight[rows]
    total = np.bincount(labels, weight, n_classes)
    balance = min(1.0, BALANCED / len(parts))
    weight = weight * np.maximum(total, 1e-9)[labels] ** -balance
    return fit_linear(table, labels, weight, n_classes, standard, start, check)


def smooth(
    image: SuperpixelImage, logits: FloatArray, painted: Int64Array | None = None
) -> Int64Array:
    """Return the labels of least energy: −log p weighted by area, plus the cost of borders.

    Parameters
    ----------
    image : SuperpixelImage
    logits : ndarray of shape (P, K)
        Classes with −inf, which were never painted, are not used.
    painted : ndarray of int, shape (P, K), optional
        Number of painted pixels of each class; giving them another class costs `PAINTED`.

    Returns
    -------
    ndarray of int, shape (P,)
    """
    usable = np.flatnonzero(np.isfinite(logits).all(axis=0))
    mean = float(image.area.mean())
    cost = -log_softmax(logits[:, usable]) * (image.area / mean)[:, None]
    if painted is not None:
        kept = painted[:, usable]
        cost = cost + PAINTED / mean * (kept.sum(axis=1, keepdims=True) - kept)
    graph = Graph(len(cost), image.edges)
    found = expand(graph, cost, border_costs(image, SMOOTHNESS, CONTRAST))
    return usable[np.asarray(found, np.int64)].astype(np.int64)


def probabilities(logits: FloatArray) -> FloatArray:
    """Return the probability of each class, shape (P, K); 0 for classes with −inf."""
    usable = np.isfinite(logits).all(axis=0)
    found = np.zeros(logits.shape)
    found[:, usable] = np.exp(log_softmax(logits[:, usable]))
    return found


def _standard(parts: Sequence[PaintedRows]) -> Standard:
    """Return mean and deviation over all superpixels of the painted images."""
    count = sum(p.n_superpixels for p in parts)
    mean = np.sum([p.total for p in parts], axis=0) / count
    squares = np.sum([p.squares for p in parts], axis=0) / count
    deviation = np.sqrt(np.maximum(squares - mean**2, 0.0))
    deviation = np.where(deviation > LEAST_DEVIATION, deviation, 1.0)
    return Standard(mean.astype(np.float32), deviation.astype(np.float32))
