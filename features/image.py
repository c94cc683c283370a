"""Conversion of images of all kinds to float32 RGB in [0, 1]."""

from __future__ import annotations

from os import PathLike

import numpy as np
from PIL import Image

from segboost._types import AnyArray, Float32Array, Int32Array
from segboost.io.image_files import read_unit_image

RGB = Float32Array
"""A colour image, shape (H, W, 3), values in [0, 1]."""

ImageLike = AnyArray | Image.Image
"""An array or a Pillow image of any mode."""

_EXPECTED = (
    "an image of shape (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) and dtype bool, uint8, uint16 "
    "or floating point in [0, 1]"
)
_SCALE = {"b": 1.0, "u1": 255.0, "u2": 65535.0}
# A resampled float image exceeds [0, 1] only by rounding.
_SLACK = 1e-3


def as_rgb(image: ImageLike, argument: str = "image") -> RGB:
    """Return the image as float32 RGB in [0, 1]; the input is not modified.

    Grey images are repeated over the three channels, an alpha channel is dropped, 16-bit values
    are divided by 65535, and palettes of Pillow images are applied.

    Parameters
    ----------
    image : ndarray or PIL.Image.Image
        Shape (H, W), (H, W, 1), (H, W, 3) or (H, W, 4); bool, uint8, uint16 or floats in [0, 1].
    argument : str
        The name to use in error messages.

    Returns
    -------
    ndarray of float32, shape (H, W, 3)

    Examples
    --------
    >>> import numpy as np
    >>> as_rgb(np.full((2, 2), 255, np.uint8)).max()
    np.float32(1.0)
    """
    if isinstance(image, Image.Image):
        image = _from_pillow(image)
    array = np.asarray(image)
    _check_shape(array, argument)
    values = _to_unit(array, argument)
    if values.ndim == 2:
        values = values[..., None]
    colours = values[..., :3] if values.shape[2] >= 3 else np.repeat(values, 3, axis=2)
    return np.ascontiguousarray(colours, dtype=np.float32)


def split_channels(image: ImageLike, count: int) -> tuple[ImageLike, RGB | None]:
    """Return the three channels of an image that are taken as colours, and its further channels.

    Parameters
    ----------
    image : ndarray or PIL.Image.Image
        With further channels, an array of uint8 of shape (H, W, 3 + count).
    count : int
        The number of further channels; with 0, the image is returned as it is.

    Returns
    -------
    colours : ndarray or PIL.Image.Image
    further : ndarray of float32, shape (H, W, count), or None
        In [0, 1].
    """
    if count == 0:
        return image, None
    array = np.asarray(image)
    if array.ndim != 3 or array.shape[2] != 3 + count or array.dtype != np.uint8:
        raise ValueError(
            f"image: expected uint8 of shape (H, W, {3 + count}), got {array.dtype} of "
            f"{array.shape}"
        )
    return array[..., :3], array[..., 3:].astype(np.float32) / np.float32(255)


def read_image(path: str | PathLike[str]) -> RGB:
    """Read an image file as float32 RGB in [0, 1], shape (H, W, 3).

    The orientation that the file states is applied.

    Raises
    ------
    ImageFileError
        If the file is missing, broken, too large or not an image. It is a ValueError.
    """
    return read_unit_image(path)


def _from_pillow(image: Image.Image) -> AnyArray:
    """Return the pixels of a Pillow image as an array that `as_rgb` takes."""
    if image.mode.startswith("I"):  # 16-bit files open as I;16, in old versions of Pillow as I
        return np.clip(np.asarray(image), 0, 65535).astype(np.uint16)
    if image.mode in ("L", "RGB", "F"):
        return np.asarray(image)
    return np.asarray(image.convert("RGB"))


def _check_shape(array: AnyArray, argument: str) -> None:
    fits = array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (1, 3, 4))
    if not fits or array.size == 0:
        raise ValueError(f"{argument}: expected {_EXPECTED}, got shape {array.shape}")


def _to_unit(array: AnyArray, argument: str) -> Float32Array:
    """Return the values scaled to [0, 1] by the range of their dtype."""
    kind = array.dtype.kind
    scale = _SCALE.get(kind if kind == "b" else f"{kind}{array.dtype.itemsize}")
    if scale is not None:
        return array.astype(np.float32) / np.float32(scale)
    if kind != "f":
        raise ValueError(f"{argument}: expected {_EXPECTED}, got dtype {array.dtype}")
    low, high = float(array.min()), float(array.max())
    if not (low >= -_SLACK and high <= 1 + _SLACK):  # a NaN fails this test too
        raise ValueError(
            f"{argument}: expected {_EXPECTED}, got values from {low:g} to {high:g}"
            + (" (not finite)" if not np.isfinite([low, high]).all() else "")
        )
    return np.clip(array, 0, 1).astype(np.float32)


def check_labels(labels: AnyArray, shape: tuple[int, int]) -> Int32Array:
    """Return a superpixel map as int32 after checking that it fits an image.

    Parameters
    ----------
    labels : ndarray of integers, shape (H, W)
        Every number from 0 to P − 1 must occur.
    shape : tuple of int
        (H, W) of the image.
    """
    array = np.asarray(labels)
    expected = f"superpixels: expected integer labels 0 … P-1 of shape {shape}"
    if array.dtype.kind not in "iu" or array.shape != shape:
        raise ValueError(f"{expected}, got dtype {array.dtype} and shape {array.shape}")
    if array.min() < 0:
        raise ValueError(f"{expected}, got label {array.min()}")
    if array.max() >= array.size:
        raise ValueError(f"{expected}, got label {array.max()} in {array.size} pixels")
    missing = np.flatnonzero(np.bincount(array.ravel()) == 0)
    if missing.size:
        raise ValueError(f"{expected}, label {missing[0]} does not occur")
    return np.ascontiguousarray(array, dtype=np.int32)
