"""Opening image files: the only module that calls Pillow's `Image.open`.

Whatever is opened here is a regular file, is within the pixel limit before it is decoded, and is
turned upright by its orientation tag (EXIF, or the tag of a TIFF file).
"""

from __future__ import annotations

import io
import stat
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

from PIL import Image, ImageOps, UnidentifiedImageError

from segboost.io.errors import ImageFileError, explain, is_passing

MAX_PIXELS = 89_478_485
"""Larger images are rejected before decoding: they may be decompression bombs."""

_ORIENTATION = 0x0112
_SIDEWAYS = (5, 6, 7, 8)  # orientations that swap width and height
_TIFF_WIDTH, _TIFF_HEIGHT = 256, 257

Source = str | PathLike[str] | bytes
"""A path, or the bytes of a file."""


@contextmanager
def open_image(
    source: Source, max_pixels: int = MAX_PIXELS, reduce_to: tuple[int, int] | None = None
) -> Iterator[Image.Image]:
    """Open, check and decode an image file and turn it upright.

    Decoders raise almost any exception on a broken file; every error inside the ``with`` block
    becomes an `ImageFileError` that names the file.

    Parameters
    ----------
    source : path or bytes
    max_pixels : int
    reduce_to : tuple of int, optional
        A width and height: formats that can (JPEG) decode faster to a smaller image, at least
        this large.
    """
    with _named_errors(source):
        yield _load_upright(source, max_pixels, reduce_to)


def read_size(source: Source, max_pixels: int = MAX_PIXELS) -> tuple[int, int]:
    """Return the width and height of the upright image, from the file's header alone.

    Raises
    ------
    ImageFileError
        If the file is missing, too large or not an image.
    """
    with _named_errors(source), _opened(source, max_pixels) as image:
        if image.format == "TIFF":
            # Some versions of Pillow swap the size of TIFF files themselves.
            width, height = image.tag_v2[_TIFF_WIDTH], image.tag_v2[_TIFF_HEIGHT]  # type: ignore[attr-defined]
        else:
            width, height = image.size
        sideways = image.getexif().get(_ORIENTATION) in _SIDEWAYS
        return (height, width) if sideways else (width, height)


def check_size(width: int, height: int, max_pixels: int) -> None:
    """Raise ImageFileError if an image has more pixels than the limit."""
    if width * height > max_pixels:
        raise ImageFileError(
            f"{width}×{height} pixels are more than the limit of {max_pixels}: scale it down"
        )


@contextmanager
def _named_errors(source: Source) -> Iterator[None]:
    """Turn every error into an ImageFileError that names the file, if it has a name."""
    try:
        yield
    except Exception as error:
        empty = isinstance(error, UnidentifiedImageError) and _is_empty(source)
        reason = "the file is empty" if empty else explain(error)
        message = reason if isinstance(source, bytes) else f"{source}: {reason}"
        raise ImageFileError(message, is_passing(error)) from None


def _load_upright(
    source: Source, max_pixels: int, reduce_to: tuple[int, int] | None
) -> Image.Image:
    with _opened(source, max_pixels) as image:
        if reduce_to is not None:
            image.draft("RGB", reduce_to)
        return ImageOps.exif_transpose(image)


@contextmanager
def _opened(source: Source, max_pixels: int) -> Iterator[Image.Image]:
    """Open a file without decoding it."""
    try:
        with _file(source) as file, _BOMBS_ARE_ERRORS, Image.open(file) as image:
            check_size(*image.size, max_pixels)
            yield image
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        limit = min(max_pixels, MAX_PIXELS)
        raise ImageFileError(f"more pixels than the limit of {limit}: scale it down") from None


def _file(source: Source) -> IO[bytes]:
    """Return the file as a stream: by its path, Pillow would map it and garble turned TIFFs."""
    if isinstance(source, bytes):
        return io.BytesIO(source)
    _check_kind(Path(source))
    return open(source, "rb")


def _check_kind(path: Path) -> None:
    """Refuse pipes and devices, which might block forever."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise ImageFileError("it is a pipe or device, not a file")


def _is_empty(source: Source) -> bool:
    if isinstance(source, bytes):
        return not source
    path = Path(source)
    return path.is_file() and path.stat().st_size == 0


class _BombsAreErrors:
    """Makes Pillow's warning about decompression bombs an error while any thread needs it.

    `warnings.catch_warnings` alone is not safe here: of two threads that overlap, the second one
    would restore the filters that the first one had set.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._saved = warnings.catch_warnings()

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                self._saved = warnings.catch_warnings()
                self._saved.__enter__()
                warnings.simplefilter("error", Image.DecompressionBombWarning)
            self._users += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._saved.__exit__(None, None, None)


_BOMBS_ARE_ERRORS = _BombsAreErrors()
