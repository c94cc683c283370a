"""The images of a folder: metadata from their headers, and thumbnails on demand."""

from __future__ import annotations

import hashlib
import io
import os
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

from segboost.io.errors import ImageFileError, is_temporary
from segboost.io.image_files import list_images, read_unit_image
from segboost.io.opening import MAX_PIXELS, open_image
from segboost.io.pixels import rgb_bytes
from segboost.io.scientific.sources import is_photograph
from segboost.label.reading import read_pixels, read_size
from segboost.pipelines.segmentation.images.working_size import working_shape

WORK = "segboost-label"
"""Name of the folder, inside the folder of images, for everything that is written."""
THUMBNAIL = 192
"""Longest side of a thumbnail in pixels."""
SHOWN = 1600
"""Longest side of an image in the editor; larger images are scaled down."""

STRETCH = (0.5, 99.5)
"""Percentiles of an image's values that are shown black and white when it is stretched."""


@dataclass(frozen=True)
class FolderImage:
    """One image file.

    Parameters
    ----------
    key : str
        Identifies the image in URLs: a digest of its name, so that no URL can name another
        file.
    path : Path
    width, height : int
        After EXIF rotation; 0 if the file is broken.
    problem : str
        Why the image cannot be used; empty if it can.
    stamp : str
        Changes with the file; part of URLs, so that the browser reloads a changed image.
    """

    key: str
    path: Path
    width: int = 0
    height: int = 0
    problem: str = ""
    stamp: str = ""

    @property
    def name(self) -> str:
        """The file name, encodable as JSON."""
        return self.path.name.encode("utf-8", "replace").decode()

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.height, self.width

    @property
    def shown_shape(self) -> tuple[int, int]:
        """Height and width in the editor."""
        return working_shape(self.shape, SHOWN)


class ImageFolder:
    """The images of a folder by key, in name order; headers are read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._known: dict[tuple[Path, int, int], FolderImage] = {}
        self._images: dict[str, FolderImage] = {}

    def scan(self) -> list[FolderImage]:
        """Return the current images; the headers of new and changed files are read."""
        with self._lock:
            found: dict[str, FolderImage] = {}
            stems: dict[str, Path] = {}
            for path in list_images(self.folder)[0]:
                image = self._look(path)
                other = stems.setdefault(path.stem, path)
                if other != path:
                    text = f"{other.name} differs only in its extension: rename one of the two"
                    image = replace(image, problem=text)
                found[image.key] = image
            self._images = found
            return list(found.values())

    def known(self) -> list[FolderImage]:
        """Return the images of the last scan."""
        return list(self._images.values())

    def left_out(self) -> list[str]:
        """Return the names of sub-folders, whose images are not listed."""
        try:
            found = [p.name for p in self.folder.iterdir() if p.is_dir()]
        except OSError:
            return []
        return sorted(n for n in found if n != WORK and not n.startswith("."))

    def get(self, key: str) -> FolderImage:
        """Return an image of the last scan; raise a KeyError if the key is unknown."""
        return self._images[key]

    def current(self, key: str) -> FolderImage:
        """Return an image in its current state; raise a KeyError if the file was deleted."""
        image = self.get(key)
        if not os.path.lexists(image.path):
            raise KeyError(key)
        with self._lock:
            found = self._look(image.path)
        return image if found.stamp == image.stamp else found

    def mark_broken(self, image: FolderImage, problem: str) -> None:
        """Record that an image with a valid header could not be decoded."""
        with self._lock:
            for stamp, known in self._known.items():
                if known.key == image.key:
                    self._known[stamp] = replace(known, problem=problem)
            if image.key in self._images:
                self._images[image.key] = replace(self._images[image.key], problem=problem)

    def _look(self, path: Path) -> FolderImage:
        try:
            status = path.stat()
            stamp = (path, status.st_mtime_ns, status.st_size)
        except OSError as error:
            return FolderImage(image_key(path), path, problem=str(error.strerror))
        if stamp in self._known:
            return self._known[stamp]
        text = f"{status.st_mtime_ns:x}-{status.st_size:x}"
        try:
            image = replace(read_header(path), stamp=text)
        except ImageFileError as error:
            reason = str(error).removeprefix(f"{path}: ")
            image = FolderImage(image_key(path), path, problem=reason, stamp=text)
            if is_temporary(error):  # try again at the next scan
                return image
        self._known[stamp] = image
        return image


def image_key(path: Path) -> str:
    """Return the key of a file in the folder."""
    return hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]


def read_header(path: Path) -> FolderImage:
    """Return an image's metadata from its header, without decoding pixels.

    Raises
    ------
    ImageFileError
        If the file cannot be used; see `read_size`.
    """
    width, height = read_size(path)
    return FolderImage(image_key(path), path, width, height)


def thumbnail(path: Path) -> bytes:
    """Return a small upright JPEG; JPEG files are decoded at reduced size."""
    if is_photograph(path, MAX_PIXELS):
        with open_image(path, reduce_to=(THUMBNAIL, THUMBNAIL)) as image:
            small = Image.fromarray(rgb_bytes(image))
    else:
        small = Image.fromarray(read_pixels(path))
    small.thumbnail((THUMBNAIL, THUMBNAIL))
    return _jpeg(small, 80)


def shown_image(image: FolderImage) -> bytes:
    """Return the image for the editor, a JPEG of `shown_shape`."""
    pixels = Image.fromarray(read_pixels(image.path))
    height, width = image.shown_shape
    if pixels.size != (width, height):
        pixels = pixels.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
    return _jpeg(pixels, 92)


def stretched_image(image: FolderImage) -> bytes:
    """Return the image for the editor with its values stretched between two percentiles.

    All channels are stretched in the same way, which preserves hues. Files of more than 8
    bits are stretched in any case.
    """
    if not is_photograph(image.path, MAX_PIXELS):
        return shown_image(image)
    unit = read_unit_image(image.path)
    low, high = np.percentile(unit[::4, ::4], STRETCH)
    scaled = np.clip((unit - low) / max(float(high - low), 1e-9), 0.0, 1.0)
    pixels = Image.fromarray(np.rint(255 * scaled).astype(np.uint8))
    height, width = image.shown_shape
    if pixels.size != (width, height):
        pixels = pixels.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
    return _jpeg(pixels, 92)


def _jpeg(image: Image.Image, quality: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()
