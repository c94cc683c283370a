"""Frames of a folder, or of a video file if a video reader is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import ByteArray
from segboost.datasets.base import DatasetError
from segboost.datasets.tracks.otb import read_frame
from segboost.io.image_files import list_images


def read_frames(path: Path) -> Iterator[ByteArray]:
    """Yield the frames of a folder of images (by name) or of a video file, as uint8.

    Raises
    ------
    DatasetError
        If there are no frames, or if a video needs a package that is not installed.
    """
    if path.is_dir():
        files, _ = list_images(path)
        if not files:
            raise DatasetError(f"the folder {path} has no images: give a folder of frames")
        return (read_frame(file) for file in files)
    if not path.is_file():
        raise DatasetError(f"{path} is neither a folder of frames nor a video file")
    return _read_video(path)


def _read_video(path: Path) -> Iterator[ByteArray]:
    try:
        import cv2
    except ImportError:
        return _read_with_imageio(path)
    return _read_with_opencv(path, cv2)


def _read_with_opencv(path: Path, cv2: Any) -> Iterator[ByteArray]:
    capture = cv2.VideoCapture(str(path))
    try:
        count = 0
        while True:
            more, frame = capture.read()
            if not more:
                break
            count += 1
            yield np.ascontiguousarray(frame[:, :, ::-1])
        if count == 0:
            raise DatasetError(f"{path} cannot be read as a video: give a folder of frames")
    finally:
        capture.release()


def _read_with_imageio(path: Path) -> Iterator[ByteArray]:
    try:
        import imageio.v3 as iio

        frames = iio.imiter(path)
        for frame in frames:
            yield np.ascontiguousarray(frame[..., :3], dtype=np.uint8)
    except ImportError:
        raise DatasetError(
            f"reading the video {path} needs OpenCV or imageio with a video plugin: "
            "pip install 'segboost[track]', or give a folder of frames"
        ) from None
    except (OSError, ValueError) as error:
        # imageio adds lines of advice about its plugins.
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DatasetError(f"{path} cannot be read as a video: {reason}") from None
