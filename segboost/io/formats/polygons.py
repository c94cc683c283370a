"""Outlines of regions as polygons, and polygons as regions.

Coordinates are (x, y) with the origin at the upper left corner of the image, so that the centre of
the first pixel is (0.5, 0.5). COCO, LabelMe and QuPath use the same convention.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage
from skimage.draw import polygon as fill_polygon
from skimage.measure import approximate_polygon, find_contours, points_in_poly

from segboost._types import AnyArray, BoolArray, FloatArray

Polygon = tuple[FloatArray, ...]
"""An outer ring and the rings of its holes, each of shape (n, 2), not closed."""

FEWEST_POINTS = 3
DEFAULT_TOLERANCE = 0.5


def trace_polygons(region: npt.ArrayLike, tolerance: float = DEFAULT_TOLERANCE) -> list[Polygon]:
    """Return the outlines of a region, one polygon per connected part (4 neighbours).

    Parts that meet only at a corner are separate polygons: outlines never cross.

    Parameters
    ----------
    region : array-like of bool, shape (H, W)
    tolerance : float
        Largest distance in pixels between an outline and its simplified version (Douglas and
        Peucker); 0 keeps every corner, and the filled polygon is then exactly the region.

    Examples
    --------
    >>> [polygon] = trace_polygons(np.ones((2, 3), bool), 0)
    >>> len(polygon), polygon_area(polygon)
    (1, 5.5)
    """
    check_tolerance(tolerance)
    inside = np.asarray(region, dtype=bool)
    parts, _ = ndimage.label(inside)
    polygons = []
    for number, where in enumerate(ndimage.find_objects(parts), start=1):
        polygons += _trace_part(parts[where] == number, where, tolerance)
    return polygons


def trace_labels(labels: AnyArray, tolerance: float = DEFAULT_TOLERANCE) -> list[list[Polygon]]:
    """Return the polygons of the labels 1 … n of an image, shape (H, W), in this order."""
    check_tolerance(tolerance)
    found: list[list[Polygon]] = []
    for number, where in enumerate(ndimage.find_objects(labels), start=1):
        polygons: list[Polygon] = []
        if where is not None:
            inside = labels[where] == number
            for polygon in trace_polygons(inside, tolerance):
                polygons.append(tuple(ring + _corner(where) for ring in polygon))
        found.append(polygons)
    return found


def fill_polygons(polygons: Sequence[Polygon], shape: tuple[int, int]) -> BoolArray:
    """Return the pixels whose centre is in a polygon and in none of its holes, shape (H, W)."""
    filled = np.zeros(shape, dtype=bool)
    for polygon in polygons:
        paint_polygon(filled, polygon, True)
    return filled


def paint_polygon(canvas: AnyArray, polygon: Polygon, value: Any) -> None:
    """Set the pixels of a polygon in an image, shape (H, W), in place.

    The cost depends on the box around the polygon, not on the size of the image.
    """
    low = np.maximum(np.floor(polygon[0].min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(polygon[0].max(axis=0)).astype(int) + 1, canvas.shape[::-1])
    if (high <= low).any():
        return  # outside the image
    box = canvas[low[1] : high[1], low[0] : high[0]]
    inside = np.zeros(box.shape, dtype=bool)
    for number, ring in enumerate(polygon):
        x, y = (ring - low - 0.5).T
        rows, columns = fill_polygon(y, x, box.shape)
        inside[rows, columns] = number == 0
    box[inside] = value


def polygon_area(polygon: Polygon) -> float:
    """Return the area of a polygon without its holes, in pixels.

    Examples
    --------
    >>> polygon_area((np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 3.0], [0.0, 3.0]]),))
    6.0
    """
    outer, *holes = (abs(ring_area(ring)) for ring in polygon)
    return float(outer - sum(holes))


def ring_area(ring: FloatArray) -> float:
    """Return the signed area of a ring, shape (n, 2)."""
    x, y = ring[:, 0], ring[:, 1]
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def bounding_box(polygons: Sequence[Polygon]) -> tuple[float, float, float, float]:
    """Return x, y, width and height of the box around polygons."""
    points = np.concatenate([polygon[0] for polygon in polygons])
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return float(left), float(top), float(right - left), float(bottom - top)


def check_tolerance(tolerance: float) -> None:
    """Raise ValueError unless the tolerance is finite and not negative."""
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise ValueError(f"tolerance: expected a number of at least 0, got {tolerance}")


def _trace_part(part: BoolArray, where: Any, tolerance: float) -> list[Polygon]:
    """Return the outlines of one connected part, which is usually a single polygon."""
    return contour_polygons(find_part_contours(part), _corner(where), tolerance)


def find_part_contours(part: BoolArray) -> list[FloatArray]:
    """Return the contours of a region that is first padded with one pixel of zeros."""
    padded = np.pad(part, 1).astype(np.float32)
    return list(find_contours(padded, 0.5, fully_connected="low"))


def contour_polygons(
    contours: Sequence[FloatArray], corner: FloatArray, tolerance: float
) -> list[Polygon]:
    """Return the contours of one connected part as polygons.

    Parameters
    ----------
    contours : sequence of ndarray of shape (n, 2)
        Rows and columns of pixel centres; see `find_part_contours`. The last point repeats the
        first.
    corner : ndarray of shape (2,)
        x and y of the upper left corner of the part.
    tolerance : float
    """
    # Contours have (row, column) of pixel centres in the padded image.
    rings = [contour[:, ::-1] - 0.5 + corner for contour in contours]
    simple = [_simplify(ring, tolerance) for ring in rings]
    sizes = [ring_area(ring[:-1]) for ring in rings]
    sign = math.copysign(1.0, sizes[int(np.argmax(np.abs(sizes)))])
    outer = [n for n, size in enumerate(sizes) if size * sign > 0]
    polygons = {n: [simple[n]] for n in outer}
    for n, size in enumerate(sizes):
        if size * sign < 0:
            polygons[_owner(rings[n], rings, outer, sizes)].append(simple[n])
    return [tuple(polygons[n]) for n in outer]


def _owner(hole: FloatArray, rings: list[FloatArray], outer: list[int], sizes: list[float]) -> int:
    """Return the smallest outer ring around a hole."""
    if len(outer) == 1:
        return outer[0]
    around = [n for n in outer if points_in_poly(hole[:1], rings[n])[0]]
    return min(around or outer, key=lambda n: abs(sizes[n]))


def _simplify(ring: FloatArray, tolerance: float) -> FloatArray:
    """Return a closed ring as an open one with fewer points; tiny rings keep all points."""
    fewer = approximate_polygon(ring, tolerance) if tolerance > 0 else ring
    chosen = fewer if len(fewer) > FEWEST_POINTS else ring
    return np.ascontiguousarray(chosen[:-1])


def _corner(where: Any) -> FloatArray:
    return np.array([where[1].start, where[0].start], dtype=float)
