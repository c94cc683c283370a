"""Tracking: frames per second with and without training, and memory over many frames."""

from __future__ import annotations

import resource
import time

import numpy as np

from segboost import StructBoostTracker
from segboost.datasets.synthetic.track import SyntheticTrack, draw_track
from segboost.tracking.settings import TrackerSettings
from tests.benchmarks.figures import Figure, at_least, at_most, cpu_seconds

TITLE = "StructBoost tracker on synthetic frames of 320×240, target 40×50"
FRAMES = 150
MANY = 10_000


def video() -> SyntheticTrack:
    return draw_track(FRAMES, size=(240, 320), target=(50, 40))


def frames_per_second(track: SyntheticTrack, every: int | None) -> float:
    """Return frames per CPU second once the window is full."""
    tracker = StructBoostTracker(settings=TrackerSettings(every=every))
    tracker.init(track.frames[0], track.boxes[0])
    for frame in track.frames[1:70]:
        tracker.update(frame)
    rest = track.frames[70:]
    seconds, _ = cpu_seconds(lambda: [tracker.update(frame) for frame in rest])
    tracker.close()
    return len(rest) / seconds


def wall_frames_per_second(track: SyntheticTrack) -> float:
    """Return frames per second of wall time with training in a separate thread."""
    tracker = StructBoostTracker(settings=TrackerSettings(background=True, delay=2))
    tracker.init(track.frames[0], track.boxes[0])
    for frame in track.frames[1:70]:
        tracker.update(frame)
    begun = time.perf_counter()
    for frame in track.frames[70:]:
        tracker.update(frame)
    seconds = time.perf_counter() - begun
    tracker.close()
    return len(track.frames[70:]) / seconds


def growth_over_many() -> float:
    """Return the growth of peak memory between the 1,000th and the last frame, in MB."""
    track = draw_track(60, size=(96, 128), target=(24, 20))
    tracker = StructBoostTracker(settings=TrackerSettings(window=10, every=4))
    tracker.init(track.frames[0], track.boxes[0])
    early = 0
    for number in range(MANY):
        tracker.update(track.frames[number % 60])
        if number == 1000:
            early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - early) / 1024


def run() -> list[Figure]:
    track = video()
    tracker = StructBoostTracker()
    tracker.init(track.frames[0], track.boxes[0])
    for frame in track.frames[1:6]:  # compiles the kernels
        tracker.update(frame)
    learning = [frames_per_second(track, 2) for _ in range(2)]
    frozen = [frames_per_second(track, None) for _ in range(2)]
    return [
        at_least("with training, one core", float(np.max(learning)), 15, "frames/s"),
        Figure("with training in a thread, wall time", wall_frames_per_second(track), "frames/s"),
        at_least("without updates, one core", float(np.max(frozen)), 60, "frames/s"),
        at_most(f"memory from frame 1,000 to {MANY:,}", growth_over_many(), 16, "MB"),
    ]
