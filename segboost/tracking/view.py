"""The canonical view of the target: frames around a pose, resampled to a fixed size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import FloatArray
from segboost.features.boxes.channels import HALO, Sums, region_sums
from segboost.features.boxes.layout import BoxLayout, Codes, Places, box_codes, make_layout
from segboost.features.boxes.region import sample_region
from segboost.tracking.base import Box, Frame

SHORTEST, LONGEST = 12, 96
"""Minimum and maximum number of samples along a side of the canonical box."""


@dataclass(frozen=True)
class Pose:
    """The position of the target: its centre in frame pixels and its scale (1 in frame 1)."""

    x: float
    y: float
    scale: float = 1.0


class TargetView:
    """Resamples boxes of the first box's shape to the canonical size.

    Parameters
    ----------
    box : x, y, w, h
        The first box; its aspect ratio is kept.
    colour : bool
        Whether frames have colour.
    area : int
        Approximate number of samples in the canonical box.
    margin : float
        Extent of the features beyond the box, as a fraction of its size.
    """

    def __init__(self, box: Box, colour: bool, area: int, margin: float) -> None:
        _, _, w, h = box
        ratio = np.sqrt(area / (w * h))
        height, width = (int(np.clip(round(v * ratio), SHORTEST, LONGEST)) for v in (h, w))
        self.size = float(np.sqrt(height * width))
        self.layout: BoxLayout = make_layout(height, width, colour, round(margin * self.size))
        self._step_y, self._step_x = h / height, w / width

    def pose_of(self, box: Box) -> Pose:
        """Return the pose whose box has this centre and this area."""
        x, y, w, h = box
        first = self.layout.height * self._step_y * self.layout.width * self._step_x
        return Pose(x + w / 2, y + h / 2, float(np.sqrt(w * h / first)))

    def box_of(self, pose: Pose) -> Box:
        """Return the box of a pose."""
        w = self.layout.width * self._step_x * pose.scale
        h = self.layout.height * self._step_y * pose.scale
        return pose.x - w / 2, pose.y - h / 2, w, h

    def moved(self, pose: Pose, offset: FloatArray) -> Pose:
        """Return the pose moved by an offset in samples (rows, columns)."""
        x = pose.x + float(offset[1]) * self._step_x * pose.scale
        y = pose.y + float(offset[0]) * self._step_y * pose.scale
        return Pose(x, y, pose.scale)

    def look(self, frame: Frame, pose: Pose, reach: int) -> Look:
        """Compute the data for describing boxes up to `reach` samples away from a pose."""
        layout = self.layout
        # Features normalised by their surroundings need the same surroundings in every look.
        border = reach + layout.margin + HALO
        height, width = layout.height + 2 * border, layout.width + 2 * border
        step_y, step_x = self._step_y * pose.scale, self._step_x * pose.scale
        top, left = pose.y - height / 2 * step_y, pose.x - width / 2 * step_x
        region = sample_region(frame, top, left, step_y, step_x, height, width)
        return Look(region_sums(region), border, layout)


@dataclass(frozen=True, eq=False)
class Look:
    """Integral images around a pose; boxes are offsets in samples (rows, columns)."""

    sums: Sums
    border: int
    layout: BoxLayout

    def codes(self, offsets: Places) -> Codes:
        """Return the codes of all features, shape (d, P)."""
        return box_codes(self.sums, self.layout.cells, self.layout.gain, offsets + self.border)
