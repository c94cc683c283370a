"""Crops of large images to learn from, because models segment such images by tiles."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segboost._types import ByteArray
from segboost.datasets.images.scientific import LARGEST_PIXELS, SIDE
from segboost.datasets.images.scientific_pages import Crop, cut_crops, spread_crops
from segboost.io.errors import ImageFileError
from segboost.io.legend import VOID
from segboost.io.opening import read_size
from segboost.io.scientific.image_info import ImageInfo
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.images.working_size import reduce_items


@dataclass(frozen=True)
class CroppedImage:
    """A crop of a labelled image.

    Parameters
    ----------
    item : TrainingImage
    crop : Crop
    """

    item: TrainingImage
    crop: Crop

    @property
    def name(self) -> str:
        """The name of the image, with the position of the crop."""
        return f"{self.item.name}_{self.crop.top}_{self.crop.left}"

    def image(self) -> ByteArray:
        """Return the pixels, shape (h, w, channels)."""
        return self._cut(_whole_image(self.item))

    def mask(self) -> ByteArray:
        """Return the mask, shape (h, w)."""
        return self._cut(_whole_mask(self.item))

    def image_key(self) -> str:
        """Return a digest of the image and the position of the crop."""
        return self._key(self.item.image_key())

    def mask_key(self) -> str:
        """Return a digest of the mask and the position of the crop."""
        return self._key(self.item.mask_key())

    def _cut(self, whole: ByteArray) -> ByteArray:
        return np.ascontiguousarray(whole[self.crop.rows, self.crop.columns])

    def _key(self, key: str) -> str:
        return hashlib.sha256(f"{key} {self.crop!r}".encode()).hexdigest()


# Crops of one image are read one after the other: decode it once.
@lru_cache(maxsize=1)
def _whole_image(item: TrainingImage) -> ByteArray:
    found: ByteArray = item.image()
    return found


@lru_cache(maxsize=1)
def _whole_mask(item: TrainingImage) -> ByteArray:
    found: ByteArray = item.mask()
    return found


def crop_items(items: Sequence[TrainingImage], longest_side: int | None) -> list[TrainingImage]:
    """Return labelled images, those above 2048×2048 pixels as a limited number of labelled crops.

    Parameters
    ----------
    items : sequence of TrainingImage
    longest_side : int or None
        If given, images stay whole here, because large ones are scaled down instead.
    """
    if longest_side is not None:
        return list(items)
    found: list[TrainingImage] = []
    for item in items:
        found += _labelled_crops(item) if _may_be_large(item) else [item]
    return found


def working_items(items: Sequence[TrainingImage], longest_side: int | None) -> list[TrainingImage]:
    """Return labelled images as models see them: large ones scaled down, or as crops."""
    return reduce_items(crop_items(items, longest_side), longest_side)


def describe_crops(items: Sequence[TrainingImage], cropped: Sequence[TrainingImage]) -> list[str]:
    """Return a line about images that `crop_items` cropped, if there are any."""
    used = [item for item in cropped if isinstance(item, CroppedImage)]
    large = len(items) - (len(cropped) - len(used))
    if not used or large <= 0:
        return []
    return [
        f"{large} of {len(items)} training images have more than 2048×2048 pixels: {len(used)} "
        f"crops of them are used (set longest_side to scale them down instead)"
    ]


def _labelled_crops(item: TrainingImage) -> list[TrainingImage]:
    mask = _whole_mask(item)
    height, width = mask.shape
    crops = cut_crops(ImageInfo(1, height, width, 3, mask.dtype, "YXS"), SIDE, LARGEST_PIXELS)
    if len(crops) == 1:
        return [item]
    labelled = [c for c in crops if (mask[c.rows, c.columns] != VOID).any()]
    return [CroppedImage(item, crop) for crop in spread_crops(labelled)]


def _may_be_large(item: TrainingImage) -> bool:
    """Whether an image may be large; it is not decoded if its file gives the size."""
    if isinstance(item, CroppedImage):
        return False
    path = getattr(item, "image_path", None)
    if path is None:
        return True
    try:
        width, height = read_size(path)
    except (ImageFileError, OSError):
        return True  # the size of its mask decides
    return width * height > LARGEST_PIXELS
