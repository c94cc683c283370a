"""Lengths of the borders of many objects at once, counted band by band."""

from __future__ import annotations

import math

import numpy as np

from segboost._types import FloatArray, Int32Array, Int64Array
from segboost.io.pixel_size import PixelSize

HALO = 2
"""Rows and columns around a band that its borders depend on."""
CODES, CELLS = 50, 16
NEIGHBOURS = tuple(
    (row, column, 2 if 0 in (row, column) else 10)
    for row in (-1, 0, 1)
    for column in (-1, 0, 1)
    if (row, column) != (0, 0)
)
"""Offsets of neighbours, and their weights in the code of a border pixel."""
STRAIGHT, SLANTED, BENT = (5, 7, 15, 17, 25, 27), (21, 33), (13, 23)


def count_border_codes(labels: Int32Array, count: int) -> Int64Array:
    """Return how many border pixels of each kind every object has in a band.

    A border pixel has at least one of its 4 neighbours outside the object. Its code and the
    length of that code are those of `skimage.measure.perimeter`.

    Parameters
    ----------
    labels : ndarray of int32, shape (h + 4, w + 4)
        The band with two more rows and columns on each side.
    count : int
        The number of objects n.

    Returns
    -------
    ndarray of int64, shape (n + 1, 50)
    """
    inner = labels[1:-1, 1:-1]
    around = (labels[:-2, 1:-1], labels[2:, 1:-1], labels[1:-1, :-2], labels[1:-1, 2:])
    border = np.zeros(inner.shape, dtype=bool)
    for other in around:
        border |= other != inner
    border &= inner > 0
    rows, columns = np.nonzero(border[1:-1, 1:-1])
    rows, columns = rows + 1, columns + 1
    own = inner[rows, columns]
    codes = np.ones(len(rows), dtype=np.int64)
    for down, right, weight in NEIGHBOURS:
        place = rows + down, columns + right
        codes += weight * (border[place] & (inner[place] == own))
    found = np.bincount(own * np.int64(CODES) + codes, minlength=(count + 1) * CODES)
    return found.reshape(count + 1, CODES)


def count_cells(labels: Int32Array, count: int) -> Int64Array:
    """Return how many cells of 2×2 pixels of each kind every object has in a band.

    Parameters
    ----------
    labels : ndarray of int32, shape (h + 4, w + 4)
        As for `count_border_codes`. The cells that end in a row of the band are counted, so that
        each is counted once.
    count : int

    Returns
    -------
    ndarray of int64, shape (n + 1, 16)
        By the corners that belong to the object: 1 upper left, 2 upper right, 4 lower left,
        8 lower right.
    """
    cells = labels[1:-2, 1:-1]
    corners = cells[:-1, :-1], cells[:-1, 1:], cells[1:, :-1], cells[1:, 1:]
    mixed = np.zeros(corners[0].shape, dtype=bool)
    for other in corners[1:]:
        mixed |= other != corners[0]
    values = [corner[mixed] for corner in corners]
    found = np.zeros((count + 1) * CELLS, dtype=np.int64)
    for number, own in enumerate(values):
        is_new = own > 0
        for earlier in values[:number]:
            is_new &= earlier != own
        codes = sum((other == own).astype(np.int64) << bit for bit, other in enumerate(values))
        keys = (own * np.int64(CELLS) + codes)[is_new]
        found += np.bincount(keys, minlength=len(found))
    return found.reshape(count + 1, CELLS)


def border_lengths(codes: Int64Array, pixel_size: PixelSize | None) -> FloatArray:
    """Return perimeters in the unit of the pixel size, from the counts of `count_border_codes`."""
    lengths = np.zeros(CODES)
    lengths[list(STRAIGHT)] = 1
    lengths[list(SLANTED)] = math.sqrt(2)
    lengths[list(BENT)] = (1 + math.sqrt(2)) / 2
    found: FloatArray = codes @ lengths * (1.0 if pixel_size is None else pixel_size.x)
    return found


def contour_lengths(cells: Int64Array, pixel_size: PixelSize) -> FloatArray:
    """Return contour lengths in the unit of the pixel size, from the counts of `count_cells`."""
    slanted = math.hypot(pixel_size.x / 2, pixel_size.y / 2)
    lengths = np.zeros(CELLS)
    lengths[[1, 2, 4, 8, 7, 11, 13, 14]] = slanted
    lengths[[6, 9]] = 2 * slanted
    lengths[[3, 12]] = pixel_size.x
    lengths[[5, 10]] = pixel_size.y
    found: FloatArray = cells @ lengths
    return found
