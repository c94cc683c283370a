"""The tracker interface and the shared checks of frames and boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from segboost._types import AnyArray, ByteArray

Frame = ByteArray
Box = tuple[float, float, float, float]
"""x, y, w, h; 0-based, pixel (0, 0) covers [0, 1) × [0, 1)."""


class Tracker(Protocol):
    """A tracker with an interface like OpenCV's."""

    def init(self, frame: AnyArray, box: Sequence[float]) -> None:
        """Start with the target in this box, forgetting any earlier target."""
        ...

    def add_example(self, frame: AnyArray, box: Sequence[float]) -> None:
        """Learn from another frame with a known box, before or between calls of `update`."""
        ...

    def update(self, frame: AnyArray) -> tuple[Box, float]:
        """Return the target's box in the next frame, and a confidence from 0 to 1."""
        ...

    def close(self) -> None:
        """Release threads and memory; `init` can be called again."""
        ...


def as_frame(frame: Any) -> Frame:
    """Return a frame as uint8, shape (H, W, 1) or (H, W, 3), contiguous.

    Raises
    ------
    ValueError
        If it is not such an array.
    """
    array = np.asarray(frame)
    if array.dtype != np.uint8:
        raise ValueError(f"frame must be an array of uint8, got {array.dtype}")
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in (1, 3) or 0 in array.shape:
        raise ValueError(f"frame must have shape (H, W) or (H, W, 3), got {np.shape(frame)}")
    return np.ascontiguousarray(array)


def as_box(box: Any, frame: Frame) -> Box:
    """Return a box as four floats.

    Raises
    ------
    ValueError
        Unless it is x, y, w, h, all finite, with w and h above 0 and part of it inside the frame.
    """
    values = np.asarray(box, dtype=np.float64)
    if values.shape != (4,) or not np.isfinite(values).all():
        raise ValueError(f"box must be four finite numbers x, y, w, h, got {box!r}")
    x, y, w, h = values.tolist()
    if w <= 0 or h <= 0:
        raise ValueError(f"box must have a width and a height above 0, got {w:g} × {h:g}")
    height, width = frame.shape[:2]
    if x >= width or y >= height or x + w <= 0 or y + h <= 0:
        raise ValueError(f"box {x:g},{y:g},{w:g},{h:g} lies outside the frame of {width}×{height}")
    return x, y, w, h


def is_colour(frame: Frame) -> bool:
    """Whether any pixel of a frame is not grey."""
    if frame.shape[2] == 1:
        return False
    red, green, blue = frame[..., 0], frame[..., 1], frame[..., 2]
    return bool((red != green).any() or (green != blue).any())


class FrameGate:
    """Checks that frames have the size of the first one and converts them to its channels.

    Parameters
    ----------
    first : ndarray of uint8, shape (H, W, 1) or (H, W, 3)
    """

    def __init__(self, first: Frame) -> None:
        self.height, self.width = first.shape[:2]
        self.colour = is_colour(first)

    def admit(self, frame: Any) -> Frame:
        """Return the frame with 3 channels or 1; ValueError if its size has changed."""
        array = as_frame(frame)
        if array.shape[:2] != (self.height, self.width):
            raise ValueError(
                f"frame has {array.shape[1]}×{array.shape[0]} pixels, the first one had "
                f"{self.width}×{self.height}; call init again when the size changes"
            )
        if self.colour and array.shape[2] == 1:
            return np.repeat(array, 3, axis=2)
        if not self.colour and array.shape[2] == 3:
            return grey_of(array)
        return array


def grey_of(frame: Frame) -> Frame:
    """Return the grey levels of a colour frame, shape (H, W, 1)."""
    share = np.array([0.299, 0.587, 0.114])
    return np.rint(frame @ share).astype(np.uint8)[:, :, None]
