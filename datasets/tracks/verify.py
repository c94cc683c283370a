"""Check every frame of a tracking sequence and report what is missing or odd."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from segboost.datasets.base import DatasetError
from segboost.datasets.findings import CHECKING, Finding, Verification
from segboost.datasets.tracks.otb import load_sequence, read_frame
from segboost.io.errors import ImageFileError
from segboost.progress import Progress, Report


def verify_sequence(root: Path, name: str, progress: Progress | None = None) -> Verification:
    """Open every frame: all must have the same size, and every box must overlap its frame."""
    label = f"otb/{name}"
    try:
        sequence = load_sequence(root, name)
    except DatasetError as error:
        missing = (Finding(name, "missing", str(error)),)
        return Verification(label, 0, 0, missing, counts="no sequence")
    findings: list[Finding] = []
    size: tuple[int, int] | None = None
    for number, path in enumerate(sequence.files):
        try:
            height, width = read_frame(path).shape[:2]
        except ImageFileError as error:
            findings.append(Finding(f"{name}/{path.name}", "missing", str(error)))
        else:
            size = size or (width, height)
            if (width, height) != size:
                text = f"{width}×{height} pixels, the first frame has {size[0]}×{size[1]}"
                findings.append(Finding(f"{name}/{path.name}", "missing", text))
            findings += _check_box(f"{name}/{path.name}", sequence.boxes[number], width, height)
        if progress is not None:
            progress(Report(CHECKING, number + 1, len(sequence)))
    shown = "" if size is None else f" of {size[0]}×{size[1]} pixels"
    counts = f"{len(sequence)} frames{shown}"
    return Verification(label, len(sequence), 0, tuple(findings), counts=counts)


def _check_box(frame: str, box: np.ndarray, width: int, height: int) -> list[Finding]:
    x, y, w, h = box.tolist()
    if not np.isfinite(box).all():
        return [Finding(frame, "odd", "the target's position is unknown")]
    if x >= width or y >= height or x + w <= 0 or y + h <= 0:
        return [Finding(frame, "odd", f"the box {x:g},{y:g},{w:g},{h:g} is outside the frame")]
    return []
