"""Sampling of boxes: around the last box to find the target, around the target to learn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import FloatArray
from segboost.features.boxes.layout import BoxLayout, Places
from segboost.tasks.candidates import box_overlap

RINGS = ((1, 8), (2, 8), (3, 16), (4.5, 16), (6, 16), (8, 16), (11, 16), (15, 16), (20, 16),
         (27, 16), (35, 16))  # fmt: skip
"""Radius, in 1/36 of the target's size, and number of training boxes of each ring."""
SCALES = (0.85, 0.92, 1.08, 1.17)
SCALE_RINGS = ((0, 1), (2, 4), (5, 6))
_UNIT = 36.0


@dataclass(frozen=True, eq=False)
class TrainingBoxes:
    """The training boxes of a frame, relative to the target; the first is the target.

    Parameters
    ----------
    offset : ndarray of int64, shape (P, 2)
        In samples at the box's own scale.
    scale : ndarray of float64, shape (P,)
    loss : ndarray of float64, shape (P,)
        1 − overlap with the target.
    """

    offset: Places
    scale: FloatArray
    loss: FloatArray

    def __len__(self) -> int:
        return len(self.loss)


def training_boxes(layout: BoxLayout, with_scale: bool, rng: np.random.Generator) -> TrainingBoxes:
    """Return about 200 boxes on rings, dense near the target, where the loss is small.

    With `with_scale`, some are smaller or larger than the target. `rng` draws the rotation of the
    rings.
    """
    unit = np.sqrt(layout.height * layout.width) / _UNIT
    found: list[tuple[int, int, float]] = [(0, 0, 1.0)]
    for radius, count in RINGS:
        found += [(*p, 1.0) for p in _ring(radius * unit, count, float(rng.random()))]
    for scale in SCALES if with_scale else ():
        for radius, count in SCALE_RINGS:
            found += [(*p, scale) for p in _ring(radius * unit, count, float(rng.random()))]
    values = np.array(list(dict.fromkeys(found)))
    return TrainingBoxes(
        values[:, :2].astype(np.int64), values[:, 2], 1.0 - overlap_with_target(layout, values)
    )


def overlap_with_target(layout: BoxLayout, values: FloatArray) -> FloatArray:
    """Return the overlap of boxes (row, column, scale) with the one at (0, 0, 1), shape (P,)."""
    scale = values[:, 2]
    width, height = layout.width * scale, layout.height * scale
    boxes = np.stack(
        [values[:, 1] * scale - width / 2, values[:, 0] * scale - height / 2, width, height], 1
    )
    target = np.array([-layout.width / 2, -layout.height / 2, layout.width, layout.height])
    return box_overlap(boxes, target)


def disc(radius: int, stride: int) -> Places:
    """Return the grid offsets with this stride within a radius, row by row."""
    line = np.arange(-(radius // stride) * stride, radius + 1, stride)
    rows, columns = np.meshgrid(line, line, indexing="ij")
    inside = rows**2 + columns**2 <= radius**2
    return np.stack([rows[inside], columns[inside]], axis=1).astype(np.int64)


def square(radius: int) -> Places:
    """Return all offsets up to `radius` rows and columns away."""
    line = np.arange(-radius, radius + 1)
    rows, columns = np.meshgrid(line, line, indexing="ij")
    return np.stack([rows.ravel(), columns.ravel()], axis=1).astype(np.int64)


def _ring(radius: float, count: int, turn: float) -> list[tuple[int, int]]:
    angles: FloatArray = 2 * np.pi * (np.arange(count) + turn) / count
    rows, columns = np.rint(radius * np.sin(angles)), np.rint(radius * np.cos(angles))
    return list(zip(rows.astype(int).tolist(), columns.astype(int).tolist(), strict=True))
