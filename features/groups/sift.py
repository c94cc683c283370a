"""Dense upright SIFT descriptors on a grid, at several scales."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter

from segboost._types import ByteArray, Float32Array, Int32Array, Int64Array
from segboost.features.groups.integral import double_integral
from segboost.features.image_context import pad_by_reflection
from segboost.features.kernel import kernel

CELLS = 4
ORIENTATIONS = 8
DIMENSIONS = CELLS * CELLS * ORIENTATIONS
# Lowe's base image has σ = 1.6; a photograph is assumed to have σ = 0.5 already.
_SIGMA = np.sqrt(1.6**2 - 0.5**2)
_UNITS = 256


def grid_points(shape: tuple[int, int], step: int) -> Int64Array:
    """Return the pixels (row, column) of a centred grid, row by row, shape (N, 2)."""
    rows, columns = (np.arange((n - 1) % step // 2, n, step) for n in shape)
    return np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)


def dense_sift(grey: Float32Array, points: Int64Array, cells: tuple[int, ...]) -> Float32Array:
    """Describe points by upright SIFT descriptors with given cell sizes.

    A descriptor has 4×4 cells of 8 orientations, counter-clockwise from the right. Pixels are
    weighted by their gradient magnitude, with trilinear interpolation between cells and
    orientations. The Gaussian window (σ of two cells) is evaluated at the centre of each cell. The
    vector is normalised to length 1, clipped at 0.2 and normalised again; without any gradient it
    is zero.

    Parameters
    ----------
    grey : ndarray of float32, shape (H, W)
        In [0, 255].
    points : ndarray of int64, shape (N, 2)
    cells : tuple of int
        Sides of a cell in pixels, even numbers. OpenCV's keypoint of size s has cells of 1.5 s.

    Returns
    -------
    ndarray of float32, shape (len(cells) · N, 128)
        All points at the first size, then at the next; within a descriptor rows of cells,
        columns, orientations.

    References
    ----------
    D. Lowe, Distinctive image features from scale-invariant keypoints, IJCV 60(2), 2004.
    """
    margin = 5 * max(cells) // 2 + 1
    padded = pad_by_reflection(grey, margin + 1)
    smooth = gaussian_filter(padded, _SIGMA, mode="nearest", truncate=3)
    sums = double_integral(*soft_orientations(smooth), ORIENTATIONS)
    return np.concatenate([_describe(sums, points + margin, cell) for cell in cells])


@kernel
def soft_orientations(
    padded: Float32Array,
) -> tuple[ByteArray, Int32Array]:
    """Split each gradient between its two nearest orientations.

    Returns
    -------
    channel : ndarray of uint8, shape (H, W, 2)
    amount : ndarray of int32, shape (H, W, 2)
        In units of 1/256 grey level.
    """
    height, width = padded.shape[0] - 2, padded.shape[1] - 2
    channel = np.empty((height, width, 2), np.uint8)
    amount = np.empty((height, width, 2), np.int32)
    for i in range(height):
        for j in range(width):
            dx = padded[i + 1, j + 2] - padded[i + 1, j]
            dy = padded[i, j + 1] - padded[i + 2, j + 1]  # upwards
            place = np.arctan2(dy, dx) * np.float32(ORIENTATIONS / (2 * np.pi))
            below = int(np.floor(place))
            share = place - below
            magnitude = np.sqrt(dx * dx + dy * dy) * _UNITS
            channel[i, j, 0] = below % ORIENTATIONS
            channel[i, j, 1] = (below + 1) % ORIENTATIONS
            amount[i, j, 0] = int(magnitude * (1 - share) + np.float32(0.5))
            amount[i, j, 1] = int(magnitude * share + np.float32(0.5))
    return channel, amount


@kernel
def _describe(sums: Int64Array, points: Int64Array, cell: int) -> Float32Array:
    """Return the descriptors at points of the padded image, shape (N, 128)."""
    result = np.empty((points.shape[0], DIMENSIONS), np.float32)
    window = np.exp(-((np.arange(CELLS) - 1.5) ** 2) / 8) / (_UNITS * cell)
    lattice = np.empty((6, 6, ORIENTATIONS), np.int64)
    for p in range(points.shape[0]):
        row, column = points[p, 0] - 5 * cell // 2, points[p, 1] - 5 * cell // 2
        for a in range(6):
            for b in range(6):
                for k in range(ORIENTATIONS):
                    lattice[a, b, k] = sums[row + a * cell, column + b * cell, k]
        n = 0
        for a in range(CELLS):
            for b in range(CELLS):
                for k in range(ORIENTATIONS):
                    total = 0
                    for s in range(3):
                        factor = -2 if s == 1 else 1
                        total += factor * (
                            lattice[a + s, b, k]
                            - 2 * lattice[a + s, b + 1, k]
                            + lattice[a + s, b + 2, k]
                        )
                    result[p, n] = total * window[a] * window[b]
                    n += 1
        _normalise(result[p])
    return result


@kernel
def _normalise(vector: Float32Array) -> None:
    """Normalise to length 1, clip at 0.2 and normalise again; leave a zero vector unchanged."""
    length = np.sqrt(np.sum(vector.astype(np.float64) ** 2))
    if length < 1e-7:
        vector[:] = 0
        return
    for n in range(vector.size):
        vector[n] = min(vector[n] / length, 0.2)
    length = np.sqrt(np.sum(vector.astype(np.float64) ** 2))
    for n in range(vector.size):
        vector[n] /= length
