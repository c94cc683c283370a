"""Draw the contour of a mask over its image."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from segboost._types import ByteArray

LINE = (255, 230, 0)
RIM = (20, 20, 20)
PIXELS_A_WIDTH = 240
"""Pixels of the image's shorter side per pixel of line width."""


def draw_overlay(image: ByteArray, mask: npt.NDArray[Any]) -> ByteArray:
    """Return the image with a bright line inside the mask's border and a dark one outside.

    Parameters
    ----------
    image : ndarray of uint8, shape (H, W, 3)
        Not changed.
    mask : ndarray of shape (H, W)
        Foreground where it is not 0.

    Examples
    --------
    >>> mask = np.zeros((5, 5), np.uint8)
    >>> mask[1:4, 1:4] = 1
    >>> overlay = draw_overlay(np.full((5, 5, 3), 128, np.uint8), mask)
    >>> overlay[1, 1].tolist(), overlay[2, 2].tolist()
    ([255, 230, 0], [128, 128, 128])
    """
    inside = np.asarray(mask) != 0
    if image.shape != (*inside.shape, 3):
        raise ValueError(f"image has shape {image.shape}, expected {(*inside.shape, 3)}")
    width = max(1, round(min(inside.shape) / PIXELS_A_WIDTH))
    # The edge of the image is not a border of the object.
    core = ndimage.binary_erosion(inside, iterations=width, border_value=1)
    reach = ndimage.binary_dilation(inside, iterations=width)
    picture = image.copy()
    picture[reach & ~inside] = RIM
    picture[inside & ~core] = LINE
    return picture
