"""Context of superpixels of several classes: the probabilities of the classes around them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segboost._types import Float32Array, FloatArray
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.context_features import (
    page_scores,
    ring_means,
    sampled_at,
)

RADII = (0.05, 0.12, 0.28)
"""Distances of the samples, as shares of the mean of height and width."""


def class_context(image: SuperpixelImage, first: FloatArray) -> Float32Array:
    """Return the features of every superpixel, shape (P, D).

    Its own log-probabilities, the mean probabilities of rings of neighbours, the probabilities at
    fixed offsets and over the whole image, its position and its size.

    Parameters
    ----------
    image : SuperpixelImage
    first : ndarray of shape (P, K)
        First-stage log-probabilities of the classes.
    """
    probability = np.exp(first)
    of_page = page_scores(image)
    mean = mean_probability([image], [first]) if of_page is None else of_page.mean
    parts = [
        first,
        *ring_means(image, probability),
        sampled_at(image, probability, RADII),
        np.tile(mean, (image.n_superpixels, 1)),
        image.positions,
        np.log(image.area),
    ]
    return np.column_stack(parts).astype(np.float32)


def mean_probability(images: Sequence[SuperpixelImage], first: Sequence[FloatArray]) -> FloatArray:
    """Return the mean probabilities of the classes over images, shape (K,)."""
    area = np.concatenate([image.area for image in images])
    found: FloatArray = np.average(np.exp(np.concatenate(first)), axis=0, weights=area)
    return found
