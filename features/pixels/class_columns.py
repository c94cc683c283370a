"""Features of pixels for choosing among several classes, as columns for a classifier.

The log-probabilities of the pixel's superpixel, the mean probabilities of its surroundings, its
colour and how that differs from its surroundings, its position, and the channels of network maps.
Smooth columns are computed at half the resolution and interpolated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from segboost._types import Float32Array, FloatArray, Int32Array, Int64Array
from segboost.features.page import PagePart
from segboost.features.pixels.box_means import box_means, halve
from segboost.features.pixels.sampling import sample_at

LEAST = -8.0
"""Log-probabilities are clipped at this minimum."""
BLURS = (1, 3, 8)
"""Radii of the means of probabilities, in pixels of the halved image, applied twice."""
WINDOWS = (3, 10)
"""Radii of the windows whose mean colour is compared with the pixel's, in the halved image."""


@dataclass(frozen=True, eq=False)
class ClassPixelSource:
    """An image with its superpixels and the log-probabilities of their classes.

    Parameters
    ----------
    luv : ndarray of float32, shape (H, W, 3)
    superpixels : ndarray of int32, shape (H, W)
    scores : ndarray of shape (P, K)
        Log-probabilities.
    page : PagePart, optional
        The image's position in a large page, if it is a part of one.
    """

    luv: Float32Array
    superpixels: Int32Array
    scores: FloatArray
    page: PagePart | None = None


def describe_class_pixels(
    source: ClassPixelSource, maps: Sequence[Float32Array]
) -> Callable[[Int64Array, Int64Array], Float32Array]:
    """Return a function from rows and columns of n pixels to their features.

    The features are float32, shape (n, 4 K + 11 + ΣC). Smooth columns are computed once, in
    advance. The function can then be called on batches of pixels if the features of all of them
    would not fit into memory.

    Parameters
    ----------
    source : ClassPixelSource
    maps : sequence of ndarray of float32, shape (C, h, w)
        Maps of a network.
    """
    shape = source.superpixels.shape
    n_classes = source.scores.shape[1]
    probability = halve(np.exp(source.scores).astype(np.float32)[source.superpixels])
    colour = halve(source.luv)
    parts = [box_means(box_means(probability, radius), radius) for radius in BLURS]
    parts += [box_means(colour, radius) for radius in WINDOWS]
    smooth = np.concatenate(parts, axis=-1)
    cells = [np.ascontiguousarray(m.transpose(1, 2, 0)) for m in maps]

    def describe(rows: Int64Array, columns: Int64Array) -> Float32Array:
        at = sample_at(smooth, rows, columns, shape)
        sampled = [sample_at(c, rows, columns, shape) for c in cells]
        return _columns(source, n_classes, at, sampled, rows, columns)

    return describe


def _columns(
    source: ClassPixelSource,
    n_classes: int,
    at: Float32Array,
    sampled: list[Float32Array],
    rows: Int64Array,
    columns: Int64Array,
) -> Float32Array:
    """Return all columns from the sampled smooth maps and network maps."""
    near = len(BLURS) * n_classes
    own = source.luv[rows, columns]
    differences = [own - at[:, k : k + 3] for k in range(near, at.shape[1], 3)]
    pixels = np.stack([rows, columns], axis=1)
    if source.page is None:
        place = pixels / np.array(source.superpixels.shape)
    else:
        place = source.page.on_page(pixels) / source.page.shape
    scores = np.maximum(source.scores, LEAST)[source.superpixels[rows, columns]]
    parts = [scores, at[:, :near], own, *differences, place, *sampled]
    return np.concatenate(parts, axis=1).astype(np.float32)
