"""What training needs of a labelled image."""

from __future__ import annotations

from typing import Protocol

from segboost._types import ByteArray


class TrainingImage(Protocol):
    """A labelled image for training; implemented by `segboost.datasets.LabelledImage`."""

    @property
    def name(self) -> str:
        """A name that is unique in the data set."""
        ...

    def image(self) -> ByteArray:
        """Return the pixels, shape (H, W, channels): RGB, then any others."""
        ...

    def mask(self) -> ByteArray:
        """Return the mask, shape (H, W): 0 … K−1, and 255 for void."""
        ...

    def image_key(self) -> str:
        """Return a digest of the image."""
        ...

    def mask_key(self) -> str:
        """Return a digest of the mask."""
        ...

    def __hash__(self) -> int:
        """Return a hash, by which the pixels of the image read last are kept."""
        ...
