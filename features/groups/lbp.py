"""LBP: histograms of the 58 uniform local binary patterns, 4×4 cells per patch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import ByteArray, Float32Array, FloatArray, Int64Array, UInt16Array
from segboost.features.groups.integral import count_integral
from segboost.features.image_context import pad_by_reflection
from segboost.features.kernel import kernel

CELLS = 4
PATTERNS = 58
"""Number of uniform patterns: at most two changes around the circle of 8 neighbours."""
# Eight points on the unit circle, counter-clockwise from the right, rounded to 5 digits as in
# scikit-image: with the same order of operations, ties in flat areas are resolved the same way.
_ANGLES = 2 * np.pi * np.arange(8) / 8
_ROWS = np.round(-np.sin(_ANGLES), 5).astype(np.float64)
_COLUMNS = np.round(np.cos(_ANGLES), 5).astype(np.float64)


@dataclass(frozen=True, eq=False)
class LbpResponse:
    """The integral histogram of the codes of a padded image."""

    counts: UInt16Array
    margin: int


def lbp_response(grey: Float32Array, largest_patch: int) -> LbpResponse:
    """Compute the response from which all LBP patches up to a size are pooled.

    Codes are computed from the luma rounded to 256 levels, so that noise below one level does
    not count as texture.
    """
    margin = largest_patch // 2 + 1
    padded = pad_by_reflection(np.rint(grey).astype(np.float64), margin + 1)
    return LbpResponse(count_integral(lbp_codes(padded), PATTERNS), margin)


def lbp_patches(response: LbpResponse, centres: Int64Array, size: int) -> Float32Array:
    """Describe square patches by the pattern frequencies of 4×4 cells.

    The value is ``sqrt(count / cell area)``: differences of square roots give the Hellinger
    distance, and rare patterns survive rounding to 256 levels.

    Parameters
    ----------
    response : LbpResponse
    centres : ndarray of int64, shape (P, 2)
    size : int
        The side of the patch in pixels, a multiple of 4.

    Returns
    -------
    ndarray of float32, shape (P, 4 · 4 · 58)
    """
    cell = size // CELLS
    if cell * cell >= 2**16:
        raise ValueError(f"size: expected LBP patches of at most 1020 pixels, got {size}")
    roots = np.sqrt(np.arange(cell * cell + 1) / (cell * cell)).astype(np.float32)
    return _pool(response.counts, centres + response.margin, cell, roots)


def code_table() -> ByteArray:
    """Return the code of each of the 256 patterns: 0 … 57 uniform, 58 for all others.

    For one run of n ones on the circle, 0 < n < 8, the code is ``1 + 8 (n − 1) + r``, where r is
    the rotation of the run; 0 and 57 are the constant patterns.
    """
    table = np.full(256, PATTERNS, np.uint8)
    table[0], table[255] = 0, PATTERNS - 1
    for ones in range(1, 8):
        for start in range(8):
            pattern = sum(1 << (start + n) % 8 for n in range(ones))
            table[pattern] = 1 + 8 * (ones - 1) + (8 - start) % 8
    return table


@kernel
def _codes(
    padded: FloatArray,
    rows: FloatArray,
    columns: FloatArray,
    table: ByteArray,
) -> ByteArray:
    height, width = padded.shape[0] - 2, padded.shape[1] - 2
    codes = np.empty((height, width), np.uint8)
    for i in range(height):
        for j in range(width):
            pattern = 0
            for n in range(8):
                y, x = i + 1 + rows[n], j + 1 + columns[n]
                top, left = int(np.floor(y)), int(np.floor(x))
                bottom, right = int(np.ceil(y)), int(np.ceil(x))
                down, across = y - top, x - left
                upper = (1 - across) * padded[top, left] + across * padded[top, right]
                lower = (1 - across) * padded[bottom, left] + across * padded[bottom, right]
                if (1 - down) * upper + down * lower - padded[i + 1, j + 1] >= 0:
                    pattern |= 1 << n
            codes[i, j] = table[pattern]
    return codes


def lbp_codes(padded: FloatArray) -> ByteArray:
    """Return the code of every pixel that has all its neighbours.

    Parameters
    ----------
    padded : ndarray of float64, shape (H + 2, W + 2)

    Returns
    -------
    ndarray of uint8, shape (H, W)
        0 … 57 for uniform patterns (scikit-image's ``nri_uniform`` codes), 58 for others.
    """
    return _codes(padded, _ROWS, _COLUMNS, code_table())


@kernel
def _pool(
    counts: UInt16Array,
    centres: Int64Array,
    cell: int,
    roots: Float32Array,
) -> Float32Array:
    result = np.empty((centres.shape[0], CELLS * CELLS * PATTERNS), np.float32)
    for p in range(centres.shape[0]):
        n = 0
        for a in range(CELLS):
            top = centres[p, 0] + (a - CELLS // 2) * cell
            for b in range(CELLS):
                left = centres[p, 1] + (b - CELLS // 2) * cell
                for k in range(PATTERNS):
                    total = counts[top + cell, left + cell, k] - counts[top, left + cell, k]
                    total += counts[top, left, k] - counts[top + cell, left, k]
                    result[p, n] = roots[total & 0xFFFF]
                    n += 1
    return result
