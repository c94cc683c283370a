"""Open image files of any kind: their header, and regions of their pages."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

from segboost._types import AnyArray
from segboost.io.errors import ImageFileError, explain, is_temporary
from segboost.io.opening import (
    MAX_PIXELS,
    check_kind,
    check_size,
    open_image,
    read_header,
    read_wide_colours,
)
from segboost.io.scientific.image_info import ImageInfo, ScientificImage
from segboost.io.scientific.tiff_source import NOT_TURNED, TiffSource

Source = str | PathLike[str] | bytes
"""A path, or the bytes of a file."""

TIFF_STARTS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


class ImageSource(Protocol):
    """An open image, of which regions can be read."""

    @property
    def info(self) -> ImageInfo:
        """The header."""

    def read(self, page: int, rows: slice, columns: slice) -> AnyArray:
        """Return a region of a page, shape (h, w, channels)."""


class PillowSource:
    """A file that Pillow decodes as a whole: PNG, JPEG, …, and TIFF files that need Pillow.

    Parameters
    ----------
    source : path or bytes
    notes : tuple of str
    indices : bool
        Whether the values of a palette image are its indices instead of its colours.
    """

    def __init__(self, source: Source, notes: tuple[str, ...] = (), indices: bool = False) -> None:
        header = read_header(source)
        plain = ("L", "P") if indices else ("L",)
        wide = header.wide_colours or header.mode.startswith(("I", "F"))
        if header.wide_colours:
            self._array: AnyArray = read_wide_colours(source)[..., :3]
        else:
            with open_image(source) as image:
                grey = image.convert("L") if image.mode == "1" else image
                kept = wide or grey.mode in plain
                self._array = np.array(grey if kept else image.convert("RGB"))
        if self._array.ndim == 2:
            self._array = self._array[..., None]
        if self._array.dtype == np.int32 and self._array.min() >= 0:
            self._array = self._array.astype(np.uint32)
        height, width, channels = self._array.shape
        self.info = ImageInfo(
            1,
            height,
            width,
            channels,
            self._array.dtype,
            "YXS",
            photograph=not wide,
            notes=tuple(dict.fromkeys((*notes, *header.notes))),
        )

    def read(self, page: int, rows: slice, columns: slice) -> AnyArray:
        """Return a region, shape (h, w, channels)."""
        return self._array[rows, columns]


@contextmanager
def open_source(
    source: Source, axes: str | None = None, indices: bool = False
) -> Iterator[ImageSource]:
    """Open an image file.

    Every error inside the ``with`` block becomes an `ImageFileError` that names the file.

    Parameters
    ----------
    source : path or bytes
    axes : str, optional
        The axes of a TIFF file, such as ``CYX``, if those in the file are wrong or missing.
    indices : bool
        Whether the values of a palette image are its indices, as in masks, instead of its colours.
    """
    try:
        with _stream(source) as file:
            start = file.read(4)
            file.seek(0)
            if start not in TIFF_STARTS:
                if axes is not None:
                    raise ImageFileError("axes can be given for TIFF files only: omit them")
                yield PillowSource(source, indices=indices)
                return
            yield _open_tiff(file, source, axes, indices)
    except Exception as error:
        message = explain(error)
        name = "" if isinstance(source, bytes) else f"{source}: "
        raise ImageFileError(f"{name}{message.removeprefix(name)}", is_temporary(error)) from None


def read_scientific(
    source: Source, axes: str | None = None, max_pixels: int = MAX_PIXELS
) -> ScientificImage:
    """Read an image file of any kind, with the values that it holds.

    8, 16 and 32-bit integers and floating point, any number of channels, stacks, OME-TIFF and
    BigTIFF; of a pyramid, the full resolution is read. TIFF files with less common compressions
    need the package imagecodecs (extra ``images``).

    Parameters
    ----------
    source : path or bytes
    axes : str, optional
        See `open_source`.
    max_pixels : int
        Larger pages are rejected.

    Returns
    -------
    ScientificImage
        With the array (pages, H, W, channels); ``info.notes`` lists what was left out.

    Raises
    ------
    ImageFileError
        With a one-line message that names the file.
    """
    with open_source(source, axes) as opened:
        info = opened.info
        check_size(info.width, info.height, max_pixels)
        rows, columns = slice(0, info.height), slice(0, info.width)
        return ScientificImage(
            np.stack([opened.read(page, rows, columns) for page in range(info.pages)]), info
        )


def read_info(source: Source, axes: str | None = None, indices: bool = False) -> ImageInfo:
    """Return the header of an image file; see `open_source`."""
    with open_source(source, axes, indices) as opened:
        return opened.info


def is_photograph(path: str | PathLike[str], max_pixels: int) -> bool:
    """Whether a file is an 8-bit image of one page and at most `max_pixels` pixels.

    Raises
    ------
    ImageFileError
        If the file is not an image, or has more than `MAX_PIXELS` pixels and is not a TIFF file.
    """
    if not is_tiff(path):
        header = read_header(path)
        deep = header.mode.startswith(("I", "F")) or header.wide_colours
        return not deep and header.frames == 1 and header.n_pixels <= max_pixels
    info = read_info(path)
    return info.photograph and info.n_pixels <= max_pixels


def is_tiff(path: str | PathLike[str]) -> bool:
    """Whether a file starts like a TIFF file, regardless of its name."""
    with _stream(path) as file:
        return file.read(4) in TIFF_STARTS


def _open_tiff(file: IO[bytes], source: Source, axes: str | None, indices: bool) -> ImageSource:
    tiff = TiffSource(file, axes)
    if tiff.info.n_pixels <= MAX_PIXELS and axes is None:
        # Pillow decodes LZW and others, but only whole grey images and colours of 8 bits.
        known = tiff.info.photograph or tiff.info.pages == tiff.info.channels == 1
        if (known and not tiff.is_decodable) or (tiff.needs_colours and not indices):
            with suppress(ImageFileError):
                return _by_pillow(source, tiff.info, indices)
    if not tiff.is_decodable:
        raise ImageFileError(tiff.missing)
    return tiff


def _by_pillow(source: Source, info: ImageInfo, indices: bool) -> PillowSource:
    """Return a TIFF file as Pillow decodes it, with the tags that were read from it."""
    found = PillowSource(source, tuple(n for n in info.notes if n != NOT_TURNED), indices)
    if found.info.shape == info.shape:  # otherwise it was turned, and they do not fit
        found.info = replace(found.info, tags=info.tags, pixel_size=info.pixel_size)
    return found


def _stream(source: Source) -> Any:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    check_kind(Path(source))
    return open(source, "rb")
