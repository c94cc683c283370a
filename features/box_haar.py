"""Haar features of a box, as Struck uses them: 6 kinds on a 4×4 grid at 2 sizes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from segboost.features.box_channels import FULL, GREY, Sums

PLACES = (0.2, 0.4, 0.6, 0.8)
SIZES = (0.2, 0.4)
N_HAAR = 6 * len(PLACES) ** 2 * len(SIZES)

# Kind by kind: rectangles (row, column, height, width) as shares of the feature, and weights.
_KINDS: tuple[tuple[tuple[float, float, float, float, float], ...], ...] = (
    ((0, 0, 1 / 2, 1, 1), (1 / 2, 0, 1 / 2, 1, -1)),
    ((0, 0, 1, 1 / 2, 1), (0, 1 / 2, 1, 1 / 2, -1)),
    ((0, 0, 1 / 3, 1, 1), (1 / 3, 0, 1 / 3, 1, -2), (2 / 3, 0, 1 / 3, 1, 1)),
    ((0, 0, 1, 1 / 3, 1), (0, 1 / 3, 1, 1 / 3, -2), (0, 2 / 3, 1, 1 / 3, 1)),
    (
        (0, 0, 1 / 2, 1 / 2, 1),
        (1 / 2, 1 / 2, 1 / 2, 1 / 2, 1),
        (1 / 2, 0, 1 / 2, 1 / 2, -1),
        (0, 1 / 2, 1 / 2, 1 / 2, -1),
    ),
    ((0, 0, 1, 1, 1), (1 / 4, 1 / 4, 1 / 2, 1 / 2, -4)),
)


def haar_features(
    sums: Sums, height: int, width: int, corners: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the Haar features of boxes, shape (192, P), between −1 and 1.

    Differences of mean grey between the parts of a feature; edges are rounded to samples.

    Parameters
    ----------
    sums : ndarray of int32, shape (C, H + 1, W + 1)
        Integral images of a region; the first is grey.
    height, width : int
        Of the boxes, in samples.
    corners : ndarray of int64, shape (P, 2)
        Rows and columns of the boxes' upper left corners.

    References
    ----------
    S. Hare, A. Saffari, P. Torr, Struck: structured output tracking with kernels, ICCV 2011.
    """
    grey = sums[GREY].astype(np.float64) / FULL
    out = np.zeros((N_HAAR, len(corners)))
    number = 0
    for y in PLACES:
        for x in PLACES:
            for size in SIZES:
                for kind in _KINDS:
                    out[number] = _feature(grey, kind, (y, x, size), height, width, corners)
                    number += 1
    return out


def _feature(
    grey: npt.NDArray[np.float64],
    kind: tuple[tuple[float, float, float, float, float], ...],
    where: tuple[float, float, float],
    height: int,
    width: int,
    corners: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    y, x, size = where
    total = np.zeros(len(corners))
    for row, column, tall, wide, weight in kind:
        top, left = y - size / 2 + row * size, x - size / 2 + column * size
        y0, y1 = (
            round(top * height),
            max(round((top + tall * size) * height), round(top * height) + 1),
        )
        x0, x1 = (
            round(left * width),
            max(round((left + wide * size) * width), round(left * width) + 1),
        )
        i, j = corners[:, 0], corners[:, 1]
        cell = (
            grey[i + y1, j + x1]
            - grey[i + y0, j + x1]
            - grey[i + y1, j + x0]
            + grey[i + y0, j + x0]
        )
        # Means, not sums: rounded parts of unequal size still cancel on a flat patch.
        total += weight * tall * wide * cell / ((y1 - y0) * (x1 - x0))
    return total
