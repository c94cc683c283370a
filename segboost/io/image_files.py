"""Reading image files of any kind as RGB arrays, and listing those of a folder."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from segboost._types import ByteArray, Float32Array
from segboost.io.opening import MAX_PIXELS, open_image
from segboost.io.pixels import rgb_bytes, rgb_unit

IMAGE_ENDINGS = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".pgm", ".tif", ".tiff", ".webp")
"""File name endings of images; case does not matter."""


def read_image(path: str | PathLike[str], max_pixels: int = MAX_PIXELS) -> ByteArray:
    """Read an image file as uint8 RGB, shape (H, W, 3).

    The orientation in the file's metadata is applied; 16-bit values are scaled to 8 bits (with one
    factor for all files: 65535 becomes 255); palettes are applied; grey values are repeated; CMYK
    is converted; an alpha channel is dropped. Of several frames, the first is used.

    Raises
    ------
    ImageFileError
        If the file is missing, broken, truncated, too large, or cannot be converted to RGB.
    """
    with open_image(path, max_pixels) as image:
        return rgb_bytes(image)


def decode_image(data: bytes, max_pixels: int = MAX_PIXELS) -> ByteArray:
    """Return the image in a file's bytes like `read_image`; errors do not name a file."""
    with open_image(data, max_pixels) as image:
        return rgb_bytes(image)


def read_unit_image(path: str | PathLike[str], max_pixels: int = MAX_PIXELS) -> Float32Array:
    """Read an image file as float32 RGB in [0, 1], shape (H, W, 3).

    Like `read_image`, but 16-bit files keep their precision.
    """
    with open_image(path, max_pixels) as image:
        return rgb_unit(image)


def list_images(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the image files of a folder and its other files, sorted by name, without hidden ones.

    Dangling links are included, so that reading them reports the problem.
    """
    files = sorted(p for p in folder.iterdir() if not p.is_dir() and not p.name.startswith("."))
    images = [p for p in files if p.suffix.lower() in IMAGE_ENDINGS]
    return images, [p for p in files if p.suffix.lower() not in IMAGE_ENDINGS]
