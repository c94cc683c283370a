"""Tracking sequences in the layout of the Object Tracking Benchmark (OTB)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segboost._types import ByteArray, FloatArray
from segboost.datasets.base import DatasetError
from segboost.io.image_files import list_images
from segboost.io.opening import open_image
from segboost.io.pixels import rgb_bytes

TRUTH = "groundtruth_rect.txt"
FRAMES = "img"
# Sequences distributed with more frames than boxes: the number of the first frame with a box.
_FIRST_IN_USE = {"David": 300, "BlurCar1": 247, "BlurCar3": 3, "BlurCar4": 18}


@dataclass(frozen=True, eq=False)
class TrackingSequence:
    """Frames of a video with a box for each.

    Parameters
    ----------
    name : str
    files : tuple of Path
        The frames in order.
    boxes : ndarray of float64, shape (n, 4)
        x, y, w, h; 0-based; NaN if the target's position is unknown.
    """

    name: str
    files: tuple[Path, ...]
    boxes: FloatArray

    def __len__(self) -> int:
        return len(self.files)

    def frames(self) -> Iterator[ByteArray]:
        """Read frame by frame: (H, W) if the file is grey, else (H, W, 3)."""
        for path in self.files:
            yield read_frame(path)


def read_frame(path: Path) -> ByteArray:
    """Read an image file as uint8, shape (H, W) if it is 8-bit grey, else (H, W, 3)."""
    with open_image(path) as image:
        return np.array(image) if image.mode == "L" else rgb_bytes(image)


def sequence_folder(root: Path) -> Path:
    """Return the folder of the sequences: the sub-folder ``tracking`` if it exists, else `root`."""
    return root / "tracking" if (root / "tracking").is_dir() else root


def list_sequences(root: Path) -> list[str]:
    """Return the names of the sequences of a folder."""
    folder = sequence_folder(root)
    return sorted(p.parent.name for p in folder.glob(f"*/{TRUTH}") if (p.parent / FRAMES).is_dir())


def load_sequence(root: Path, name: str) -> TrackingSequence:
    """Load a sequence: ``NAME/img/*.jpg`` and ``NAME/groundtruth_rect.txt``.

    Raises
    ------
    DatasetError
        If files are missing, or the numbers of frames and boxes differ.
    """
    folder = sequence_folder(root) / name
    truth = folder / TRUTH
    if not truth.is_file() or not (folder / FRAMES).is_dir():
        known = ", ".join(list_sequences(root)) or "none"
        raise DatasetError(
            f"there is no sequence {name!r} in {sequence_folder(root)}: it has {known}"
        )
    boxes = read_boxes(truth)
    files, _ = list_images(folder / FRAMES)
    if len(files) > len(boxes) and name in _FIRST_IN_USE:
        files = files[_FIRST_IN_USE[name] - 1 :]
    if len(files) != len(boxes):
        raise DatasetError(
            f"{folder} has {len(files)} frames and {len(boxes)} boxes: unpack it again"
        )
    return TrackingSequence(name, tuple(files), boxes)


def read_boxes(path: Path) -> FloatArray:
    """Read boxes x, y, w, h, 1-based, one per row, separated by commas, tabs or spaces.

    Returns
    -------
    ndarray of float64, shape (n, 4)
        0-based. Rows of NaN, or of no width or height, become NaN.

    Raises
    ------
    DatasetError
        If a row is not four numbers; the message names the row.
    """
    rows: list[list[float]] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        parts = [p for p in re.split(r"[,\s]+", line.strip()) if p]
        if not parts:
            continue
        try:
            values = [float(p) for p in parts]
        except ValueError:
            values = []
        if len(values) != 4:
            raise DatasetError(f"{path}, line {number}: expected four numbers x, y, w, h")
        rows.append(values)
    if not rows:
        raise DatasetError(f"{path} has no boxes: expected x, y, w, h per frame")
    boxes = np.array(rows)
    boxes[:, :2] -= 1.0
    known = np.isfinite(boxes).all(axis=1) & (boxes[:, 2:] > 0).all(axis=1)
    boxes[~known] = np.nan
    return boxes
