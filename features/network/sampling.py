"""Maps of a network, sampled at superpixels.

A cell of a map covers a rectangle of the image. If cells are smaller than superpixels, a superpixel
gets the mean of the interpolated map over its pixels; if they are larger, it gets the value at its
centre, as a mean would add nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segboost._types import Float32Array, Int64Array
from segboost.features.kernel import kernel
from segboost.features.superpixels.connectivity import Labels


@dataclass(frozen=True)
class Grid:
    """The positions of a map's cells in the image, along the rows or the columns.

    The centre of cell i is at ``first + i · step`` in pixels, where 0 is the image's border and
    0.5 the centre of its first pixel.
    """

    count: int
    first: float
    step: float

    def places(self, pixels: npt.NDArray[np.integer]) -> Float32Array:
        """Return the positions of pixels in the map, in cells, from 0 to count − 1."""
        found = (pixels + 0.5 - self.first) / self.step
        return np.clip(found, 0, self.count - 1).astype(np.float32)


@dataclass(frozen=True, eq=False)
class PixelOrder:
    """The pixels of an image, one superpixel after the other.

    Parameters
    ----------
    pixels : ndarray of int64, shape (H·W,)
        Numbers in reading order.
    start : ndarray of int64, shape (P + 1,)
        Superpixel p has the pixels from start[p] to start[p + 1].
    """

    pixels: Int64Array
    start: Int64Array

    @classmethod
    def of(cls, labels: Labels, area: Int64Array) -> PixelOrder:
        """Return the pixels of a superpixel map."""
        start = np.concatenate([[0], np.cumsum(area)])
        return cls(_sort_pixels(labels, start[:-1].copy()), start)


def sample_mean(
    values: Float32Array, rows: Grid, columns: Grid, order: PixelOrder, width: int
) -> Float32Array:
    """Return the mean of the interpolated map over each superpixel, shape (P, C).

    Parameters
    ----------
    values : ndarray of float32, shape (C, h, w)
    rows, columns : Grid
        The map's position in the image.
    order : PixelOrder
    width : int
        Width of the image.
    """
    cells = np.ascontiguousarray(values.transpose(1, 2, 0))
    height = order.pixels.size // width
    by_row, by_column = rows.places(np.arange(height)), columns.places(np.arange(width))
    return _mean_over_regions(cells, by_row, by_column, order.pixels, order.start)


def sample_centres(
    values: Float32Array, rows: Grid, columns: Grid, centres: Int64Array
) -> Float32Array:
    """Return the interpolated map at the superpixels' centres, shape (P, C).

    Parameters
    ----------
    values : ndarray of float32, shape (C, h, w)
    rows, columns : Grid
        The map's position in the image.
    centres : ndarray of int64, shape (P, 2)
        Row and column of each.
    """
    up, down, low = _corners(rows.places(centres[:, 0]), rows.count)
    left, right, side = _corners(columns.places(centres[:, 1]), columns.count)
    above = values[:, up, left] * (1 - side) + values[:, up, right] * side
    below = values[:, down, left] * (1 - side) + values[:, down, right] * side
    return np.ascontiguousarray((above * (1 - low) + below * low).T)


def _corners(places: Float32Array, count: int) -> tuple[Int64Array, Int64Array, Float32Array]:
    """Return the cells before and after each place, and the weight of the one after it."""
    before = places.astype(np.int64)
    return before, np.minimum(before + 1, count - 1), places - before.astype(np.float32)


@kernel
def _sort_pixels(labels: Labels, place: Int64Array) -> Int64Array:
    """Return the pixels sorted by label, in reading order; advances `place`, each label's start."""
    pixels = np.empty(labels.size, np.int64)
    number = 0
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            p = labels[i, j]
            pixels[place[p]] = number
            place[p] += 1
            number += 1
    return pixels


@kernel
def _mean_over_regions(
    cells: Float32Array,
    by_row: Float32Array,
    by_column: Float32Array,
    pixels: Int64Array,
    start: Int64Array,
) -> Float32Array:
    """Return means over regions, shape (P, C).

    A region's pixels fall into few cells: their weights are summed up first, and the channels of
    a cell are read once per region.
    """
    height, width, channels = cells.shape
    count = start.size - 1
    result = np.zeros((count, channels), np.float32)
    weight = np.zeros(height * width, np.float64)
    touched = np.empty(height * width, np.int64)
    flat = cells.reshape(height * width, channels)
    for p in range(count):
        found = 0
        for n in range(start[p], start[p + 1]):
            y = by_row[pixels[n] // by_column.size]
            x = by_column[pixels[n] % by_column.size]
            i, j = int(y), int(x)
            dy, dx = y - i, x - j
            for di in range(2):
                for dj in range(2):
                    share = (dy if di else 1 - dy) * (dx if dj else 1 - dx)
                    if share > 0:
                        cell = (i + di) * width + j + dj
                        if weight[cell] == 0:
                            touched[found] = cell
                            found += 1
                        weight[cell] += share
        area = start[p + 1] - start[p]
        for n in range(found):
            cell = touched[n]
            part = np.float32(weight[cell] / area)
            weight[cell] = 0
            for c in range(channels):
                result[p, c] += part * flat[cell, c]
    return result
