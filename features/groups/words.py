"""Visual words: dense SIFT descriptors assigned to the nearest codebook entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from segboost._types import AnyArray, Float32Array, Int64Array, IntArray
from segboost.features.groups.clustering import cluster_words, nearest_word
from segboost.features.groups.sift import DIMENSIONS, dense_sift, grid_points
from segboost.features.image import ImageLike, as_rgb
from segboost.features.image_context import ImageContext

SIFT_CELLS = (4, 6, 8)
"""Sides of the SIFT cells in pixels: descriptors of 16, 24 and 32 pixels."""
SIFT_STEP = 6
"""The distance between grid points in pixels."""


@dataclass(frozen=True, eq=False)
class Codebook:
    """The visual words to which descriptors are assigned.

    Parameters
    ----------
    words : ndarray of float32, shape (K, 128)
    """

    words: Float32Array

    def __post_init__(self) -> None:
        words = np.asarray(self.words)
        if words.ndim != 2 or words.shape[1] != DIMENSIONS or not np.isfinite(words).all():
            raise ValueError(
                f"words: expected finite numbers of shape (K, {DIMENSIONS}), got {words.shape}"
            )
        object.__setattr__(self, "words", np.ascontiguousarray(words, dtype=np.float32))

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the plain arrays that `from_arrays` takes, for saving with a model."""
        return {"words": self.words}

    @classmethod
    def from_arrays(cls, arrays: dict[str, AnyArray]) -> Codebook:
        """Return the codebook that `to_arrays` stored."""
        if "words" not in arrays:
            raise ValueError("codebook: expected the array 'words'")
        return cls(arrays["words"])

    def nearest_words(self, descriptors: Float32Array) -> IntArray:
        """Return the nearest word of each descriptor, ``argmin_k ‖d − w_k‖²``, shape (N,)."""
        return nearest_word(descriptors, self.words)


def image_descriptors(
    grey: Float32Array,
) -> tuple[Int64Array, Float32Array]:
    """Return the points, shape (N, 2), and descriptors, shape (N, 128), over all scales."""
    points = grid_points((grey.shape[0], grey.shape[1]), SIFT_STEP)
    return np.tile(points, (len(SIFT_CELLS), 1)), dense_sift(grey, points, SIFT_CELLS)


def learn_codebook(
    images: Iterable[ImageLike],
    n_words: int = 200,
    per_image: int = 1000,
    random_state: int | np.random.Generator = 0,
) -> Codebook:
    """Learn visual words from training images by mini-batch k-means.

    Parameters
    ----------
    images : iterable of images
        Only training images; one is in memory at a time.
    n_words : int
        The size of the codebook, K.
    per_image : int
        Number of descriptors drawn from each image.
    random_state : int or numpy.random.Generator
        Draws the descriptors and the initial clusters; the same seed gives the same bytes.

    Returns
    -------
    Codebook
    """
    rng = np.random.default_rng(random_state)
    drawn = []
    for image in images:
        context = ImageContext(rgb := as_rgb(image), np.zeros(rgb.shape[:2], np.int32))
        _, descriptors = image_descriptors(context.grey)
        size = min(per_image, len(descriptors))
        drawn.append(descriptors[np.sort(rng.choice(len(descriptors), size, replace=False))])
    if not drawn:
        raise ValueError("images: expected at least one image to learn visual words from")
    return Codebook(cluster_words(np.concatenate(drawn), n_words, rng))


def word_histograms(context: ImageContext, codebook: Codebook, steps: int = 2) -> Float32Array:
    """Count words over each superpixel and its neighbours up to a number of steps away.

    The value is ``sqrt(count / total)``; it is zero for neighbourhoods without a grid point.

    Returns
    -------
    ndarray of float32, shape (P, K)
    """
    counts = context.cached(("words", id(codebook)), lambda: count_words(context, codebook))
    total = context.within(steps) @ counts
    return np.asarray(np.sqrt(total / np.maximum(total.sum(axis=1, keepdims=True), 1)))


def count_words(context: ImageContext, codebook: Codebook) -> Float32Array:
    """Count the words at the grid points of every superpixel, shape (P, K)."""
    points, descriptors = image_descriptors(context.grey)
    names = codebook.nearest_words(descriptors)
    size = len(codebook.words)
    flat = context.labels[points[:, 0], points[:, 1]] * size + names
    counts = np.bincount(flat, minlength=context.count * size)
    return counts.reshape(context.count, size).astype(np.float32)
