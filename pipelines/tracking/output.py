"""Output files of a track: a table, frames with boxes, a video, a plot."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from segboost._types import ByteArray, FloatArray
from segboost.pipelines.tracking.metrics import TrackScores
from segboost.pipelines.tracking.run import Track
from segboost.storage.whole_file import PendingFile, write_whole

FOUND, DOUBTFUL, TRUTH = (255, 210, 0), (230, 60, 40), (60, 200, 90)


def write_boxes(path: Path, track: Track, scores: TrackScores | None = None) -> Path:
    """Write a CSV: frame (from 0), x, y, w, h, confidence; with the truth also the scores."""
    head = "frame,x,y,w,h,confidence" + ("" if scores is None else ",overlap,centre_error")
    lines = [head]
    for number, (box, sure) in enumerate(zip(track.boxes, track.confidence, strict=True)):
        values = [*box.tolist(), float(sure)]
        if scores is not None:
            values += [float(scores.overlap[number]), float(scores.centre_error[number])]
        cells = ["" if not np.isfinite(v) else f"{v:.4f}" for v in values]
        lines.append(",".join([str(number), *cells]))
    return write_whole(path, ("\n".join(lines) + "\n").encode())


def draw_box(
    frame: ByteArray,
    box: FloatArray,
    trusted: bool,
    truth: FloatArray | None = None,
) -> ByteArray:
    """Return the frame in colour with the box in yellow, or red if not trusted; truth in green."""
    image = Image.fromarray(frame).convert("RGB")
    pen = ImageDraw.Draw(image)
    if truth is not None and np.isfinite(truth).all():
        pen.rectangle(_corners(truth), outline=TRUTH)
    pen.rectangle(_corners(box), outline=FOUND if trusted else DOUBTFUL, width=2)
    return np.asarray(image)


class OverlayFrames:
    """Writes every frame with its box into a folder: ``00000.jpg``, ``00001.jpg``, …"""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, number: int, picture: ByteArray) -> None:
        """Write one picture."""
        buffer = io.BytesIO()
        Image.fromarray(picture).save(buffer, "JPEG", quality=90)
        write_whole(self._folder / f"{number:05d}.jpg", buffer.getvalue())

    def close(self) -> None:
        """Do nothing: every frame is already written."""

    def discard(self) -> None:
        """Keep the frames written so far, which are complete."""


class OverlayVideo:
    """Writes all frames with their boxes into one video file; needs OpenCV.

    Raises
    ------
    ValueError
        If OpenCV is not installed, or cannot write this kind of file.
    """

    def __init__(self, path: Path, frames_per_second: float = 25.0) -> None:
        try:
            import cv2
        except ImportError:
            raise ValueError(
                "writing a video needs OpenCV: pip install 'segboost[track]', "
                "or use --overlay frames"
            ) from None
        self._cv2: Any = cv2
        self._path = path
        # OpenCV chooses the format by the suffix.
        self._pending = PendingFile(path, path.suffix)
        self._rate = frames_per_second
        self._writer: Any = None

    def add(self, number: int, picture: ByteArray) -> None:
        """Append one picture."""
        if self._writer is None:
            height, width = picture.shape[:2]
            code = self._cv2.VideoWriter_fourcc(*"mp4v")
            self._writer = self._cv2.VideoWriter(
                str(self._pending.temporary), code, self._rate, (width, height)
            )
            if not self._writer.isOpened():
                raise ValueError(f"OpenCV cannot write {self._path}: use --overlay frames")
        self._writer.write(np.ascontiguousarray(picture[:, :, ::-1]))

    def close(self) -> None:
        """Finish the file and move it to its final name."""
        if self._writer is not None:
            self._writer.release()
            self._pending.commit()

    def discard(self) -> None:
        """Remove an unfinished file; one that `close` has finished stays."""
        self._pending.discard()


def plot_track(path: Path, scores: TrackScores, confidence: FloatArray, title: str) -> Path:
    """Write a PNG: overlap and confidence, and centre error, frame by frame."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    FigureCanvasAgg(figure)
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.plot(scores.overlap, color="#1f5fa8", label=f"overlap, mean {scores.mean_overlap:.3f}")
    upper.plot(confidence, color="#bbbbbb", linewidth=0.8, label="confidence", zorder=0)
    upper.set_ylim(0, 1.02)
    upper.set_title(title)
    upper.legend(loc="lower left")
    lower.plot(
        scores.centre_error, color="#a8431f", label=f"mean {scores.mean_centre_error:.1f} px"
    )
    lower.set_ylabel("centre error, px")
    lower.set_xlabel("frame")
    lower.legend(loc="upper left")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return write_whole(path, buffer.getvalue())


def overlay_writer(
    overlay: OverlayFrames | OverlayVideo, trust: float, truth: FloatArray | None
) -> Callable[[int, ByteArray, FloatArray, float], None]:
    """Return the callback that `follow` calls after every frame."""

    def write(number: int, frame: ByteArray, box: FloatArray, sure: float) -> None:
        known = None if truth is None or number >= len(truth) else truth[number]
        overlay.add(number, draw_box(frame, box, sure >= trust, known))

    return write


def _corners(box: FloatArray) -> tuple[float, float, float, float]:
    x, y, w, h = box.tolist()
    return x, y, max(x + w - 1, x), max(y + h - 1, y)
