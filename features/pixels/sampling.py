"""Maps of any resolution, interpolated at pixels of the image."""

from __future__ import annotations

import numpy as np

from segboost._types import Float32Array, Int64Array
from segboost.features.kernel import kernel


def sample_at(
    cells: Float32Array, rows: Int64Array, columns: Int64Array, shape: tuple[int, int]
) -> Float32Array:
    """Return the map, interpolated bilinearly at pixels, shape (n, C).

    Parameters
    ----------
    cells : ndarray of float32, shape (h, w, C)
        Covers the image: the centre of cell i is at pixel (i + ½)·H/h − ½.
    rows, columns : ndarray of int, shape (n,)
    shape : tuple of int
        Height H and width W of the image.
    """
    return _interpolate(np.ascontiguousarray(cells), rows, columns, shape[0], shape[1])


@kernel
def _interpolate(
    cells: Float32Array, rows: Int64Array, columns: Int64Array, height: int, width: int
) -> Float32Array:
    h, w, channels = cells.shape
    out = np.empty((rows.size, channels), np.float32)
    for n in range(rows.size):
        y = min(max((rows[n] + 0.5) * h / height - 0.5, 0.0), h - 1.0)
        x = min(max((columns[n] + 0.5) * w / width - 0.5, 0.0), w - 1.0)
        i, j = int(y), int(x)
        below, right = min(i + 1, h - 1), min(j + 1, w - 1)
        dy, dx = np.float32(y - i), np.float32(x - j)
        one = np.float32(1)
        for c in range(channels):
            top = cells[i, j, c] * (one - dx) + cells[i, right, c] * dx
            bottom = cells[below, j, c] * (one - dx) + cells[below, right, c] * dx
            out[n, c] = top * (one - dy) + bottom * dy
    return out
