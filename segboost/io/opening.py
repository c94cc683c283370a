"""Opening image files: the only module that calls Pillow's `Image.open`.

Pipes and devices are rejected, the pixel limit is checked before anything is decoded, and images
are turned upright by their orientation tag (EXIF, or the tag of a TIFF file).
"""

from __future__ import annotations

import io
import stat
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from segboost._types import UInt16Array
from segboost.io.errors import ImageFileError, explain, is_temporary

MAX_PIXELS = 89_478_485
"""Larger images are rejected before decoding: they may be decompression bombs."""

_ORIENTATION = 0x0112
_SIDEWAYS = (5, 6, 7, 8)  # orientations that swap width and height
_TIFF_WIDTH, _TIFF_HEIGHT = 256, 257
_ANIMATED = ("GIF", "PNG", "WEBP")  # the further frames of other formats are previews
_WITH_ALPHA = ("LA", "La", "PA", "RGBA", "RGBa")
_WIDE = ";16B"  # colours of 16 bits, big-endian, in the name of a raw mode

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


@dataclass(frozen=True)
class ImageHeader:
    """Properties of an image's pixels, read from the file's header.

    Parameters
    ----------
    mode : str
        Pillow's mode, such as ``RGB`` or ``I;16``.
    frames : int
        More than one in an animation.
    wide_colours : bool
        Whether it has colours of 16 bits, of which `open_image` keeps the upper 8.
    alpha : bool
        Whether it has an alpha channel or a transparent colour.
    n_pixels : int
    """

    mode: str
    frames: int = 1
    wide_colours: bool = False
    alpha: bool = False
    n_pixels: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what readers leave out."""
        notes = ["the alpha channel is left out"] if self.alpha else []
        notes += [f"the first of {self.frames} frames is used"] if self.frames > 1 else []
        return tuple(notes)


def read_header(source: Source, max_pixels: int = MAX_PIXELS) -> ImageHeader:
    """Return the properties of an image's pixels, from the file's header alone.

    Raises
    ------
    ImageFileError
        If the file is missing, too large or not an image.
    """
    with _named_errors(source), _opened(source, max_pixels) as image:
        frames = int(getattr(image, "n_frames", 1)) if image.format in _ANIMATED else 1
        grey = image.mode.startswith("I")
        wide = image.format == "PNG" and not grey and _WIDE in _raw(image)
        alpha = image.mode in _WITH_ALPHA or "transparency" in image.info
        return ImageHeader(image.mode, frames, wide, alpha, image.width * image.height)


def read_wide_colours(source: Source, max_pixels: int = MAX_PIXELS) -> UInt16Array:
    """Return the values of a PNG file with 16-bit colours, shape (H, W, 3 or 4).

    Pillow has no mode for such colours and keeps only their upper bytes. It keeps the lower ones
    instead if the values are declared as little-endian.

    Raises
    ------
    ImageFileError
        If the file is broken, too large or grey with an alpha channel.
    """
    halves = []
    with _named_errors(source):
        for order in (_WIDE, ";16L"):
            with _opened(source, max_pixels) as image:
                raw = _raw(image)
                if not raw.startswith("RGB"):
                    raise ImageFileError("16-bit grey with transparency: remove the transparency")
                tiled: Any = image
                tiled.tile = [(*tiled.tile[0][:3], raw.replace(_WIDE, order))]
                halves.append(np.asarray(ImageOps.exif_transpose(image)).astype(np.uint16))
    return halves[0] * np.uint16(256) + halves[1]


def _raw(image: Image.Image) -> str:
    """Return the raw mode by which a file will be decoded."""
    tiles = getattr(image, "tile", None)
    return str(tiles[0][3]) if tiles else ""


def read_content(path: str | PathLike[str], max_pixels: int = MAX_PIXELS) -> bytes:
    """Return the bytes of an image file after checking in its header that it is within the limit.

    Raises
    ------
    ImageFileError
        If the file is missing, too large or not an image.
    """
    with _named_errors(path):
        with _opened(path, max_pixels):
            pass  # otherwise any file, however large, would be read into memory
        return Path(path).read_bytes()


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
        raise ImageFileError(message, is_temporary(error)) from None


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
    """Return the file as a stream: given a path, Pillow would garble rotated TIFFs (mmap)."""
    if isinstance(source, bytes):
        return io.BytesIO(source)
    check_kind(Path(source))
    return open(source, "rb")


def check_kind(path: Path) -> None:
    """Raise ImageFileError for pipes and devices, which might block forever."""
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
