"""Arrays in memory as labelled images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost._types import ByteArray
from segboost.datasets.base import ArraySource, LabelledImage
from segboost.features.image import ImageLike, as_rgb
from segboost.io.legend import VOID


def label_arrays(
    images: Sequence[ImageLike], masks: Sequence[npt.ArrayLike], n_classes: int = 2
) -> tuple[LabelledImage, ...]:
    """Return images with their masks, checked.

    Parameters
    ----------
    images : sequence of images
        Anything that `segboost.features.as_rgb` accepts.
    masks : sequence of array-like of shape (H, W)
        Booleans; or 0, 1 and 255 for void; or 0 and 255 for foreground. The last applies if no
        mask of the sequence has a 1. With more classes, 0 … K−1 and 255 for void.
    n_classes : int

    Raises
    ------
    ValueError
        Names the argument that is at fault.
    """
    if len(images) != len(masks):
        raise ValueError(f"masks: expected {len(images)}, one for each image, got {len(masks)}")
    if len(images) == 0:
        raise ValueError("images: expected at least one, got none")
    arrays = [_mask(mask, f"masks[{n}]", n_classes) for n, mask in enumerate(masks)]
    if n_classes == 2 and not any((mask == 1).any() for mask in arrays):
        arrays = [(mask == 255).astype(np.uint8) for mask in arrays]
    pairs = zip(images, arrays, strict=True)
    return tuple(_item(n, image, mask) for n, (image, mask) in enumerate(pairs))


def count_classes(masks: Sequence[npt.ArrayLike]) -> int:
    """Return the number of classes of masks: the largest index plus one, at least two.

    Raises
    ------
    ValueError
        If fewer than half of these classes occur, so that the values are probably not indices.
    """
    seen: set[int] = set()
    for mask in masks:
        array = np.asarray(mask)
        if array.dtype.kind in "iuf":
            whole = np.isfinite(array) & (array == np.floor(array)) & (array >= 0)
            seen |= {int(value) for value in np.unique(array[whole])}
    n_seen = len(seen - {VOID})
    n_classes = max({1} | (seen - {VOID})) + 1
    if n_classes > 2 and 2 * n_seen < n_classes:
        raise ValueError(
            f"masks: only {n_seen} of the classes 0 … {n_classes - 1} occur: expected 0, 1 and 255 "
            "(void), 0 and 255, or indices of classes without large gaps; or name all classes"
        )
    return n_classes


def _mask(mask: npt.ArrayLike, argument: str, n_classes: int) -> ByteArray:
    array = np.asarray(mask)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{argument}: expected numbers of shape (H, W), got {array.dtype} of {array.shape}"
        )
    odd = ~np.isin(array, (*range(n_classes), VOID))
    if odd.any():
        wanted = (
            "0, 1 and 255 (void), or 0 and 255"
            if n_classes == 2
            else f"0 … {n_classes - 1} and 255 (void)"
        )
        raise ValueError(f"{argument}: expected {wanted}, got {array[odd].flat[0]}")
    return array.astype(np.uint8)


def _item(number: int, image: ImageLike, mask: ByteArray) -> LabelledImage:
    rgb = as_rgb(image, f"images[{number}]")
    if rgb.shape[:2] != mask.shape:
        raise ValueError(f"masks[{number}]: expected shape {rgb.shape[:2]}, got {mask.shape}")
    kept: Any = image if isinstance(image, np.ndarray) else rgb
    return LabelledImage(f"image_{number:04d}", ArraySource(kept), ArraySource(mask))
