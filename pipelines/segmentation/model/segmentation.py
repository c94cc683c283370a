"""The result of segmenting one image, and the steps before and after scoring it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from segboost._types import AnyArray, ByteArray, FloatArray, Int32Array
from segboost.features.extract import ImageFeatures, extract_features
from segboost.features.image import ImageLike
from segboost.features.page import pad_to_grid
from segboost.features.presets import Preset
from segboost.pipelines.segmentation.images.page_view import PageView
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.working_size import (
    image_shape,
    reduce_image,
    resize_labels,
    to_bytes,
)


@dataclass(frozen=True, eq=False)
class Segmentation:
    """The result for one image.

    Parameters
    ----------
    mask : ndarray of uint8, shape (H, W)
        The class of every pixel; with two classes, 1 where foreground.
    scores : ndarray of float, shape (H, W) or (H, W, K)
        With two classes, higher where foreground is more likely, and positive where the mask is 1.
        With more, a score per class; the mask is the class with the highest one.
    superpixels : ndarray of int32, shape (H, W)
    """

    mask: ByteArray
    scores: FloatArray
    superpixels: Int32Array


@dataclass(frozen=True, eq=False)
class Preparation:
    """Computes the superpixels and features of an image.

    Parameters
    ----------
    preset : Preset
    widths : mapping of str to int
        The number of columns that each group had in training.
    longest_side : int or None
        Larger images are scaled down; parts of pages are not.
    maps : tuple of (float, str) or None
        Scale and layer of the network maps used to refine borders; None if borders are not
        refined and pixels need not be kept.
    """

    preset: Preset
    widths: Mapping[str, int]
    longest_side: int | None
    maps: tuple[tuple[float, str], ...] | None

    def __call__(self, image: ImageLike, name: str, page: PageView | None) -> SuperpixelImage:
        """Return the superpixels and features of an image or, with `page`, a part of a page."""
        if page is None:
            small, part = reduce_image(image, self.longest_side), None
        else:
            small, part = pad_to_grid(np.asarray(image)), page.part
        features = extract_features(
            small, self.preset, name=name, dtype="uint8", maps=self.maps or (), page=part
        )
        check_widths(features, self.widths)
        found = SuperpixelImage.from_features(name, features, page)
        return found if self.maps is None else replace(found, pixels=to_bytes(small))


def at_full_size(values: AnyArray, image: ImageLike, page: PageView | None) -> AnyArray:
    """Return values of the pixels of a prepared image, shape (h, w, …), at the image's size."""
    height, width = image_shape(image)
    if page is not None:
        return values[:height, :width]  # without the padding
    return resize_labels(values, (height, width))


def check_widths(features: ImageFeatures, widths: Mapping[str, int]) -> None:
    """Raise ValueError if a group has another number of columns than in training.

    The compiled sums and trees do not check array bounds.
    """
    for group, width in widths.items():
        found = features[group].shape[1]
        if found != width:
            raise ValueError(
                f"group {group!r}: expected {width} columns as in training, got {found}"
            )
