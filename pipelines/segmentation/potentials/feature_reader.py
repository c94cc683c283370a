"""The features of training images, read from disk by group or by image."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from segboost._types import AnyArray


class FeatureReader:
    """Reads features for training: one group of all images, or all groups of one image."""

    def __init__(
        self, n_images: int, groups: Sequence[str], read: Callable[[int, str], AnyArray]
    ) -> None:
        self.n_images = n_images
        self.groups = tuple(groups)
        self._read = read

    def column_block(self, group: str) -> AnyArray:
        """Return a group of all images, shape (N, d)."""
        return np.concatenate([self._read(i, group) for i in range(self.n_images)])

    def group(self, number: int, group: str) -> AnyArray:
        """Return a group of one image, shape (P, d)."""
        return self._read(number, group)

    def image(self, number: int) -> dict[str, AnyArray]:
        """Return all groups of an image."""
        return {g: self._read(number, g) for g in self.groups}
