"""The cells that describe a box, and their values as uint8 codes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from segboost._types import ByteArray, FloatArray, Int64Array
from segboost.features.boxes.channels import (
    FIRST_ORIENTATION,
    FULL,
    GREY,
    LOCAL_GREY,
    N_COLOUR_CHANNELS,
    N_GREY_CHANNELS,
    ORIENTATIONS,
    Sums,
)
from segboost.features.kernel import kernel

LEVELS = 64
"""Codes range from 0 to LEVELS − 1."""

HOG_GRIDS, GREY_GRIDS, COLOUR_GRIDS = (3, 5, 8), (4, 8), (4,)
"""Cells along the shorter side of the box."""
MOST_CELLS = 20
"""Maximum number of cells along a side: very long boxes get longer cells."""

Codes = ByteArray
Places = Int64Array


@dataclass(frozen=True, eq=False)
class BoxLayout:
    """The features of a box of canonical size.

    Parameters
    ----------
    height, width : int
        The canonical size of a box, in samples.
    cells : ndarray of int64, shape (d, 5)
        Channel, and rows and columns ``y0, x0, y1, x1`` relative to the box's corner.
    gain : ndarray of float64, shape (d,)
        ``code = min(⌊sum · gain⌋, LEVELS − 1)``.
    margin : int
        Extent of the cells beyond the box, in samples.
    """

    height: int
    width: int
    cells: Places
    gain: FloatArray
    margin: int

    @property
    def n_features(self) -> int:
        """The number d of features."""
        return len(self.cells)


def make_layout(
    height: int,
    width: int,
    colour: bool,
    margin: int = 0,
    hog_grids: tuple[int, ...] = HOG_GRIDS,
    grey_grids: tuple[int, ...] = GREY_GRIDS,
    colour_grids: tuple[int, ...] = COLOUR_GRIDS,
) -> BoxLayout:
    """Return the layout with grids of cells over the box and over a margin around it.

    A grid of n has n cells along the shorter side and as many along the longer side as keep the
    cells nearly square.
    """
    cells: list[tuple[int, int, int, int, int]] = []
    gains: list[float] = []

    def add(channels: range | tuple[int, ...], grid: int, share: float) -> None:
        for y0, x0, y1, x1 in _grid(height, width, grid, margin):
            for channel in channels:
                cells.append((channel, y0, x0, y1, x1))
                gains.append(LEVELS / (share * FULL * (y1 - y0) * (x1 - x0)))

    for grid in hog_grids:
        # After normalisation a cell's mean strength is 1/3, split among 9 orientations.
        add(range(FIRST_ORIENTATION, FIRST_ORIENTATION + ORIENTATIONS), grid, 0.25)
    for grid in grey_grids:
        add((GREY, LOCAL_GREY), grid, 1.0)
    if colour:
        for grid in colour_grids:
            add(range(N_GREY_CHANNELS, N_COLOUR_CHANNELS), grid, 1.0)
    return BoxLayout(height, width, np.array(cells, np.int64), np.array(gains, np.float64), margin)


def _grid(height: int, width: int, count: int, margin: int) -> list[tuple[int, int, int, int]]:
    """Return the cells ``y0, x0, y1, x1`` of a grid over the box and its margin."""
    side = min(height, width) / count
    edges = []
    for length in (height, width):
        n = min(max(1, round((length + 2 * margin) / side)), MOST_CELLS)
        edges.append(np.rint(np.linspace(-margin, length + margin, n + 1)).astype(int).tolist())
    rows, columns = (list(pairwise(e)) for e in edges)
    return [(y0, x0, y1, x1) for y0, y1 in rows for x0, x1 in columns if y1 > y0 and x1 > x0]


@kernel
def box_codes(sums: Sums, cells: Places, gain: FloatArray, corners: Places) -> Codes:
    """Return the codes of boxes, shape (d, P).

    Parameters
    ----------
    sums : ndarray of int32, shape (C, H + 1, W + 1)
        The result of `region_sums`.
    cells, gain
        From the layout.
    corners : ndarray of int64, shape (P, 2)
        Rows and columns of the boxes' upper left corners in the region.
    """
    out = np.empty((cells.shape[0], corners.shape[0]), np.uint8)
    for f in range(cells.shape[0]):
        plane = sums[cells[f, 0]]
        y0, x0, y1, x1 = cells[f, 1], cells[f, 2], cells[f, 3], cells[f, 4]
        for p in range(corners.shape[0]):
            i, j = corners[p, 0], corners[p, 1]
            total = plane[i + y1, j + x1] - plane[i + y0, j + x1]
            total += plane[i + y0, j + x0] - plane[i + y1, j + x0]
            out[f, p] = min(int(total * gain[f]), LEVELS - 1)
    return out


def box_codes_numpy(sums: Sums, cells: Places, gain: FloatArray, corners: Places) -> Codes:
    """Plain NumPy twin of `box_codes`."""
    channel, y0, x0, y1, x1 = (c[:, None] for c in cells.T)
    i, j = corners[:, 0], corners[:, 1]
    total = sums[channel, i + y1, j + x1] - sums[channel, i + y0, j + x1]
    total += sums[channel, i + y0, j + x0] - sums[channel, i + y1, j + x0]
    return np.minimum((total * gain[:, None]).astype(np.int64), LEVELS - 1).astype(np.uint8)


@kernel
def stump_scores(
    sums: Sums,
    cells: Places,
    gain: FloatArray,
    cut: Int64Array,
    weight: FloatArray,
    corners: Places,
) -> FloatArray:
    """Return ``Σ_j w_j (+1 if code > cut, else −1)`` of boxes, shape (P,).

    `cells`, `gain`, `cut` and the signed `weight` have one row per stump; only the features that
    stumps use are computed.
    """
    out = np.zeros(corners.shape[0])
    for s in range(cells.shape[0]):
        plane = sums[cells[s, 0]]
        y0, x0, y1, x1 = cells[s, 1], cells[s, 2], cells[s, 3], cells[s, 4]
        for p in range(corners.shape[0]):
            i, j = corners[p, 0], corners[p, 1]
            total = plane[i + y1, j + x1] - plane[i + y0, j + x1]
            total += plane[i + y0, j + x0] - plane[i + y1, j + x0]
            out[p] += weight[s] if int(total * gain[s]) > cut[s] else -weight[s]
    return out


def stump_scores_numpy(
    sums: Sums,
    cells: Places,
    gain: FloatArray,
    cut: Int64Array,
    weight: FloatArray,
    corners: Places,
) -> FloatArray:
    """Plain NumPy twin of `stump_scores`."""
    above = box_codes_numpy(sums, cells, gain, corners) > cut[:, None]
    return weight @ np.where(above, 1.0, -1.0)
