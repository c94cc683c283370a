"""Trace the contours of a region that is read in bands of rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from segboost._types import AnyArray, BoolArray, FloatArray, Int64Array
from segboost.features.kernel import kernel

TOP, LEFT, RIGHT, BOTTOM = (0, 1), (1, 0), (1, 2), (2, 1)
"""Midpoints of the sides of a cell of 2×2 pixel centres, as doubled (row, column)."""
SEGMENTS = {
    1: ((TOP, LEFT),),
    2: ((RIGHT, TOP),),
    3: ((RIGHT, LEFT),),
    4: ((LEFT, BOTTOM),),
    5: ((TOP, BOTTOM),),
    6: ((RIGHT, TOP), (LEFT, BOTTOM)),
    7: ((RIGHT, BOTTOM),),
    8: ((BOTTOM, RIGHT),),
    9: ((TOP, LEFT), (BOTTOM, RIGHT)),
    10: ((BOTTOM, TOP),),
    11: ((BOTTOM, LEFT),),
    12: ((LEFT, RIGHT),),
    13: ((TOP, RIGHT),),
    14: ((LEFT, TOP),),
}
"""Contour segments of a cell, by the pixels in the region: 1 upper left, 2 upper right, 4 lower
left, 8 lower right. The region is on the left of each segment; diagonal pixels are not
connected."""


def _tables() -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return the number of segments of each cell, and their ends, shape (16, 2, 2)."""
    count = np.zeros(16, dtype=np.int64)
    starts, stops = np.zeros((16, 2, 2), np.int64), np.zeros((16, 2, 2), np.int64)
    for code, segments in SEGMENTS.items():
        count[code] = len(segments)
        for number, (start, stop) in enumerate(segments):
            starts[code, number], stops[code, number] = start, stop
    return count, starts, stops


COUNT, STARTS, STOPS = _tables()


def contours_of_bands(bands: Iterable[BoolArray], width: int) -> list[FloatArray]:
    """Return the contours of a region as `segboost.io.formats.polygons.find_part_contours` does.

    Order, directions and first points are the same; only one band and the contours are in memory.

    Parameters
    ----------
    bands : iterable of ndarray of bool, shape (h, W)
        The region from top to bottom.
    width : int
        W.

    Returns
    -------
    list of ndarray of shape (n, 2)
        Rows and columns, where (1, 1) is the centre of the first pixel.
    """
    stride = 2 * (width + 2)
    above = np.zeros((1, width + 2), dtype=bool)
    row, found = 0, []
    for band in bands:
        padded = np.concatenate([above, np.pad(band, ((0, 0), (1, 1)))])
        found.append(_segments(padded, row, stride))
        above, row = padded[-1:], row + len(band)
    found.append(_segments(np.concatenate([above, np.zeros_like(above)]), row, stride))
    starts, stops = np.concatenate(found, axis=1)
    order = np.argsort(starts)
    following = order[np.searchsorted(starts, stops, sorter=order)]
    walked, edges = walk_rings(following)
    rings = np.split(starts[walked], edges[1:-1])
    return [_points(np.append(ring, ring[0]), stride) for ring in rings if len(ring)]


def _segments(padded: BoolArray, row: int, stride: int) -> Int64Array:
    """Return start and end of all segments between rows, as whole numbers, shape (2, m)."""
    cells = padded.view(np.uint8)
    codes = cells[:-1, :-1] + 2 * cells[:-1, 1:] + 4 * cells[1:, :-1] + 8 * cells[1:, 1:]
    rows, columns = np.nonzero((codes > 0) & (codes < 15))
    code = codes[rows, columns].astype(np.int64)
    count = COUNT[code]
    number = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    code, corner = np.repeat(code, count), np.repeat(2 * ((rows + row) * stride + columns), count)
    ends = (STARTS[code, number], STOPS[code, number])
    return np.stack([corner + end[:, 0] * stride + end[:, 1] for end in ends])


def _points(ring: Int64Array, stride: int) -> FloatArray:
    return np.stack(np.divmod(ring, stride), axis=1) / 2.0


@kernel
def walk_rings(following: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the cycles of a permutation one after the other.

    Cycles are ordered by their smallest number, and each begins after its largest one: this is
    where scikit-image, which adds segments in reading order, closes a contour.

    Parameters
    ----------
    following : ndarray of int64, shape (n,)
        A permutation of 0 … n − 1.

    Returns
    -------
    walked : ndarray of int64, shape (n,)
    edges : ndarray of int64, shape (cycles + 1,)
        Where the cycles begin in `walked`, and n.
    """
    count = len(following)
    walked = np.empty(count, np.int64)
    edges = np.zeros(count + 1, np.int64)
    seen = np.zeros(count, np.bool_)
    made = cycles = 0
    for first in range(count):
        if seen[first]:
            continue
        last, at = first, following[first]
        seen[first] = True
        while at != first:
            seen[at] = True
            last = max(last, at)
            at = following[at]
        at = following[last]
        while at != last:
            walked[made] = at
            made += 1
            at = following[at]
        walked[made] = last
        made += 1
        cycles += 1
        edges[cycles] = made
    return walked, edges[: cycles + 1].copy()


def walk_rings_numpy(following: Int64Array) -> tuple[AnyArray, AnyArray]:
    """Plain NumPy twin of `walk_rings`."""
    cycles: list[list[int]] = []
    left = set(range(len(following)))
    while left:
        cycle = [min(left)]
        while int(following[cycle[-1]]) != cycle[0]:
            cycle.append(int(following[cycle[-1]]))
        left -= set(cycle)
        cycles.append(np.roll(cycle, -1 - int(np.argmax(cycle))).tolist())
    edges = np.cumsum([0, *map(len, cycles)])
    return np.array([at for cycle in cycles for at in cycle], dtype=np.int64), edges
