"""The pictures of a test image: the photograph and transparent layers over it."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import colormaps
from PIL import Image
from scipy import ndimage

from segboost._types import AnyArray, ByteArray, FloatArray

CLEAR = (0, 0, 0, 0)
SHADE = (8, 10, 14, 178)
PREDICTED, TRUE = (255, 214, 10, 255), (64, 224, 160, 255)
VOID_SHADE = (130, 130, 140, 200)
MISSED, FALSE = (255, 140, 26, 190), (235, 52, 90, 190)
MAP = "magma"


@dataclass(frozen=True)
class Pictures:
    """A test image as data URLs: a JPEG and four PNGs of the same size.

    Parameters
    ----------
    image : str
    prediction, truth : str
        Layers that shade the background and draw the border of the foreground.
    errors : str
        A layer that colours missed and false positive pixels.
    score : str
        The probability map, or the score map if the model is not calibrated.
    size : tuple of int
        Width and height.
    """

    image: str
    prediction: str
    truth: str
    errors: str
    score: str
    size: tuple[int, int]


def draw_pictures(
    image: ByteArray, truth: ByteArray, mask: ByteArray, heat: FloatArray, widest: int
) -> Pictures:
    """Return the pictures of one image.

    Parameters
    ----------
    image : ndarray of uint8, shape (H, W, 3)
    truth, mask : ndarray of shape (H, W)
        0, 1, and 255 for void; the prediction has 0 and 1 only.
    heat : ndarray of shape (H, W)
        From 0 to 1.
    widest : int
        Maximum width and height in pixels.
    """
    size = shown_size(truth.shape, widest)
    small = [shrink(a, size) for a in (truth, mask)]
    return Pictures(
        jpeg(image, size),
        png(_layer(small[1], PREDICTED)),
        png(_layer(small[0], TRUE)),
        png(_errors(small[1], small[0])),
        png(heat_map(heat, size)),
        size,
    )


def _layer(mask: AnyArray, colour: tuple[int, int, int, int]) -> Image.Image:
    """Return a layer that leaves the foreground transparent and outlines it."""
    inside = mask == 1
    line = inside & ~ndimage.binary_erosion(inside, iterations=2, border_value=1)
    codes = np.where(inside, 1, 0)
    codes[mask == 255] = 3
    codes[line] = 2
    return indexed(codes, [SHADE, CLEAR, colour, VOID_SHADE])


def _errors(mask: AnyArray, truth: AnyArray) -> Image.Image:
    codes = np.zeros(mask.shape, np.int64)
    codes[(mask == 0) & (truth == 1)] = 1
    codes[(mask == 1) & (truth == 0)] = 2
    return indexed(codes, [CLEAR, MISSED, FALSE])


def indexed(codes: AnyArray, colours: list[tuple[int, int, int, int]]) -> Image.Image:
    """Return a palette image whose colours may be transparent."""
    picture = Image.fromarray(codes.astype(np.uint8), mode="P")
    picture.putpalette([part for colour in colours for part in colour[:3]])
    picture.info["transparency"] = bytes(colour[3] for colour in colours)
    return picture


def shrink(values: AnyArray, size: tuple[int, int]) -> AnyArray:
    """Return labels resized by nearest neighbour, shape (height, width)."""
    return np.asarray(
        Image.fromarray(values.astype(np.uint8)).resize(size, Image.Resampling.NEAREST)
    )


def shown_size(shape: tuple[int, ...], widest: int) -> tuple[int, int]:
    """Return width and height of the pictures of an image of this height and width."""
    height, width = shape[:2]
    scale = min(1.0, widest / max(height, width))
    return max(1, round(width * scale)), max(1, round(height * scale))


def heat_map(heat: FloatArray, size: tuple[int, int]) -> Image.Image:
    """Return values from 0 to 1, shape (H, W), as a coloured map."""
    codes = (np.clip(heat, 0, 1) * 255).round().astype(np.uint8)
    palette = (colormaps[MAP](np.arange(256))[:, :3] * 255).round().astype(np.uint8)
    picture = Image.fromarray(shrink(codes, size), mode="P")
    picture.putpalette(palette.tobytes())
    return picture


def jpeg(image: ByteArray, size: tuple[int, int]) -> str:
    """Return an image as the data URL of a JPEG file of this width and height."""
    data = io.BytesIO()
    small = Image.fromarray(image).resize(size, Image.Resampling.LANCZOS)
    small.save(data, format="JPEG", quality=82, optimize=True, progressive=True)
    return _address("jpeg", data)


def png(picture: Image.Image) -> str:
    """Return a picture as the data URL of a PNG file."""
    data = io.BytesIO()
    picture.save(data, format="PNG", optimize=True, **_alpha(picture))
    return _address("png", data)


def _alpha(picture: Image.Image) -> dict[str, Any]:
    alpha = picture.info.get("transparency")
    return {} if alpha is None else {"transparency": alpha}


def _address(kind: str, data: io.BytesIO) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data.getvalue()).decode()}"
