"""Mirrored copies of training images, so that boosted trees see twice as many examples."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segboost._types import ByteArray, Int64Array
from segboost.pipelines.segmentation.images.training_image import TrainingImage


@dataclass(frozen=True)
class MirroredImage:
    """A labelled image with left and right exchanged.

    Parameters
    ----------
    item : TrainingImage
    """

    item: TrainingImage

    @property
    def name(self) -> str:
        """The name of the image, marked as a copy."""
        return f"{self.item.name} (mirrored)"

    def image(self) -> ByteArray:
        """Return the pixels, shape (H, W, channels)."""
        return np.ascontiguousarray(self.item.image()[:, ::-1])

    def mask(self) -> ByteArray:
        """Return the mask, shape (H, W)."""
        return np.ascontiguousarray(self.item.mask()[:, ::-1])

    def image_key(self) -> str:
        """Return a digest of the mirrored image."""
        return _mirrored_key(self.item.image_key())

    def mask_key(self) -> str:
        """Return a digest of the mirrored mask."""
        return _mirrored_key(self.item.mask_key())


def mirrored_copies(
    items: Sequence[TrainingImage], fold: Int64Array, sizes: Sequence[int]
) -> tuple[list[MirroredImage], list[int]]:
    """Return mirrored copies of images, and their folds, which are those of the originals.

    An image that is divided between folds has no copy: the superpixels of the copy are not those
    of the image, so its parts could not be left out together.

    Parameters
    ----------
    items : sequence of TrainingImage
    fold : ndarray of int, shape (N,)
        The folds of the superpixels of all images.
    sizes : sequence of int
        The number of superpixels of every image.

    Examples
    --------
    >>> mirrored_copies(["a", "b"], np.array([0, 0, 1, 2]), [2, 2])
    ([MirroredImage(item='a')], [0])
    """
    parts = np.split(fold, np.cumsum(sizes)[:-1])
    whole = [(i, part) for i, part in zip(items, parts, strict=True) if np.ptp(part) == 0]
    return [MirroredImage(item) for item, _ in whole], [int(part[0]) for _, part in whole]


def _mirrored_key(key: str) -> str:
    return hashlib.sha256(f"{key} mirrored".encode()).hexdigest()
