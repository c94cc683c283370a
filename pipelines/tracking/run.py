"""Run a tracker over frames: boxes, confidences and the time taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from segboost._types import ByteArray, FloatArray
from segboost.tracking.base import Tracker


@dataclass(frozen=True, eq=False)
class Track:
    """The tracked boxes of a video.

    Parameters
    ----------
    boxes : ndarray of float64, shape (n, 4)
        x, y, w, h, including the boxes given at the beginning.
    confidence : ndarray of float64, shape (n,)
        Confidence of each box; 1 for given boxes.
    seconds : float
        Wall time in the tracker, excluding the reading of frames.
    cpu : float
        Processor time in the tracker, over all threads.
    """

    boxes: FloatArray
    confidence: FloatArray
    seconds: float
    cpu: float

    @property
    def frames_per_second(self) -> float:
        """Frames per second of wall time."""
        return len(self.boxes) / max(self.seconds, 1e-9)


def follow(
    tracker: Tracker,
    frames: Iterable[ByteArray],
    given: Sequence[Sequence[float]],
    on_frame: Callable[[int, ByteArray, FloatArray, float], None] | None = None,
) -> Track:
    """Track through frames; the boxes of the first frames are given.

    Parameters
    ----------
    tracker : Tracker
    frames : iterable of uint8 arrays
    given : sequence of boxes
        At least one.
    on_frame : callable, optional
        Called with number, frame, box and confidence after every frame.
    """
    boxes: list[FloatArray] = []
    confidence: list[float] = []
    wall = cpu = 0.0
    for number, frame in enumerate(frames):
        begun, begun_cpu = time.perf_counter(), time.process_time()
        if number < len(given):
            start = tracker.init if number == 0 else tracker.add_example
            start(frame, given[number])
            box, sure = np.array(given[number], dtype=np.float64), 1.0
        else:
            found, sure = tracker.update(frame)
            box = np.array(found, dtype=np.float64)
        wall += time.perf_counter() - begun
        cpu += time.process_time() - begun_cpu
        boxes.append(box)
        confidence.append(sure)
        if on_frame is not None:
            on_frame(number, frame, box, sure)
    if len(boxes) < len(given):
        raise ValueError(f"{len(given)} boxes were given for {len(boxes)} frames")
    return Track(np.array(boxes), np.array(confidence), wall, cpu)
