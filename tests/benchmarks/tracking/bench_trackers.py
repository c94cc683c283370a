"""Trackers on the same synthetic frames: speed, and overlap with the truth."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from segboost import StructBoostTracker
from segboost.datasets.synthetic.track import SyntheticTrack, draw_track
from segboost.tracking.opencv import OpenCVTracker
from tests.benchmarks.figures import Figure, at_least, cpu_seconds

TITLE = "Trackers on 60 synthetic frames of 320×240, target 40×50, hidden for four frames"


def overlap(one: Any, other: Any) -> float:
    (x, y, w, h), (a, b, c, d) = one, other
    width = max(0.0, min(x + w, a + c) - max(x, a))
    height = max(0.0, min(y + h, b + d) - max(y, b))
    return width * height / (w * h + c * d - width * height)


def follow(tracker: Any, track: SyntheticTrack) -> tuple[float, float]:
    """Return frames per CPU second and the mean overlap after the first frame."""
    tracker.init(track.frames[0], track.boxes[0])
    seconds, boxes = cpu_seconds(lambda: [tracker.update(frame)[0] for frame in track.frames[1:]])
    tracker.close()
    found = [overlap(box, true) for box, true in zip(boxes, track.boxes[1:], strict=True)]
    return len(boxes) / seconds, float(np.mean(found))


def run() -> list[Figure]:
    cv2.setNumThreads(1)
    track = draw_track(60, size=(240, 320), target=(50, 40), hidden=(30, 33))
    short = SyntheticTrack(track.frames[:6], track.boxes[:6])
    follow(StructBoostTracker(random_state=0), short)  # compiles
    speed, overlap_ours = follow(StructBoostTracker(random_state=0), track)
    mil_speed, overlap_mil = follow(OpenCVTracker("mil"), track)
    return [
        Figure("StructBoostTracker", speed, "frames/s"),
        Figure("OpenCV MIL", mil_speed, "frames/s"),
        Figure("speed, ours / MIL", speed / mil_speed, "times"),
        at_least("mean overlap, ours", overlap_ours, 0.8, ""),
        Figure("mean overlap, MIL", overlap_mil, ""),
    ]
