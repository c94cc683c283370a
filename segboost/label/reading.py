"""The pixels of an image file as models see them, on the labelling page and in `segment`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from segboost._types import ByteArray
from segboost.datasets.base import FileSource
from segboost.features.presets import find_preset
from segboost.io.errors import ImageFileError
from segboost.io.image_files import read_image
from segboost.io.opening import MAX_PIXELS, check_size
from segboost.io.opening import read_size as upright_size
from segboost.io.scientific.sources import is_photograph, open_source, read_info
from segboost.pipelines.batch.scientific.intensity_scale import choose_scale
from segboost.pipelines.batch.scientific.options import ScientificOptions

SCALED = "scaled by percentiles of the image"
"""The rule in the key of images with more than 8 bits; see `FileSource`."""


def read_size(path: Path) -> tuple[int, int]:
    """Return the width and height of what `read_pixels` returns, from the header alone.

    Raises
    ------
    ImageFileError
        If the file is not an image, is too large, is a stack (the page would show only its first
        page), or has neither one nor three channels.
    """
    if is_photograph(path, MAX_PIXELS):
        return upright_size(path)
    info = read_info(path)
    if info.pages > 1:
        raise ImageFileError(f"{path}: it has {info.pages} pages: save each of them as an image")
    if info.channels not in (1, 3):
        raise ImageFileError(
            f"{path}: it has {info.channels} channels: save one or three of them as an image"
        )
    check_size(info.width, info.height, MAX_PIXELS)
    return info.width, info.height


def read_pixels(path: Path) -> ByteArray:
    """Return an image in the form that a model trained on photographs expects, shape (H, W, 3).

    Values of more than 8 bits are scaled by percentiles of the image itself, as
    `segboost segment` does with a model that was trained on the page.

    Raises
    ------
    ImageFileError
        If the file cannot be read; see `read_size`.
    """
    if is_photograph(path, MAX_PIXELS):
        return read_image(path)
    width, height = read_size(path)
    with open_source(path) as source:
        scale, _ = choose_scale(source, find_preset("default"), ScientificOptions())
        return scale(source.read(0, slice(0, height), slice(0, width)))


@dataclass(frozen=True)
class PixelReader:
    """Reads the image of a `FileSource`."""

    def __call__(self, paths: tuple[Path, ...]) -> ByteArray:
        """Return the pixels of the file."""
        return read_pixels(paths[0])


def pixel_source(path: Path) -> FileSource:
    """Return an image file as the source of its pixels."""
    return FileSource((path,), PixelReader(), "" if _is_read_as_it_is(path) else SCALED)


def _is_read_as_it_is(path: Path) -> bool:
    try:
        return is_photograph(path, MAX_PIXELS)
    except (ImageFileError, OSError):
        return True  # the error is raised when the file is read
