"""HOG: the 31-dimensional descriptor of Felzenszwalb et al., 4×4 cells per patch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import ByteArray, Float32Array, FloatArray, Int32Array, Int64Array
from segboost.features.groups.integral import double_integral
from segboost.features.image import RGB
from segboost.features.image_context import pad_by_reflection
from segboost.features.kernel import kernel

CELLS = 4
"""Cells along each side of a patch."""
SIGNED = 18
CHANNELS = 31
"""18 signed orientations, 9 unsigned ones, 4 texture energies."""
# Magnitudes are integers in units of 1/256 grey level, so that sums are exact.
_UNITS = 256


@dataclass(frozen=True, eq=False)
class HogResponse:
    """The twice integrated gradients of an image padded by `margin` pixels on all sides."""

    sums: Int64Array
    margin: int


def hog_response(rgb: RGB, largest_patch: int) -> HogResponse:
    """Compute the response from which all HOG patches up to a size are pooled."""
    # A patch needs one more cell on all sides for its norms, and half a cell for interpolation:
    # three and a half cells from its centre, plus one pixel for windows between pixels.
    cell = largest_patch // CELLS
    margin = 4 * cell - (cell - 1) // 2 + 1
    padded = pad_by_reflection(rgb * np.float32(255), margin + 1)
    orientation, magnitude = oriented_gradient(padded)
    return HogResponse(double_integral(orientation, magnitude, SIGNED), margin)


def hog_patches(response: HogResponse, centres: Int64Array, size: int) -> Float32Array:
    """Describe square patches by 4×4 cells of the 31-dimensional HOG.

    A cell histogram weights pixels by bilinear interpolation between cell centres. It is divided
    by the energies of the four 2×2 blocks that contain the cell, clipped at 0.2 and averaged.

    Parameters
    ----------
    response : HogResponse
    centres : ndarray of int64, shape (P, 2)
        Rows and columns in the image; the patch covers ``[centre − size/2, centre + size/2)``.
    size : int
        The side of the patch in pixels, a multiple of 4.

    Returns
    -------
    ndarray of float32, shape (P, 4 · 4 · 31)
        Cells row by row; within a cell 18 signed and 9 unsigned orientations and 4 texture
        energies.

    References
    ----------
    P. Felzenszwalb, R. Girshick, D. McAllester, D. Ramanan, Object detection with
    discriminatively trained part-based models, PAMI 32(9), 2010.
    """
    return _describe(response.sums, centres + response.margin, size // CELLS)


@kernel
def oriented_gradient(
    padded: Float32Array,
) -> tuple[ByteArray, Int32Array]:
    """Return orientation (one of 18) and magnitude of the strongest channel's gradient.

    Parameters
    ----------
    padded : ndarray of float32, shape (H + 2, W + 2, 3)
        In grey levels 0 … 255.

    Returns
    -------
    orientation : ndarray of uint8, shape (H, W, 1)
        The direction ``o · 20°`` with the largest projection of the gradient. Directions are
        rounded to 4 digits: a vertical gradient is a tie, which goes to the lower number.
    magnitude : ndarray of int32, shape (H, W, 1)
        In units of 1/256 grey level.
    """
    height, width = padded.shape[0] - 2, padded.shape[1] - 2
    orientation = np.empty((height, width, 1), np.uint8)
    magnitude = np.empty((height, width, 1), np.int32)
    cosine = np.round(np.cos(np.arange(9) * np.pi / 9), 4).astype(np.float32)
    sine = np.round(np.sin(np.arange(9) * np.pi / 9), 4).astype(np.float32)
    for i in range(height):
        for j in range(width):
            squared = np.float32(-1)
            dx = np.float32(0)
            dy = np.float32(0)
            for k in range(3):
                across = padded[i + 1, j + 2, k] - padded[i + 1, j, k]
                down = padded[i + 2, j + 1, k] - padded[i, j + 1, k]
                energy = across * across + down * down
                if energy > squared:
                    squared, dx, dy = energy, across, down
            best = np.float32(0)
            winner = 0
            for o in range(9):
                projection = cosine[o] * dx + sine[o] * dy
                if projection > best:
                    best, winner = projection, o
                elif -projection > best:
                    best, winner = -projection, o + 9
            orientation[i, j, 0] = winner
            magnitude[i, j, 0] = int(np.sqrt(squared) * _UNITS + np.float32(0.5))
    return orientation, magnitude


@kernel
def _cell_histograms(sums: Int64Array, row: int, column: int, cell: int) -> FloatArray:
    """Return the signed histograms of the 6×6 cells around a patch, shape (6, 6, 18).

    `row`, `column`: the first corner of the lattice of second differences. The centre of a cell
    of even side lies between pixels; its window is the mean of its two shifts along each axis.
    """
    shifts = 1 if cell % 2 else 2
    lattice = np.zeros((8, 8, SIGNED), np.int64)
    for a in range(8):
        for b in range(8):
            for s in range(shifts):
                for t in range(shifts):
                    for k in range(SIGNED):
                        lattice[a, b, k] += sums[row + a * cell + s, column + b * cell + t, k]
    rows = np.empty((6, 8, SIGNED), np.int64)
    for a in range(6):
        for b in range(8):
            for k in range(SIGNED):
                rows[a, b, k] = lattice[a, b, k] - 2 * lattice[a + 1, b, k] + lattice[a + 2, b, k]
    scale = 1.0 / (_UNITS * cell * cell * shifts * shifts)
    cells = np.empty((6, 6, SIGNED))
    for a in range(6):
        for b in range(6):
            for k in range(SIGNED):
                total = rows[a, b, k] - 2 * rows[a, b + 1, k] + rows[a, b + 2, k]
                cells[a, b, k] = total * scale
    return cells


@kernel
def normalised_cells(cells: FloatArray) -> Float32Array:
    """Turn 6×6 signed histograms into the 4×4 inner descriptors, shape (4, 4, 31)."""
    energy = np.zeros((6, 6))
    for a in range(6):
        for b in range(6):
            for o in range(9):
                energy[a, b] += (cells[a, b, o] + cells[a, b, o + 9]) ** 2
    inverse = np.empty((5, 5))
    for a in range(5):
        for b in range(5):
            block = energy[a, b] + energy[a + 1, b] + energy[a, b + 1] + energy[a + 1, b + 1]
            inverse[a, b] = 1 / np.sqrt(block + 1e-4)
    result = np.empty((CELLS, CELLS, CHANNELS), np.float32)
    factor = np.empty(4)
    for a in range(CELLS):
        for b in range(CELLS):
            factor[0] = inverse[a + 1, b + 1]
            factor[1] = inverse[a, b + 1]
            factor[2] = inverse[a + 1, b]
            factor[3] = inverse[a, b]
            texture = np.zeros(4)
            for o in range(SIGNED):
                total = 0.0
                for n in range(4):
                    cut = min(cells[a + 1, b + 1, o] * factor[n], 0.2)
                    total += cut
                    texture[n] += cut
                result[a, b, o] = 0.5 * total
            for o in range(9):
                both = cells[a + 1, b + 1, o] + cells[a + 1, b + 1, o + 9]
                total = 0.0
                for n in range(4):
                    total += min(both * factor[n], 0.2)
                result[a, b, SIGNED + o] = 0.5 * total
            for n in range(4):
                result[a, b, 27 + n] = 0.2357 * texture[n]
    return result


@kernel
def _describe(sums: Int64Array, centres: Int64Array, cell: int) -> Float32Array:
    result = np.empty((centres.shape[0], CELLS * CELLS * CHANNELS), np.float32)
    # Second differences of a window centred on the first outer cell start two cells earlier.
    offset = (cell - 1) // 2 - 4 * cell
    for p in range(centres.shape[0]):
        row, column = centres[p, 0] + offset, centres[p, 1] + offset
        cells = _cell_histograms(sums, row, column, cell)
        result[p] = normalised_cells(cells).ravel()
    return result
