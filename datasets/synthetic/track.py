"""A moving target over a textured background, for examples and tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from segboost._types import ByteArray, FloatArray


@dataclass(frozen=True, eq=False)
class SyntheticTrack:
    """Frames, shape (n, H, W, 3) or (n, H, W), and the target's boxes (n, 4), x, y, w, h."""

    frames: ByteArray
    boxes: FloatArray


def draw_track(
    n_frames: int = 40,
    size: tuple[int, int] = (120, 160),
    target: tuple[int, int] = (30, 24),
    colour: bool = True,
    growth: float = 1.0,
    hidden: tuple[int, int] | None = None,
    seed: int = 0,
) -> SyntheticTrack:
    """Draw a textured target on an ellipse over a textured background, with a little noise.

    Parameters
    ----------
    n_frames : int
    size, target : (height, width)
    colour : bool
    growth : float
        Scale of the target in the last frame.
    hidden : (first, last), optional
        Frames in which background covers the target.
    seed : int

    Examples
    --------
    >>> track = draw_track(n_frames=3)
    >>> track.frames.shape, track.boxes.shape
    ((3, 120, 160, 3), (3, 4))
    """
    rng = np.random.default_rng(seed)
    ground = _texture(rng, size, 3.0, (60, 150))
    patch = _texture(rng, target, 1.5, (20, 235))
    frames, boxes = [], []
    for t in range(n_frames):
        turn = 2 * np.pi * t / max(n_frames, 60)
        scale = growth ** (t / max(n_frames - 1, 1))
        drawn = ndimage.zoom(patch, (scale, scale, 1), order=1) if scale != 1.0 else patch
        h, w = drawn.shape[:2]
        y = round(size[0] * (0.5 + 0.22 * np.sin(turn)) - h / 2)
        x = round(size[1] * (0.5 + 0.22 * np.cos(turn)) - w / 2)
        frame = ground.copy()
        if hidden is None or not hidden[0] <= t <= hidden[1]:
            frame[y : y + h, x : x + w] = drawn
        frame += rng.normal(0, 2, frame.shape)
        frames.append(np.clip(np.rint(frame), 0, 255).astype(np.uint8))
        boxes.append((x, y, w, h))
    stack = np.stack(frames)
    return SyntheticTrack(stack if colour else stack[..., 1], np.array(boxes, dtype=np.float64))


def _texture(
    rng: np.random.Generator, size: tuple[int, int], grain: float, levels: tuple[int, int]
) -> FloatArray:
    noise = ndimage.gaussian_filter(rng.normal(size=(*size, 3)), (grain, grain, 0), mode="wrap")
    low, high = noise.min(), noise.max()
    return levels[0] + (levels[1] - levels[0]) * (noise - low) / (high - low)
