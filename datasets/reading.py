"""Image files of any kind become uint8 RGB, or one clear error."""

from __future__ import annotations

import io
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps, UnidentifiedImageError

from segboost._types import ByteArray
from segboost.datasets.base import FileSource

IMAGE_ENDINGS = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".pgm", ".tif", ".tiff", ".webp")
"""What the name of an image file may end in; case does not matter."""

MAX_PIXELS = 89_478_485
"""Larger files are refused before they are decoded: they may be decompression bombs."""


class ImageFileError(ValueError):
    """An image or mask file that cannot be used; the message is one line that names it."""


def read_image(path: str | PathLike[str], max_pixels: int = MAX_PIXELS) -> ByteArray:
    """Read an image file as uint8 RGB, shape (H, W, 3).

    The orientation in the file's EXIF data is applied; 16-bit values are scaled to 8 bits (one
    factor for all files: 65535 becomes 255); palettes are looked up; grey values are repeated;
    CMYK is converted; an alpha channel is dropped. Of several frames the first is taken.

    Raises
    ------
    ImageFileError
        If the file is missing, broken, cut short, too large, or of a kind that has no RGB form.
    """
    with open_image(path, max_pixels) as image:
        return _to_rgb(image)


def decode_image(data: bytes, max_pixels: int = MAX_PIXELS) -> ByteArray:
    """Return the image of a file's bytes as `read_image` would; errors name no file."""
    try:
        with _opened(io.BytesIO(data), max_pixels) as image:
            return _to_rgb(image)
    except Exception as error:
        raise ImageFileError("the file is empty" if not data else _explain(error)) from None


def image_source(path: Path) -> FileSource:
    """Return the source of an image file."""
    return FileSource((path,), _read_first)


def _read_first(paths: tuple[Path, ...]) -> ByteArray:
    return read_image(paths[0])


@contextmanager
def open_image(path: str | PathLike[str], max_pixels: int = MAX_PIXELS) -> Iterator[Image.Image]:
    """Open, check, decode and turn upright an image file.

    Decoders raise almost anything on a broken file, so that every error inside the ``with``
    block becomes an `ImageFileError` that names the file.
    """
    try:
        _check_kind(Path(path))
        with _opened(path, max_pixels) as image:
            yield image
    except Exception as error:
        empty = isinstance(error, UnidentifiedImageError) and _is_empty(Path(path))
        reason = "the file is empty" if empty else _explain(error)
        raise ImageFileError(f"{path}: {reason}") from None


@contextmanager
def _opened(source: Any, max_pixels: int) -> Iterator[Image.Image]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        with Image.open(source) as image:
            _check_size(image, max_pixels)
            yield ImageOps.exif_transpose(image)


def _check_kind(path: Path) -> None:
    """Refuse pipes and devices, which would be waited for without end."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise ImageFileError("it is no file but a pipe or device")


def _is_empty(path: Path) -> bool:
    return path.is_file() and path.stat().st_size == 0


def list_images(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the image files of a folder and its other files, sorted by name; hidden ones not.

    Links that lead nowhere are among them, so that whoever reads them says so.
    """
    files = sorted(p for p in folder.iterdir() if not p.is_dir() and not p.name.startswith("."))
    images = [p for p in files if p.suffix.lower() in IMAGE_ENDINGS]
    return images, [p for p in files if p.suffix.lower() not in IMAGE_ENDINGS]


def _check_size(image: Image.Image, max_pixels: int) -> None:
    width, height = image.size
    if width * height > max_pixels:
        raise ImageFileError(
            f"{width}×{height} pixels are more than the limit of {max_pixels}: scale it down"
        )


def _to_rgb(image: Image.Image) -> ByteArray:
    """Return the pixels as uint8 RGB, a new array."""
    if image.mode.startswith("I"):  # 16-bit grey opens as I;16 or, in old versions, as I
        return _repeat(np.rint(_wide_values(image) / 257.0))
    if image.mode == "F":
        return _repeat(np.rint(_unit_values(image) * 255.0))
    return np.array(image.convert("RGB"), dtype=np.uint8)


def _wide_values(image: Image.Image) -> npt.NDArray[Any]:
    values = np.asarray(image)
    if values.min() < 0 or values.max() > 65535:
        raise ImageFileError(
            f"values from {values.min()} to {values.max()} do not fit 16 bits: save it as 8 bits"
        )
    return values


def _unit_values(image: Image.Image) -> npt.NDArray[Any]:
    values = np.asarray(image)
    if not (values.min() >= 0 and values.max() <= 1):  # a NaN fails this test too
        raise ImageFileError("floating-point values outside [0, 1]: save it as 8 bits")
    return values


def _repeat(grey: npt.NDArray[Any]) -> ByteArray:
    return np.repeat(grey.astype(np.uint8)[..., None], 3, axis=2)


def _explain(error: Exception) -> str:
    """Return what to say of an error, in one line, without the path."""
    if isinstance(error, ImageFileError):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, UnidentifiedImageError):
        return "not an image that can be read (PNG, JPEG, ...)"
    if isinstance(error, (Image.DecompressionBombError, Image.DecompressionBombWarning)):
        return f"more pixels than the limit of {MAX_PIXELS}: scale it down"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"broken image: {reason}"
