"""Variants of a frame that imitate later appearances of the target in the same place."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import ndimage

from segboost._types import FloatArray
from segboost.tracking.base import Box, Frame

REACH = 1.6
"""Width of the surroundings that is also changed, in target sizes on every side."""
NOISE = 6.0

Pixels = FloatArray


def variants(frame: Frame, box: Box, rng: np.random.Generator) -> Iterator[Frame]:
    """Yield frames in which the target is rotated, blurred, motion-blurred, relit or noisy.

    Parameters
    ----------
    frame : ndarray of uint8, shape (H, W, K)
        Not modified.
    box : x, y, w, h
    rng : numpy.random.Generator
        Draws the noise.
    """
    x, y, w, h = box
    height, width = frame.shape[:2]
    top, bottom = max(int(y - REACH * h), 0), min(int(np.ceil(y + (1 + REACH) * h)), height)
    left, right = max(int(x - REACH * w), 0), min(int(np.ceil(x + (1 + REACH) * w)), width)
    part: Pixels = frame[top:bottom, left:right].astype(np.float64)
    centre = (y + h / 2 - 0.5 - top, x + w / 2 - 0.5 - left)
    for change in _changes(centre, float(np.sqrt(w * h))):
        changed = change(part) + rng.normal(0.0, NOISE, part.shape)
        out = frame.copy()
        out[top:bottom, left:right] = np.clip(np.rint(changed), 0, 255).astype(np.uint8)
        yield out


def _changes(centre: tuple[float, float], size: float) -> list[Callable[[Pixels], Pixels]]:
    smear = max(2, round(0.15 * size))
    return [
        lambda p: p,
        lambda p: _turned(p, centre, 8.0),
        lambda p: _turned(p, centre, -8.0),
        lambda p: ndimage.gaussian_filter(p, (0.04 * size, 0.04 * size, 0)),
        lambda p: ndimage.uniform_filter1d(p, smear, axis=0),
        lambda p: ndimage.uniform_filter1d(p, smear, axis=1),
        lambda p: 255.0 * (p / 255.0) ** 0.75,
        lambda p: 255.0 * (p / 255.0) ** 1.35,
    ]


def _turned(part: Pixels, centre: tuple[float, float], degrees: float) -> Pixels:
    """Return the pixels rotated about a point."""
    angle = np.deg2rad(degrees)
    matrix = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shift = np.asarray(centre) - matrix @ np.asarray(centre)
    planes = [
        ndimage.affine_transform(part[..., k], matrix, shift, order=1, mode="nearest")
        for k in range(part.shape[2])
    ]
    return np.stack(planes, axis=2)
