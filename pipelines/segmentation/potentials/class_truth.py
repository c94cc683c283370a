"""The classes of all training superpixels, and the weights that balance them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segboost._types import BoolArray, FloatArray, Int64Array
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage

BALANCE = 0.4
"""Superpixels of a class weigh ``share^−BALANCE`` per pixel: a rare class counts for more than its
share of the pixels, but in total still for less than a frequent one."""


@dataclass(frozen=True, eq=False)
class ClassTruth:
    """The truth of all training superpixels, one image after the other.

    Parameters
    ----------
    labels : ndarray of int64, shape (N,)
        The class with the most labelled pixels.
    counts : ndarray of int64, shape (N, K)
        Labelled pixels by class.
    fold : ndarray of int64, shape (N,)
    sizes : tuple of int
        Superpixels of each image.
    """

    labels: Int64Array
    counts: Int64Array
    fold: Int64Array
    sizes: tuple[int, ...]

    @property
    def n_classes(self) -> int:
        """The number of classes K."""
        return int(self.counts.shape[1])

    @property
    def known(self) -> BoolArray:
        """The superpixels with a labelled pixel, shape (N,)."""
        found: BoolArray = self.counts.sum(axis=1) > 0
        return found

    def weights(self, balance: float = BALANCE) -> FloatArray:
        """Return the labelled pixels of every superpixel times ``share(class)^−balance``."""
        labelled = self.counts.sum(axis=1).astype(np.float64)
        share = np.bincount(self.labels, labelled, self.n_classes) / max(labelled.sum(), 1.0)
        found: FloatArray = labelled * np.maximum(share, 1e-4)[self.labels] ** -balance
        return found


def class_truth(images: Sequence[SuperpixelImage], fold: Int64Array) -> ClassTruth:
    """Return the truth of images, with their folds."""
    return ClassTruth(
        np.concatenate([i.labels for i in images]),
        np.concatenate([i.class_counts for i in images]),
        fold,
        tuple(i.n_superpixels for i in images),
    )
