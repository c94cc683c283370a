"""OpenCV's MIL and Boosting (online AdaBoost) trackers behind the same interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from segboost._types import AnyArray
from segboost.tracking.base import Box, Frame, FrameGate, as_box, as_frame


class OpenCVMissingError(ImportError):
    """OpenCV, or the part of it that has this tracker, is not installed."""


class OpenCVTracker:
    """Adapter for a tracker of OpenCV.

    Parameters
    ----------
    kind : "mil" or "boosting"
        ``boosting`` is only in the legacy module of opencv-contrib.

    Raises
    ------
    OpenCVMissingError
        If OpenCV, or the module with this tracker, is not installed.
    """

    def __init__(self, kind: Literal["mil", "boosting"]) -> None:
        self._create = _find(kind)
        self._tracker: Any = None

    def init(self, frame: AnyArray, box: Sequence[float]) -> None:
        """Start with the target in this box, forgetting any earlier target."""
        first = as_frame(frame)
        x, y, w, h = self._box = as_box(box, first)
        self._gate = FrameGate(first)
        self._tracker = self._create()
        whole = (round(x), round(y), max(round(w), 1), max(round(h), 1))
        self._tracker.init(_bgr(self._gate.admit(frame)), whole)

    def add_example(self, frame: AnyArray, box: Sequence[float]) -> None:
        """Restart from this box: OpenCV's trackers learn from a single box."""
        self.init(frame, box)

    def update(self, frame: AnyArray) -> tuple[Box, float]:
        """Return the box, and 1 or 0: OpenCV only says whether it found the target."""
        if self._tracker is None:
            raise ValueError("the tracker has no target; call init(frame, box) first")
        found, box = self._tracker.update(_bgr(self._gate.admit(frame)))
        if found:
            x, y, w, h = (float(v) for v in box)
            self._box = (x, y, w, h)
        return self._box, float(found)

    def close(self) -> None:
        """Forget the target."""
        self._tracker = None


def _bgr(frame: Frame) -> Frame:
    three = np.repeat(frame, 3, axis=2) if frame.shape[2] == 1 else frame[:, :, ::-1]
    return np.ascontiguousarray(three)


def _find(kind: str) -> Any:
    try:
        import cv2
    except ImportError:
        raise OpenCVMissingError(
            f"the tracker {kind} needs OpenCV: pip install 'segboost[track]'"
        ) from None
    places: dict[str, tuple[Any, str]] = {
        "mil": (cv2, "TrackerMIL_create"),
        "boosting": (getattr(cv2, "legacy", None), "TrackerBoosting_create"),
    }
    if kind not in places:
        raise ValueError(f"kind must be 'mil' or 'boosting', got {kind!r}")
    module, name = places[kind]
    create = getattr(module, name, None)
    if create is None:
        raise OpenCVMissingError(
            f"this OpenCV ({cv2.__version__}) has no {name}: "
            "pip install 'opencv-contrib-python-headless'"
        )
    return create
