"""The number of pixels in the convex hull of an object, from the ends of its rows."""

from __future__ import annotations

import numpy as np

from segboost._types import Int64Array


def count_hull_pixels(rows: Int64Array, first: Int64Array, last: Int64Array) -> int:
    """Return how many pixel centres lie in the convex hull of an object, or on its border.

    As in `skimage.morphology.convex_hull_image`, a pixel is the diamond of the midpoints of its
    sides. All coordinates are doubled, so that the count is exact.

    Parameters
    ----------
    rows : ndarray of int64, shape (m,)
        The rows of the object, ascending.
    first, last : ndarray of int64, shape (m,)
        The columns of the first and of the last pixel in each row.

    Examples
    --------
    >>> count_hull_pixels(np.array([0, 1, 2]), np.array([0, 0, 0]), np.array([4, 0, 4]))
    15
    """
    lower = _chain(rows, first)
    upper = _chain(rows, -last)
    inner = np.arange(int(rows[0]), int(rows[-1]) + 1)
    low, high = _ceil_at(lower, inner), -_ceil_at(upper, inner)
    return int((high - low + 1).sum())


def _chain(rows: Int64Array, columns: Int64Array) -> Int64Array:
    """Return the corners of the hull on the side of small columns, as (row, column), doubled."""
    row, column = 2 * rows, 2 * columns
    points = np.concatenate(
        [
            np.stack([row, column - 1], axis=1),
            np.stack([row - 1, column], axis=1),
            np.stack([row + 1, column], axis=1),
        ]
    )
    points = points[np.lexsort((points[:, 1], points[:, 0]))]
    is_first = np.append(True, points[1:, 0] != points[:-1, 0])
    corners: list[tuple[int, int]] = []
    for y, x in points[is_first].tolist():
        while len(corners) > 1 and not _turns(corners[-2], corners[-1], (y, x)):
            corners.pop()
        corners.append((y, x))
    return np.array(corners, dtype=np.int64)


def _turns(one: tuple[int, int], two: tuple[int, int], three: tuple[int, int]) -> bool:
    """Whether the second point is a corner of the hull of the three."""
    return (two[1] - one[1]) * (three[0] - one[0]) < (three[1] - one[1]) * (two[0] - one[0])


def _ceil_at(chain: Int64Array, rows: Int64Array) -> Int64Array:
    """Return the smallest whole column at or beyond a chain in each row."""
    after = np.clip(np.searchsorted(chain[:, 0], 2 * rows), 1, len(chain) - 1)
    (y0, x0), (y1, x1) = chain[after - 1].T, chain[after].T
    run = y1 - y0
    # column = (x0 + (2 row - y0) (x1 - x0) / run) / 2, rounded up
    above = x0 * run + (2 * rows - y0) * (x1 - x0)
    found: Int64Array = -(-above // (2 * run))
    return found
