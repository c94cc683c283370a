"""Run-length codes of polygons, computed column by column without an image of the whole page."""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np

from segboost._types import BoolArray, FloatArray, Int64Array
from segboost.io.formats.polygons import Polygon

STRIP = 2**23
"""Number of pixels in the strip of columns that is filled at a time."""
NEAR = 1e-9
"""Pixel centres this close to an edge lie on it."""


def encode_polygons(polygons: Sequence[Polygon], shape: tuple[int, int]) -> list[int]:
    """Return the run lengths of filled polygons.

    The same as ``encode_runs(fill_polygons(polygons, shape))``, except at pixel centres where a
    ring crosses itself, but memory and time do not depend on the size of the page.

    Parameters
    ----------
    polygons : sequence of Polygon
    shape : (int, int)
        Height and width of the page.

    Examples
    --------
    >>> square = np.array([[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]])
    >>> encode_polygons([(square,)], (4, 4))
    [5, 2, 2, 2, 5]
    """
    height, width = shape
    low, high = _box(polygons, shape)
    rows = high[1] - low[1]
    spans = [np.zeros((2, 0), dtype=np.int64)]
    step = max(1, STRIP // max(rows, 1))
    for left in range(low[0], high[0], step):
        columns = min(step, high[0] - left)
        filled = np.zeros((columns, rows), dtype=bool)
        for polygon in polygons:
            _fill(polygon, filled, left, low[1])
        spans.append(_spans(filled, left, low[1], height))
    starts, stops = np.concatenate(spans, axis=1)
    # A run that reaches the lower end of a column may continue in the next one.
    is_apart = starts[1:] != stops[:-1]
    starts = starts[np.append(True, is_apart)[: len(starts)]]
    stops = stops[np.append(is_apart, True)[: len(stops)]]
    edges = np.stack([starts, stops], axis=1).ravel()
    counts = np.diff(np.concatenate([[0], edges, [height * width]])).tolist()
    return counts[:-1] if len(counts) > 1 and counts[-1] == 0 else counts


def _box(
    polygons: Sequence[Polygon], shape: tuple[int, int]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the columns and rows that the polygons may cover, within the page."""
    rings = [polygon[0] for polygon in polygons if len(polygon[0])]
    if not rings:
        return (0, 0), (0, 0)
    points = np.array([[ring.min(axis=0), ring.max(axis=0)] for ring in rings])
    low = np.maximum(np.floor(points[:, 0].min(axis=0)), 0).astype(int)
    high = np.minimum(np.ceil(points[:, 1].max(axis=0)) + 1, shape[::-1]).astype(int)
    high = np.maximum(low, high)
    return (int(low[0]), int(low[1])), (int(high[0]), int(high[1]))


def _fill(polygon: Polygon, strip: BoolArray, left: int, top: int) -> None:
    """Set the pixels of a polygon in a strip, shape (columns, rows), in place, without its holes.

    The cost depends on the boxes around its rings, not on the size of the strip.
    """
    place = _place(polygon[0], left, top, strip.shape)
    whole = strip[place]
    if not whole.size:
        return
    left, top = left + place[0].start, top + place[1].start
    filled = _ring_pixels(polygon[0] - (left + 0.5, top + 0.5), whole.shape)
    for hole in polygon[1:]:
        inner = _place(hole, left, top, whole.shape)
        part = filled[inner]
        if part.size:
            corner = (left + inner[0].start + 0.5, top + inner[1].start + 0.5)
            part &= ~_ring_pixels(hole - corner, part.shape)
    whole |= filled


def _place(ring: FloatArray, left: int, top: int, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Return the columns and rows of a strip that a ring may cover."""
    low = np.floor(ring.min(axis=0)).astype(int) - (left, top)
    high = np.ceil(ring.max(axis=0)).astype(int) + 1 - (left, top)
    first, last = np.clip(low, 0, shape), np.clip(high, 0, shape)
    return slice(int(first[0]), int(last[0])), slice(int(first[1]), int(last[1]))


def _ring_pixels(ring: FloatArray, shape: tuple[int, ...]) -> BoolArray:
    """Return the pixels whose centre is in a ring or on it, shape (columns, rows)."""
    turns = np.zeros((shape[0], shape[1] + 1), dtype=np.uint8)
    on = np.zeros(shape, dtype=np.bool_)
    mark_edges(np.ascontiguousarray(ring), turns, on, NEAR)
    np.bitwise_xor.accumulate(turns, axis=1, out=turns)
    found: BoolArray = turns[:, :-1].view(bool) | on
    return found


def _spans(filled: BoolArray, left: int, top: int, height: int) -> Int64Array:
    """Return begin and end of the runs of a strip in the page read by columns, shape (2, m)."""
    change = np.diff(np.pad(filled, ((0, 0), (1, 1))).view(np.int8), axis=1)
    ends = []
    for sign in (1, -1):
        columns, rows = np.nonzero(change == sign)
        ends.append((columns + left) * height + rows + top)
    return np.stack(ends)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def mark_edges(ring: FloatArray, turns: np.ndarray, on: np.ndarray, near: float) -> None:
    """Mark where the edges of a ring cross the columns of pixel centres, in place.

    Parameters
    ----------
    ring : ndarray of shape (n, 2)
        x and y from the first pixel centre, not closed.
    turns : ndarray of uint8, shape (columns, rows + 1)
        Toggled at the first centre below each crossing: a centre is inside if the number of
        crossings above it is odd.
    on : ndarray of bool, shape (columns, rows)
        Set where a centre is a corner or lies on an odd number of edges: an edge that is
        retraced backwards does not count.
    near : float
    """
    columns, rows = on.shape
    count = len(ring)
    for n in range(count):
        x0, y0 = ring[n]
        x1, y1 = ring[(n + 1) % count]
        if x0 > x1:
            x0, y0, x1, y1 = x1, y1, x0, y0
        first, last = max(int(np.ceil(x0)), 0), min(int(np.floor(x1)), columns - 1)
        for c in range(first, last + 1):
            if x0 == x1:
                start, stop = np.ceil(min(y0, y1) - near), np.floor(max(y0, y1) + near)
                for r in range(max(int(start), 0), min(int(stop), rows - 1) + 1):
                    on[c, r] ^= True
                continue
            y = y0 + (c - x0) * (y1 - y0) / (x1 - x0)
            r = int(np.rint(y))
            if abs(y - r) <= near and 0 <= r < rows:
                on[c, r] ^= True
            if c < x1:  # a corner belongs to one of its edges only
                turns[c, min(max(int(np.ceil(y)), 0), rows)] ^= 1
    for n in range(count):
        c, r = int(np.rint(ring[n, 0])), int(np.rint(ring[n, 1]))
        is_centre = abs(ring[n, 0] - c) <= near and abs(ring[n, 1] - r) <= near
        if is_centre and 0 <= c < columns and 0 <= r < rows:
            on[c, r] = True
