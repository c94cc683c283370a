"""Haar features of a box, as in Struck: 6 kinds on a 4×4 grid at 2 sizes."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from segboost._types import FloatArray, Int32Array, Int64Array
from segboost.features.boxes.channels import FULL, GREY, Sums
from segboost.features.kernel import kernel

PLACES = (0.2, 0.4, 0.6, 0.8)
SIZES = (0.2, 0.4)
N_HAAR = 6 * len(PLACES) ** 2 * len(SIZES)

# Per kind: rectangles (row, column, height, width) as fractions of the feature, and weights.
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


def haar_features(sums: Sums, height: int, width: int, corners: Int64Array) -> FloatArray:
    """Return the Haar features of boxes, shape (192, P), between −1 and 1.

    They are differences of mean grey between the parts of a feature; edges are rounded to samples.

    Parameters
    ----------
    sums : ndarray of int32, shape (C, H + 1, W + 1)
        Integral images of a region; the first is grey.
    height, width : int
        Size of the boxes in samples.
    corners : ndarray of int64, shape (P, 2)
        Rows and columns of the boxes' upper left corners.

    References
    ----------
    S. Hare, A. Saffari, P. Torr, Struck: structured output tracking with kernels, ICCV 2011.
    """
    parts = _parts(height, width)
    return _sum_parts(sums[GREY], parts.feature, parts.cell, parts.weight, corners)


def haar_features_numpy(sums: Sums, height: int, width: int, corners: Int64Array) -> FloatArray:
    """Plain NumPy twin of `haar_features`."""
    parts = _parts(height, width)
    grey = sums[GREY].astype(np.int64)
    y0, x0, y1, x1 = (c[:, None] for c in parts.cell.T)
    i, j = corners[:, 0], corners[:, 1]
    total = (
        grey[i + y1, j + x1] - grey[i + y0, j + x1] - grey[i + y1, j + x0] + grey[i + y0, j + x0]
    )
    out = np.zeros((N_HAAR, len(corners)))
    np.add.at(out, parts.feature, parts.weight[:, None] * total)
    return out


class _Parts(NamedTuple):
    """All rectangles of all features: feature, ``y0, x0, y1, x1`` and weight of the sum."""

    feature: Int64Array
    cell: Int64Array
    weight: FloatArray


@lru_cache(maxsize=16)
def _parts(height: int, width: int) -> _Parts:
    feature, cells, weights = [], [], []
    wheres = [(y, x, size) for y in PLACES for x in PLACES for size in SIZES]
    for number, ((y, x, size), kind) in enumerate(product(wheres, _KINDS)):
        for row, column, tall, wide, weight in kind:
            top, left = y - size / 2 + row * size, x - size / 2 + column * size
            y0, x0 = round(top * height), round(left * width)
            y1 = max(round((top + tall * size) * height), y0 + 1)
            x1 = max(round((left + wide * size) * width), x0 + 1)
            feature.append(number)
            cells.append((y0, x0, y1, x1))
            # Means instead of sums: parts of unequal size still cancel on a flat patch.
            weights.append(weight * tall * wide / (FULL * (y1 - y0) * (x1 - x0)))
    return _Parts(np.array(feature), np.array(cells), np.array(weights))


@kernel
def _sum_parts(
    grey: Int32Array,
    feature: Int64Array,
    cell: Int64Array,
    weight: FloatArray,
    corners: Int64Array,
) -> FloatArray:
    out = np.zeros((N_HAAR, corners.shape[0]))
    for r in range(feature.size):
        y0, x0, y1, x1 = cell[r, 0], cell[r, 1], cell[r, 2], cell[r, 3]
        row = out[feature[r]]
        for p in range(corners.shape[0]):
            i, j = corners[p, 0], corners[p, 1]
            total = grey[i + y1, j + x1] - grey[i + y0, j + x1]
            total += grey[i + y0, j + x0] - grey[i + y1, j + x0]
            row[p] += weight[r] * total
    return out
