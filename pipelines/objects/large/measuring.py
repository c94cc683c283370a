"""Measurements of the objects of a large page, taken in windows around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from segboost._types import AnyArray, ByteArray, IntArray
from segboost.io.pixel_size import PixelSize
from segboost.io.scientific.window import Window
from segboost.pipelines.objects.finding import Objects
from segboost.pipelines.objects.large.band_shapes import HugeShapes
from segboost.pipelines.objects.large.borders import HALO
from segboost.pipelines.objects.large.finding import LargeObjects
from segboost.pipelines.objects.large.grouping import group_boxes
from segboost.pipelines.objects.large.page_file import LargeLimits, cut_bands
from segboost.pipelines.objects.large.running_statistics import RunningStatistics
from segboost.pipelines.objects.measuring import PIXEL, ObjectTable, measure_objects

UNIT = 255.0


@dataclass(frozen=True, eq=False)
class PageValues:
    """Intensities and probabilities of a page, read by windows.

    Parameters
    ----------
    channels : callable
        Returns the original intensities in a window, shape (h, w, C).
    probability : callable, optional
        Returns 255 times the probability of the mask's class, uint8 of shape (h, w).
    """

    channels: Callable[[Window], AnyArray]
    probability: Callable[[Window], ByteArray] | None = None


def measure_large_objects(
    objects: LargeObjects,
    class_names: Sequence[str],
    values: PageValues,
    pixel_size: PixelSize | None,
    limits: LargeLimits,
) -> ObjectTable:
    """Return the same table as `measure_objects`.

    Parameters
    ----------
    objects : LargeObjects
    class_names : sequence of str
        By class index.
    values : PageValues
    pixel_size : PixelSize, optional
    limits : LargeLimits
    """
    grouping = group_boxes(objects.boxes, limits)
    nothing = Objects(np.zeros((1, 1), np.int32), objects.classes[:0])
    parts = [
        (
            np.zeros(0, np.intp),
            _measure(nothing, Window(0, 1, 0, 1), class_names, values, pixel_size),
        )
    ]
    for group, _, own in grouping.windows(objects.labels, objects.count):
        inside = Objects(own, objects.classes[group.members])
        table = _measure(inside, group.window, class_names, values, pixel_size)
        parts.append((group.members, table))
    huge = grouping.huge
    if len(huge):
        found = _measure_huge(objects, huge, class_names, values, pixel_size, limits)
        parts.append((huge, {"object": huge + 1} | found))
    return _joined(parts) | {"object": np.arange(1, objects.count + 1)}


def _measure(
    objects: Objects,
    window: Window,
    class_names: Sequence[str],
    values: PageValues,
    pixel_size: PixelSize | None,
) -> ObjectTable:
    """Return the table of the objects in a window, with positions in the page."""
    unit = None if values.probability is None else values.probability(window) / UNIT
    table = measure_objects(objects, class_names, unit, values.channels(window), pixel_size)
    y, x = (1.0, 1.0) if pixel_size is None else (pixel_size.y, pixel_size.x)
    moved = {"centroid_x": window.left * x, "centroid_y": window.top * y}
    moved |= {"box_x": window.left, "box_y": window.top}
    return table | {name: table[name] + by for name, by in moved.items()}


def _measure_huge(
    objects: LargeObjects,
    members: IntArray,
    class_names: Sequence[str],
    values: PageValues,
    pixel_size: PixelSize | None,
    limits: LargeLimits,
) -> ObjectTable:
    """Return the table of objects that do not fit into memory, in one pass over their bands."""
    boxes = objects.boxes[members]
    low, high = boxes.min(axis=0).tolist(), boxes.max(axis=0).tolist()
    count = len(members)
    local = np.zeros(objects.count + 1, dtype=np.int32)
    local[members + 1] = np.arange(1, count + 1)
    shapes = HugeShapes(boxes, pixel_size)
    probability = RunningStatistics(count)
    channels: list[RunningStatistics] = []
    # One more row, in which the lowest cells of contours end.
    for band in cut_bands(Window(low[0], high[1] + 1, low[2], high[3]), limits.band):
        around = Window(band.top - HALO, band.bottom + HALO, band.left - HALO, band.right + HALO)
        labels = local[objects.labels.read_padded(around)]
        shapes.add(labels, band.top, band.left)
        inside = Window(band.top, min(band.bottom, high[1]), band.left, band.right)
        own = labels[HALO : HALO + inside.bottom - inside.top, HALO:-HALO]
        if not own.size:
            continue
        found = values.channels(inside)
        channels = channels or [RunningStatistics(count) for _ in range(found.shape[2])]
        for number, channel in enumerate(channels):
            channel.add(own, found[..., number])
        if values.probability is not None:
            probability.add(own, values.probability(inside) / UNIT)
    table: ObjectTable = {
        "class": np.array([class_names[c] for c in objects.classes[members]], dtype=object),
        "unit": np.full(count, PIXEL if pixel_size is None else pixel_size.unit, dtype=object),
        **shapes.table(),
        "mean_probability": probability.mean,
    }
    for number, channel in enumerate(channels):
        table |= {f"mean_{number}": channel.mean, f"deviation_{number}": channel.deviation}
    return table


def _joined(parts: list[tuple[IntArray, ObjectTable]]) -> ObjectTable:
    """Return the rows of several tables in the order of the objects."""
    parts = [part for part in parts if len(part[0])] or parts
    order = np.argsort(np.concatenate([members for members, _ in parts]))
    names = parts[0][1]
    return {name: np.concatenate([table[name] for _, table in parts])[order] for name in names}
