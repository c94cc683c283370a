"""From an image to the input of a network."""

from __future__ import annotations

import numpy as np
from PIL import Image

from segboost._types import Float32Array
from segboost.features.image import RGB

MOST_PIXELS = 2**22
"""Maximum size of a network's input: larger ones are scaled down, to bound memory."""
ANY_PIXELS = 2**62
"""No limit, for inputs that are computed in parts."""


def input_size(
    shape: tuple[int, int], scale: float, multiple: int, most: int = MOST_PIXELS
) -> tuple[int, int]:
    """Return height and width of the input for an image of this shape at a scale.

    They are the multiples of a network's coarsest stride nearest to the scaled size, so that maps
    cover the image from border to border; each is at least one stride. Inputs of more than `most`
    pixels are scaled down.
    """
    height, width = (side * scale for side in shape)
    shrink = min(1.0, (most / (height * width)) ** 0.5)
    rows, columns = _nearest(height * shrink, multiple), _nearest(width * shrink, multiple)
    # A very long image is as high as one stride, and would still be too large.
    longest = max(1, most // (min(rows, columns) * multiple)) * multiple
    return min(rows, longest), min(columns, longest)


def _nearest(side: float, multiple: int) -> int:
    return max(1, round(side / multiple)) * multiple


def network_input(
    rgb: RGB, size: tuple[int, int], mean: tuple[float, ...], std: tuple[float, ...]
) -> Float32Array:
    """Return the image at a size, each channel as ``(x − mean) / std``, shape (1, 3, h, w).

    Parameters
    ----------
    rgb : ndarray of float32, shape (H, W, 3)
        In [0, 1].
    size : tuple of int
        (h, w); the image is resized bilinearly, with averaging where it shrinks.
    mean, std : tuple of 3 floats
    """
    result = np.empty((1, 3, *size), np.float32)
    for channel in range(3):
        plane = np.ascontiguousarray(rgb[..., channel])
        if size != plane.shape:
            picture = Image.fromarray(plane).resize(size[::-1], Image.Resampling.BILINEAR)
            plane = np.asarray(picture)
        np.subtract(plane, np.float32(mean[channel]), out=result[0, channel])
        result[0, channel] /= np.float32(std[channel])
    return result
