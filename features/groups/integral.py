"""Integral images: the sum over any box or triangle window from a few corners.

Responses are integers or small floats. Integer sums are exact, even if they wrap around, so that
pooled values do not depend on the position of a patch in the image.
"""

from __future__ import annotations

import numpy as np

from segboost._types import ByteArray, Float32Array, FloatArray, Int32Array, Int64Array, UInt16Array
from segboost.features.kernel import kernel


@kernel
def double_integral(channel: ByteArray, amount: Int32Array, channels: int) -> Int64Array:
    """Integrate sparse responses twice along both axes.

    ``S[m, n, k] = Σ_{y<m, x<n} r[y, x, k] (m − y)(n − x)``. Its second differences at distance c
    are sums under a triangle window of half-width c: bilinear interpolation between cells.

    Parameters
    ----------
    channel : ndarray of uint8, shape (H, W, m)
        The channels to which each pixel contributes.
    amount : ndarray of int32, shape (H, W, m)
        Its contribution to each of them.
    channels : int
        K.

    Returns
    -------
    ndarray of int64, shape (H + 1, W + 1, K)
    """
    height, width, parts = channel.shape
    result = np.empty((height + 1, width + 1, channels), np.int64)
    result[0] = 0
    result[:, 0] = 0
    column = np.zeros((width + 1, channels), np.int64)
    for i in range(height):
        once = np.zeros(channels, np.int64)
        twice = np.zeros(channels, np.int64)
        for j in range(width):
            for part in range(parts):
                once[channel[i, j, part]] += amount[i, j, part]
            for k in range(channels):
                twice[k] += once[k]
                column[j + 1, k] += twice[k]
                result[i + 1, j + 1, k] = result[i, j + 1, k] + column[j + 1, k]
    return result


def double_integral_numpy(channel: ByteArray, amount: Int32Array, channels: int) -> Int64Array:
    """Plain NumPy twin of `double_integral`."""
    height, width, _ = channel.shape
    dense = np.zeros((height + 1, width + 1, channels), np.int64)
    rows, columns, parts = np.indices(channel.shape)
    np.add.at(dense, (rows + 1, columns + 1, channel[rows, columns, parts]), amount)
    for axis in (0, 0, 1, 1):
        dense = np.cumsum(dense, axis=axis)
    return dense


@kernel
def count_integral(codes: ByteArray, channels: int) -> UInt16Array:
    """Return the integral histogram of a map of codes, modulo 2¹⁶.

    ``S[m, n, k] = #{y < m, x < n : codes[y, x] = k} mod 2¹⁶``; codes ≥ `channels` are not
    counted. Differences are exact for boxes of fewer than 2¹⁶ pixels.
    """
    height, width = codes.shape
    result = np.empty((height + 1, width + 1, channels), np.uint16)
    result[0] = 0
    result[:, 0] = 0
    for i in range(height):
        row = np.zeros(channels, np.uint16)
        for j in range(width):
            code = codes[i, j]
            if code < channels:
                row[code] += np.uint16(1)
            for k in range(channels):
                result[i + 1, j + 1, k] = result[i, j + 1, k] + row[k]
    return result


def count_integral_numpy(codes: ByteArray, channels: int) -> UInt16Array:
    """Plain NumPy twin of `count_integral`."""
    dense = np.zeros((codes.shape[0] + 1, codes.shape[1] + 1, channels), np.int64)
    dense[1:, 1:] = codes[..., None] == np.arange(channels)
    return dense.cumsum(axis=0).cumsum(axis=1).astype(np.uint16)


@kernel
def integral(maps: Float32Array) -> FloatArray:
    """Return the integral images of dense maps.

    Parameters
    ----------
    maps : ndarray of float32, shape (K, H, W)

    Returns
    -------
    ndarray of float64, shape (K, H + 1, W + 1)
    """
    channels, height, width = maps.shape
    result = np.zeros((channels, height + 1, width + 1))
    for k in range(channels):
        for i in range(height):
            row = 0.0
            for j in range(width):
                row += maps[k, i, j]
                result[k, i + 1, j + 1] = result[k, i, j + 1] + row
    return result


@kernel
def pool_grid(
    sums: FloatArray,
    corners: FloatArray,
    side: float,
    cells: int,
) -> Float32Array:
    """Average dense maps over the cells of square patches.

    Corners between samples are interpolated linearly in the integral image: every sample is
    weighted by the part of its unit square that lies in the cell.

    Parameters
    ----------
    sums : ndarray of float64, shape (K, H + 1, W + 1)
        The result of `integral`.
    corners : ndarray of float64, shape (P, 2)
        The upper left corner (row, column) of each patch, in samples.
    side : float
        The side of a cell in samples.
    cells : int
        Number of cells along each side of a patch.

    Returns
    -------
    ndarray of float32, shape (P, cells · cells · K)
        Cells row by row, K channels in each.
    """
    channels, height, width = sums.shape
    result = np.empty((corners.shape[0], cells * cells * channels), np.float32)
    lattice = np.empty((cells + 1, cells + 1))
    for k in range(channels):
        plane = sums[k]
        for p in range(corners.shape[0]):
            for a in range(cells + 1):
                y = corners[p, 0] + a * side
                i = min(int(y), height - 2)
                down = y - i
                for b in range(cells + 1):
                    x = corners[p, 1] + b * side
                    j = min(int(x), width - 2)
                    right = x - j
                    upper = plane[i, j] * (1 - right) + plane[i, j + 1] * right
                    lower = plane[i + 1, j] * (1 - right) + plane[i + 1, j + 1] * right
                    lattice[a, b] = upper * (1 - down) + lower * down
            for a in range(cells):
                for b in range(cells):
                    total = lattice[a + 1, b + 1] - lattice[a, b + 1]
                    total += lattice[a, b] - lattice[a + 1, b]
                    result[p, (a * cells + b) * channels + k] = total / (side * side)
    return result
