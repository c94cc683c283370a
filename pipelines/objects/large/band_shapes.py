"""Measurements of objects whose box does not fit into memory, taken band by band."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from segboost._types import AnyArray, FloatArray, Int32Array, Int64Array
from segboost.io.pixel_size import PixelSize
from segboost.pipelines.objects.large.borders import (
    CELLS,
    CODES,
    HALO,
    border_lengths,
    contour_lengths,
    count_border_codes,
    count_cells,
)
from segboost.pipelines.objects.large.hull import count_hull_pixels
from segboost.pipelines.objects.large.label_runs import Runs, find_runs
from segboost.pipelines.objects.measuring import ObjectTable

MOMENTS = 6


class HugeShapes:
    """Measures the shapes of the objects 1 … n from bands, added from top to bottom.

    Parameters
    ----------
    boxes : ndarray of int64, shape (n, 4)
        Top, bottom, left and right.
    pixel_size : PixelSize, optional
    """

    def __init__(self, boxes: Int64Array, pixel_size: PixelSize | None) -> None:
        self._boxes, self._size = boxes, pixel_size
        count = len(boxes)
        self._moments = np.zeros((MOMENTS, count + 1), dtype=np.int64)
        self._codes = np.zeros((count + 1, CODES), dtype=np.int64)
        self._cells = np.zeros((count + 1, CELLS), dtype=np.int64)
        self._ends: list[Int64Array] = []

    def add(self, labels: Int32Array, top: int, left: int) -> None:
        """Add a band.

        Parameters
        ----------
        labels : ndarray of int32, shape (h + 4, w + 4)
            Labels 0 … n of the band, with two more rows and columns on each side.
        top, left : int
            Position in the page of the band itself, without the additional rows and columns.
        """
        runs = find_runs(labels[HALO:-HALO, HALO:-HALO])
        self._add_moments(runs, top, left)
        self._ends.append(_row_ends(runs, top, left))
        count = len(self._boxes)
        if self._is_square:
            self._codes += count_border_codes(labels, count)
        else:
            self._cells += count_cells(labels, count)

    def table(self) -> ObjectTable:
        """Return the columns of the shapes; see `segboost.pipelines.objects.measuring`."""
        boxes, size = self._boxes, self._size
        y, x = (1.0, 1.0) if size is None else (size.y, size.x)
        n, rows, columns = self._moments[:3, 1:]
        second = [_second_moments(m, y, x) for m in self._moments[:, 1:].T.tolist()]
        perimeter = (
            border_lengths(self._codes[1:], size)
            if self._is_square or size is None
            else contour_lengths(self._cells[1:], size)
        )
        return {
            "area": n * (y * x),
            "centroid_x": (columns / n + boxes[:, 2]) * x,
            "centroid_y": (rows / n + boxes[:, 0]) * y,
            "box_x": boxes[:, 2],
            "box_y": boxes[:, 0],
            "box_width": boxes[:, 3] - boxes[:, 2],
            "box_height": boxes[:, 1] - boxes[:, 0],
            **_ellipses(second),
            "solidity": n / self._hull_areas(),
            "perimeter": perimeter,
        }

    @property
    def _is_square(self) -> bool:
        return self._size is None or self._size.is_square

    def _add_moments(self, runs: Runs, top: int, left: int) -> None:
        """Add up 1, r, c, r², rc and c² of all pixels, from the corner of the object's box."""
        corner = self._boxes[runs.labels - 1]
        row = runs.rows + top - corner[:, 0]
        start, stop = runs.starts + left - corner[:, 2], runs.stops + left - corner[:, 2]
        n = stop - start
        column = (start + stop - 1) * n // 2
        square = _squares_below(stop) - _squares_below(start)
        for sums, terms in zip(
            self._moments, (n, n * row, column, n * row**2, column * row, square), strict=True
        ):
            np.add.at(sums, runs.labels, terms)

    def _hull_areas(self) -> FloatArray:
        ends = np.concatenate(self._ends, axis=1)
        ends = ends[:, np.lexsort((ends[1], ends[0]))]
        edges = np.searchsorted(ends[0], np.arange(1, len(self._boxes) + 2))
        parts = (ends[1:, a:b] for a, b in pairwise(edges))
        return np.array([float(count_hull_pixels(*part)) for part in parts])


def _squares_below(k: AnyArray) -> AnyArray:
    """Return 0² + 1² + … + (k − 1)²."""
    return (k - 1) * k * (2 * k - 1) // 6


def _row_ends(runs: Runs, top: int, left: int) -> Int64Array:
    """Return label, row, first and last column of each row of each object, shape (4, m)."""
    order = np.lexsort((runs.starts, runs.rows, runs.labels))
    labels, rows = runs.labels[order].astype(np.int64), runs.rows[order].astype(np.int64)
    change = (labels[1:] != labels[:-1]) | (rows[1:] != rows[:-1])
    first = np.append(True, change)[: len(labels)]
    last = np.append(change, True)[: len(labels)]
    starts, stops = runs.starts[order][first] + left, runs.stops[order][last] + (left - 1)
    return np.stack([labels[first], rows[first] + top, starts, stops])


def _second_moments(moments: list[int], y: float, x: float) -> tuple[float, float, float]:
    """Return the central moments r², rc and c² per pixel, in squared units of the pixel size.

    The sums are whole numbers, which Python subtracts and divides without rounding them first.
    """
    n, r, c, rr, rc, cc = moments
    area = n * n
    return (
        (n * rr - r * r) / area * y * y,
        (n * rc - r * c) / area * y * x,
        (n * cc - c * c) / area * x * x,
    )


def _ellipses(second: list[tuple[float, float, float]]) -> ObjectTable:
    """Return axes, orientation and eccentricity as scikit-image defines them."""
    major, minor, angle, eccentricity = [], [], [], []
    for rr, rc, cc in second:
        tensor = np.array([[cc, -rc], [-rc, rr]])
        low, high = np.clip(np.linalg.eigvalsh(tensor), 0, None).tolist()
        major.append(4 * math.sqrt(high))
        minor.append(4 * math.sqrt(low))
        eccentricity.append(0.0 if high == 0 else math.sqrt(1 - low / high))
        if cc == rr:
            angle.append(math.pi / 4 if -rc < 0 else -math.pi / 4)
        else:
            angle.append(0.5 * math.atan2(2 * rc, rr - cc))
    return {
        "axis_major": np.array(major),
        "axis_minor": np.array(minor),
        "orientation": np.array(angle),
        "eccentricity": np.array(eccentricity),
    }
