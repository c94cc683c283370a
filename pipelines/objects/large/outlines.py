"""Outlines of the objects of a large page as polygons."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from segboost._types import FloatArray
from segboost.io.formats.polygons import (
    Polygon,
    check_tolerance,
    contour_polygons,
    find_part_contours,
    trace_labels,
)
from segboost.io.scientific.window import Window
from segboost.pipelines.objects.large.contours import contours_of_bands
from segboost.pipelines.objects.large.finding import LargeObjects
from segboost.pipelines.objects.large.grouping import group_boxes
from segboost.pipelines.objects.large.label_runs import find_extents
from segboost.pipelines.objects.large.page_file import LargeLimits, PageFile, cut_bands
from segboost.pipelines.objects.large.part_joiner import PartJoiner


def trace_large_objects(
    objects: LargeObjects, scratch: PageFile, tolerance: float, limits: LargeLimits
) -> list[list[Polygon]]:
    """Return the same polygons as `trace_labels`, for every object.

    Parameters
    ----------
    objects : LargeObjects
    scratch : PageFile
        int32, of the same shape; for intermediate results.
    tolerance : float
        See `trace_polygons`.
    limits : LargeLimits
    """
    check_tolerance(tolerance)
    grouping = group_boxes(objects.boxes, limits)
    found: list[list[Polygon]] = [[] for _ in range(objects.count)]
    for group, _, own in grouping.windows(objects.labels, objects.count):
        traced = trace_labels(own, tolerance)
        corner = _corner(group.window)
        for member, polygons in zip(group.members.tolist(), traced, strict=True):
            found[member] = _moved(polygons, corner)
    for member in grouping.huge.tolist():
        box = Window(*objects.boxes[member].tolist())
        polygons = _trace_huge(objects.labels, member + 1, box, scratch, tolerance, limits)
        found[member] = _moved(polygons, _corner(box))
    return found


def _trace_huge(
    labels: PageFile,
    number: int,
    box: Window,
    scratch: PageFile,
    tolerance: float,
    limits: LargeLimits,
) -> list[Polygon]:
    """Return the polygons of an object, relative to the corner of its box.

    Its 4-connected parts are traced in windows if they fit into memory, otherwise by bands.
    """
    joiner = PartJoiner(diagonal=False)
    bands = cut_bands(box, limits.band)
    for band in bands:
        scratch.write(band, joiner.add(labels.read(band) == number))
    numbers = joiner.numbers()
    for band in bands:
        scratch.write(band, numbers[scratch.read(band)])
    count = int(numbers.max())
    boxes = find_extents(scratch, box, count, limits.band).boxes
    grouping = group_boxes(boxes, limits)
    found: list[list[Polygon]] = [[] for _ in range(count)]
    for group, _, own in grouping.windows(scratch, count):
        corner = _corner(group.window) - _corner(box)
        for place, where in enumerate(ndimage.find_objects(own)):
            at = corner + np.array([where[1].start, where[0].start])
            contours = find_part_contours(own[where] == place + 1)
            found[group.members[place]] = contour_polygons(contours, at, tolerance)
    for part in grouping.huge.tolist():
        window = Window(*boxes[part].tolist())
        inside = (scratch.read(band) == part + 1 for band in cut_bands(window, limits.band))
        contours = contours_of_bands(inside, window.right - window.left)
        found[part] = contour_polygons(contours, _corner(window) - _corner(box), tolerance)
    return [polygon for polygons in found for polygon in polygons]


def _moved(polygons: list[Polygon], by: FloatArray) -> list[Polygon]:
    return [tuple(ring + by for ring in polygon) for polygon in polygons]


def _corner(window: Window) -> FloatArray:
    return np.array([window.left, window.top], dtype=float)
