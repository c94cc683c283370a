"""The band of pixels around the border of the foreground."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import distance_transform_cdt

from segboost._types import BoolArray, Int32Array, Int64Array

FAR = 10_000
"""The distance used if there is no border."""


def border_distance(foreground: BoolArray) -> Int32Array:
    """Return the signed chessboard distance from the border, shape (H, W).

    Pixels that touch the other class have 1 in the foreground and −1 in the background; all are
    ±`FAR` if there is no border.

    Examples
    --------
    >>> border_distance(np.array([[True, True, False]]))
    array([[ 2,  1, -1]], dtype=int32)
    """
    if foreground.all() or not foreground.any():
        return np.where(foreground, FAR, -FAR).astype(np.int32)
    inside = distance_transform_cdt(foreground, "chessboard")
    outside = distance_transform_cdt(~foreground, "chessboard")
    return (inside - outside).astype(np.int32)


def band_pixels(distance: Int32Array, width: int) -> tuple[Int64Array, Int64Array]:
    """Return rows and columns of the pixels at most `width` from the border, in reading order."""
    rows, columns = np.nonzero(np.abs(distance) <= width)
    return rows, columns
