"""A simulated user: strokes of a round brush inside the true regions of an image."""

from __future__ import annotations

import numpy as np
from scipy import ndimage
from skimage.graph import MCP_Geometric

VOID = 255
STEP = 4
"""Paths are planned on every fourth pixel."""
RADIUS = 8
"""Radius of the brush in pixels; smaller in narrow regions."""
LEAST = 30
"""Regions with fewer planned pixels than this get no stroke."""


def scribble(mask: np.ndarray, n_foreground: int = 3, n_background: int = 3) -> np.ndarray:
    """Return a partial mask, shape (H, W): 1 and 0 under the strokes, 255 elsewhere.

    A stroke runs through the largest part of a class that has none nearby: between two points
    that are far apart within it, along its middle.

    Parameters
    ----------
    mask : ndarray of uint8, shape (H, W)
        The truth.
    n_foreground, n_background : int
        Maximum number of strokes.
    """
    partial = np.full(mask.shape, VOID, np.uint8)
    for value, count in ((1, n_foreground), (0, n_background)):
        region = mask == value
        open_part = region.copy()
        for _ in range(count):
            painted = stroke(open_part)
            if painted is None:
                break
            painted &= region
            partial[painted] = value
            open_part &= ndimage.distance_transform_edt(~painted) > 3 * RADIUS
    return partial


def stroke(region: np.ndarray) -> np.ndarray | None:
    """Return the pixels of one stroke inside a region; None if the region is too small."""
    depth = ndimage.distance_transform_edt(np.pad(region, 1))[1:-1, 1:-1][::STEP, ::STEP]
    parts, n_parts = ndimage.label(depth > 1)
    sizes = np.bincount(parts.ravel())[1:]
    if n_parts == 0 or sizes.max() < LEAST:
        return None
    inside = parts == 1 + np.argmax(sizes)
    reach = min(RADIUS, 0.6 * depth[inside].max())
    core = _largest(inside & (depth >= reach))
    # Steps near the border cost more, so that the path stays in the middle.
    cost = np.where(core, 1 + 4 * np.exp(-depth / RADIUS), -1)
    start = _farthest(cost, tuple(np.argwhere(core)[0]))[0]
    _, path = _farthest(cost, start)
    line = np.ones(region.shape, bool)
    rows, columns = (np.array(path) * STEP).T
    line[rows, columns] = False
    return ndimage.distance_transform_edt(line) <= max(reach, STEP)


def _largest(area: np.ndarray) -> np.ndarray:
    parts, _ = ndimage.label(area, np.ones((3, 3)))
    return parts == 1 + np.argmax(np.bincount(parts.ravel())[1:])


def _farthest(cost: np.ndarray, start: tuple) -> tuple[tuple, list]:
    walk = MCP_Geometric(cost)
    total, _ = walk.find_costs([start])
    end = np.unravel_index(np.argmax(np.where(np.isfinite(total), total, -1)), cost.shape)
    return end, walk.traceback(end)
