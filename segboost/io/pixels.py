"""Decoded images of any mode as RGB arrays."""

from __future__ import annotations

import numpy as np
from PIL import Image

from segboost._types import AnyArray, ByteArray, Float32Array
from segboost.io.errors import ImageFileError


def rgb_bytes(image: Image.Image) -> ByteArray:
    """Return the pixels as uint8 RGB, shape (H, W, 3), a new array.

    16-bit values are scaled to 8 bits (one factor for all files: 65535 becomes 255); palettes are
    looked up; grey values are repeated; CMYK is converted; an alpha channel is dropped.
    """
    if _is_wide(image):
        return _repeat(np.rint(_wide_values(image) / 257.0).astype(np.uint8))
    if image.mode == "F":
        return _repeat(np.rint(_unit_values(image) * 255.0).astype(np.uint8))
    return np.array(image.convert("RGB"), dtype=np.uint8)


def rgb_unit(image: Image.Image) -> Float32Array:
    """Return the pixels as float32 RGB in [0, 1], shape (H, W, 3); 16-bit values stay exact."""
    if _is_wide(image):
        return _repeat(_wide_values(image).astype(np.float32) / np.float32(65535))
    if image.mode == "F":
        return _repeat(_unit_values(image).astype(np.float32))
    return np.asarray(image.convert("RGB"), dtype=np.float32) / np.float32(255)


def _is_wide(image: Image.Image) -> bool:
    """Whether an image is 16-bit grey, which opens as I;16 or, in old versions of Pillow, as I."""
    return image.mode.startswith("I")


def _wide_values(image: Image.Image) -> AnyArray:
    values = np.asarray(image)
    if values.min() < 0 or values.max() > 65535:
        raise ImageFileError(
            f"values from {values.min()} to {values.max()} do not fit 16 bits: save it as 8 bits"
        )
    return values


def _unit_values(image: Image.Image) -> AnyArray:
    values = np.asarray(image)
    if not (values.min() >= 0 and values.max() <= 1):  # a NaN fails this test too
        raise ImageFileError("floating-point values outside [0, 1]: save it as 8 bits")
    return values


def _repeat(grey: AnyArray) -> AnyArray:
    return np.repeat(grey[..., None], 3, axis=2)
