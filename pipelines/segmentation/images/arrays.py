"""Arrays in memory as labelled images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost.datasets.base import ArraySource, LabelledImage
from segboost.features.image import ImageLike, as_rgb


def label_arrays(
    images: Sequence[ImageLike], masks: Sequence[npt.ArrayLike]
) -> tuple[LabelledImage, ...]:
    """Return images with their masks, checked.

    Parameters
    ----------
    images : sequence of images
        Whatever `segboost.features.as_rgb` takes.
    masks : sequence of array-like of shape (H, W)
        Booleans; or 0, 1 and 255 for void; or 0 and 255 for foreground. The last holds where no
        mask of the sequence has a 1.

    Raises
    ------
    ValueError
        Names the argument that is at fault.
    """
    if len(images) != len(masks):
        raise ValueError(f"masks: expected {len(images)}, one for each image, got {len(masks)}")
    if len(images) == 0:
        raise ValueError("images: expected at least one, got none")
    arrays = [_mask(mask, f"masks[{n}]") for n, mask in enumerate(masks)]
    if not any((mask == 1).any() for mask in arrays):
        arrays = [(mask == 255).astype(np.uint8) for mask in arrays]
    pairs = zip(images, arrays, strict=True)
    return tuple(_item(n, image, mask) for n, (image, mask) in enumerate(pairs))


def _mask(mask: npt.ArrayLike, argument: str) -> npt.NDArray[np.uint8]:
    array = np.asarray(mask)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{argument}: expected numbers of shape (H, W), got {array.dtype} of {array.shape}"
        )
    odd = ~np.isin(array, (0, 1, 255))
    if odd.any():
        raise ValueError(
            f"{argument}: expected 0, 1 and 255 (void), or 0 and 255, got {array[odd].flat[0]}"
        )
    return array.astype(np.uint8)


def _item(number: int, image: ImageLike, mask: npt.NDArray[np.uint8]) -> LabelledImage:
    rgb = as_rgb(image, f"images[{number}]")
    if rgb.shape[:2] != mask.shape:
        raise ValueError(f"masks[{number}]: expected shape {rgb.shape[:2]}, got {mask.shape}")
    kept: Any = image if isinstance(image, np.ndarray) else rgb
    return LabelledImage(f"image_{number:04d}", ArraySource(kept), ArraySource(mask))
