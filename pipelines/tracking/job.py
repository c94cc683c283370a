"""Tracking jobs: read the frames and boxes of a video, run one tracker, write the results."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segboost._types import ByteArray, FloatArray
from segboost.datasets.tracks.otb import load_sequence, read_boxes
from segboost.datasets.tracks.video import read_frames
from segboost.io.image_files import list_images
from segboost.pipelines.runtime.folder_lock import FolderLock
from segboost.pipelines.tracking.methods import make_tracker
from segboost.pipelines.tracking.metrics import TrackScores, score_track
from segboost.pipelines.tracking.output import (
    OverlayFrames,
    OverlayVideo,
    overlay_writer,
    plot_track,
    write_boxes,
)
from segboost.pipelines.tracking.run import Track, follow
from segboost.progress import Progress, track
from segboost.storage.output_record import Outputs, check_outputs, recorded_outputs
from segboost.storage.whole_file import write_whole
from segboost.tracking.settings import TrackerSettings

Box = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class TrackJob:
    """A video with the target's first box.

    `truth` has the shape (n, 4), NaN where unknown, and may be None; `n_frames` is None if it is
    not known without reading all frames. `inputs` are the files that are read.
    """

    name: str
    frames: Iterable[ByteArray]
    box: Box
    truth: FloatArray | None
    n_frames: int | None
    inputs: tuple[Path, ...] = ()


@dataclass(frozen=True, eq=False)
class TrackResult:
    """A track with its scores and the files that were written."""

    name: str
    method: str
    found: Track
    scores: TrackScores | None
    trust: float
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as written to ``summary.json``."""
        scores = {} if self.scores is None else self.scores.to_dict()
        return {
            "sequence": self.name,
            "method": self.method,
            "frames": len(self.found.boxes),
            "frames_per_second": round(self.found.frames_per_second, 2),
            "doubtful_frames": self.n_doubtful,
            **scores,
            "files": [str(f) for f in self.files],
        }

    @property
    def n_doubtful(self) -> int:
        """The number of frames whose confidence is too low to be trusted."""
        return int((self.found.confidence < self.trust).sum())

    def to_text(self) -> str:
        """Return a human-readable summary of a few lines."""
        lines = [
            f"{self.name}: {len(self.found.boxes)} frames by {self.method}, "
            f"{self.found.frames_per_second:.1f} per second; {self.n_doubtful} with low confidence"
        ]
        if self.scores is not None:
            s = self.scores
            lines.append(
                f"mean overlap {s.mean_overlap:.3f}, centre error {s.mean_centre_error:.1f} px, "
                f"success area {s.success_area:.3f}, precision at 20 px {s.precision:.3f}"
            )
        return "\n".join([*lines, *(f"wrote {f}" for f in self.files)])


def job_of_frames(frames: Path, box: Box, truth: Path | None) -> TrackJob:
    """Return the job for a folder of frames or a video file."""
    files = list_images(frames)[0] if frames.is_dir() else [frames]
    n_frames = len(files) if frames.is_dir() else None
    known = None if truth is None else read_boxes(truth)
    if known is not None and n_frames is not None and len(known) != n_frames:
        raise ValueError(f"{truth} has {len(known)} boxes for {n_frames} frames")
    inputs = (*files, *([] if truth is None else [truth]))
    return TrackJob(frames.stem, read_frames(frames), box, known, n_frames, inputs)


def job_of_sequence(root: Path, name: str, box: Box | None, truth: Path | None) -> TrackJob:
    """Return the job for a sequence in OTB's layout, from its first box or the one given."""
    sequence = load_sequence(root, name)
    known = sequence.boxes if truth is None else read_boxes(truth)
    if len(known) != len(sequence):
        raise ValueError(f"{truth} has {len(known)} boxes for {len(sequence)} frames")
    x, y, w, h = (float(v) for v in sequence.boxes[0]) if box is None else box
    inputs = (*sequence.files, *([] if truth is None else [truth]))
    return TrackJob(name, sequence.frames(), (x, y, w, h), known, len(sequence), inputs)


def run_job(
    job: TrackJob,
    method: str,
    seed: int,
    output: Path,
    overlay: str,
    progress: Progress,
    overwrite: bool = False,
) -> TrackResult:
    """Track and score; write boxes.csv, summary.json, the overlay and, with truth, plot.png.

    Raises
    ------
    ForeignFileError
        Before any work, if an input would be replaced, or, unless `overwrite`, a file that
        segboost did not write.
    """
    plot = ("plot.png",) if job.truth is not None else ()
    video = ("overlay.mp4",) if overlay == "video" else ()
    outputs = Outputs(
        ("boxes.csv", "summary.json", *plot, *video), ("overlay",) if overlay == "frames" else ()
    )
    check_outputs(output, outputs, job.inputs, overwrite)
    with FolderLock(output), recorded_outputs(output, outputs, job.inputs, overwrite):
        return _track(job, method, seed, output, overlay, progress)


def _track(
    job: TrackJob, method: str, seed: int, output: Path, overlay: str, progress: Progress
) -> TrackResult:
    tracker = make_tracker(method, seed)
    settings = getattr(tracker, "settings", TrackerSettings())
    files: list[Path] = []
    drawn: OverlayFrames | OverlayVideo | None = None
    if overlay == "frames":
        drawn = OverlayFrames(output / "overlay")
        files.append(output / "overlay")
    elif overlay == "video":
        drawn = OverlayVideo(output / "overlay.mp4")
        files.append(output / "overlay.mp4")
    frames = track(iter(job.frames), progress, "tracking", job.n_frames)
    on_frame = None if drawn is None else overlay_writer(drawn, settings.trust, job.truth)
    try:
        found = follow(tracker, frames, [job.box], on_frame)
        if drawn is not None:
            drawn.close()
    finally:
        tracker.close()
        if drawn is not None:
            drawn.discard()
    scores = None
    if job.truth is not None:
        scores = score_track(found.boxes, job.truth)
        title = f"{job.name}, {method}"
        files.append(plot_track(output / "plot.png", scores, found.confidence, title))
    files.append(write_boxes(output / "boxes.csv", found, scores))
    result = TrackResult(job.name, method, found, scores, settings.trust, tuple(files))
    text = json.dumps(result.to_dict(), allow_nan=False, indent=1)
    write_whole(output / "summary.json", text.encode())
    return result
