"""Draw the classes of a mask over its image: a tint for each, and their borders."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from segboost._types import AnyArray, BoolArray, ByteArray
from segboost.io.legend import TWO_CLASSES, ClassLegend

LINE = (255, 230, 0)
RIM = (20, 20, 20)
TINT = 0.4
"""Share of the class's colour in a pixel."""
PIXELS_PER_WIDTH = 240
"""Pixels of the image's shorter side per pixel of line width."""

STRIP = 256
"""Rows that are tinted at a time."""


def draw_overlay(image: ByteArray, mask: AnyArray, legend: ClassLegend = TWO_CLASSES) -> ByteArray:
    """Return the image with a tint in the colour of each class, and with borders.

    With two classes, only the foreground is tinted; a bright line runs inside its border and a dark
    one outside. With several, all are tinted, with a dark line between them.

    Parameters
    ----------
    image : ndarray of uint8, shape (H, W, 3)
        Not changed.
    mask : ndarray of int, shape (H, W)
        Classes 0 … K−1.
    legend : ClassLegend

    Examples
    --------
    >>> mask = np.zeros((5, 5), np.uint8)
    >>> mask[1:4, 1:4] = 1
    >>> overlay = draw_overlay(np.full((5, 5, 3), 128, np.uint8), mask)
    >>> overlay[1, 1].tolist(), overlay[2, 2].tolist(), overlay[0, 0].tolist()
    ([255, 230, 0], [96, 128, 169], [128, 128, 128])
    """
    labels = np.asarray(mask)
    if image.shape != (*labels.shape, 3):
        raise ValueError(f"image has shape {image.shape}, expected {(*labels.shape, 3)}")
    width = max(1, round(min(labels.shape) / PIXELS_PER_WIDTH))
    if legend.n_classes > 2:
        picture = image.copy()
        for rows in _strips(len(image)):
            picture[rows] = _tinted(image[rows], legend.palette[labels[rows]])
        picture[_between(labels, width)] = RIM
        return picture
    inside = labels != 0
    picture = image.copy()
    for rows in _strips(len(image)):
        picture[rows][inside[rows]] = _tinted(image[rows][inside[rows]], legend.palette[1])
    # The edge of the image is not a border of the object.
    core = ndimage.binary_erosion(inside, iterations=width, border_value=1)
    reach = ndimage.binary_dilation(inside, iterations=width)
    picture[reach & ~inside] = RIM
    picture[inside & ~core] = LINE
    return picture


def _strips(height: int) -> list[slice]:
    """Return slices of rows to process one at a time, to save memory on large images."""
    return [slice(start, start + STRIP) for start in range(0, height, STRIP)]


def _tinted(pixels: ByteArray, colours: ByteArray) -> ByteArray:
    mixed = (1 - TINT) * pixels.astype(np.float32) + TINT * colours.astype(np.float32)
    return np.rint(mixed).astype(np.uint8)


def _between(labels: AnyArray, width: int) -> BoolArray:
    """Return the pixels whose right or lower neighbour has another class, widened."""
    line = np.zeros(labels.shape, dtype=bool)
    line[:, :-1] |= labels[:, :-1] != labels[:, 1:]
    line[:-1] |= labels[:-1] != labels[1:]
    return ndimage.binary_dilation(line, iterations=width - 1) if width > 1 else line
