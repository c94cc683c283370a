"""Image files as sources of labelled images."""

from __future__ import annotations

from pathlib import Path

from segboost._types import ByteArray
from segboost.datasets.base import FileSource
from segboost.io.image_files import read_image


def image_source(path: Path) -> FileSource:
    """Return the source of an image file."""
    return FileSource((path,), _read_first)


def _read_first(paths: tuple[Path, ...]) -> ByteArray:
    return read_image(paths[0])
