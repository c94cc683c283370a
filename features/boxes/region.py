"""The surroundings of a box at a fixed size, the input of all box features.

A box of any size is resampled to the same canonical size, so that the cost of a frame depends
neither on the size of the target nor on that of the frame, and cells consist of whole pixels.
"""

from __future__ import annotations

import numpy as np

from segboost._types import ByteArray, Float32Array, FloatArray, Int64Array
from segboost.features.kernel import kernel


@kernel
def sample_region(
    frame: ByteArray, top: float, left: float, step_y: float, step_x: float, height: int, width: int
) -> Float32Array:
    """Sample a rectangle of a frame on a regular grid.

    Sample (i, j) is the mean over the area ``step_y × step_x`` centred on
    ``(top + (i + ½) step_y, left + (j + ½) step_x)``, by bilinear interpolation between pixel
    centres. Outside the frame, its nearest pixel is used.

    Parameters
    ----------
    frame : ndarray of uint8, shape (H, W, K)
    top, left : float
        The outer corner of the region; pixel (0, 0) covers [0, 1) × [0, 1).
    step_y, step_x : float
        Frame pixels per sample.
    height, width : int

    Returns
    -------
    ndarray of float32, shape (K, height, width)
    """
    rows, columns, channels = frame.shape
    parts_y = max(1, int(np.ceil(step_y - 0.25)))
    parts_x = max(1, int(np.ceil(step_x - 0.25)))
    share = 1.0 / (parts_y * parts_x)
    # Positions and weights along each axis are the same for every row and column.
    low_x = np.empty(width * parts_x, np.int64)
    high_x = np.empty(width * parts_x, np.int64)
    part_x = np.empty(width * parts_x)
    for j in range(width * parts_x):
        x = left + (j + 0.5) * step_x / parts_x - 0.5
        x = min(max(x, 0.0), columns - 1.0)
        low_x[j] = int(x)
        high_x[j] = min(low_x[j] + 1, columns - 1)
        part_x[j] = x - low_x[j]
    out = np.zeros((channels, height, width), np.float32)
    for i in range(height):
        for a in range(parts_y):
            y = top + (i + (a + 0.5) / parts_y) * step_y - 0.5
            y = min(max(y, 0.0), rows - 1.0)
            i0 = int(y)
            i1 = min(i0 + 1, rows - 1)
            down = y - i0
            for j in range(width):
                for b in range(parts_x):
                    at = j * parts_x + b
                    j0, j1, right = low_x[at], high_x[at], part_x[at]
                    for k in range(channels):
                        upper = frame[i0, j0, k] * (1 - right) + frame[i0, j1, k] * right
                        lower = frame[i1, j0, k] * (1 - right) + frame[i1, j1, k] * right
                        out[k, i, j] += np.float32(share * (upper * (1 - down) + lower * down))
    return out


def sample_region_numpy(
    frame: ByteArray, top: float, left: float, step_y: float, step_x: float, height: int, width: int
) -> Float32Array:
    """Plain NumPy twin of `sample_region`."""
    rows = _places(top, step_y, height, frame.shape[0])
    columns = _places(left, step_x, width, frame.shape[1])
    pixels = frame.astype(np.float64)
    down, right = rows[2][:, None, None], columns[2][None, :, None]
    upper = pixels[rows[0]][:, columns[0]] * (1 - right) + pixels[rows[0]][:, columns[1]] * right
    lower = pixels[rows[1]][:, columns[0]] * (1 - right) + pixels[rows[1]][:, columns[1]] * right
    fine = upper * (1 - down) + lower * down
    parts = fine.reshape(height, fine.shape[0] // height, width, fine.shape[1] // width, -1)
    return np.ascontiguousarray(parts.mean(axis=(1, 3)).transpose(2, 0, 1), dtype=np.float32)


def _places(
    start: float, step: float, count: int, length: int
) -> tuple[Int64Array, Int64Array, FloatArray]:
    parts = max(1, int(np.ceil(step - 0.25)))
    at = start + (np.arange(count * parts) + 0.5) * step / parts - 0.5
    at = np.clip(at, 0.0, length - 1.0)
    low = at.astype(np.int64)
    return low, np.minimum(low + 1, length - 1), at - low
