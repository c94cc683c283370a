"""The small pictures of the demonstration's scenes: plain PNG, one a panel."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from PIL import Image

from segboost.pipelines.demo_compare import Example
from segboost.pipelines.demo_labellers import ALONE, CRF
from segboost.pipelines.overlay import draw_overlay

ByteArray = npt.NDArray[np.uint8]

FOUND, MISSED, FALSE, GROUND = (74, 144, 217), (242, 153, 74), (214, 69, 80), (52, 58, 65)
"""Colours of pixels rightly foreground, missed, wrongly foreground, rightly background."""


def scene_panels(example: Example) -> dict[str, bytes]:
    """Return the panels of a test image by their captions, in order, as PNG."""
    panels = {
        "image": example.image,
        "truth": _errors(example.truth, example.truth),
        "unaries alone": _errors(example.masks[ALONE], example.truth),
        "CRF": _errors(example.masks[CRF], example.truth),
        "probability": colour_map(example.probability),
        "overlay": draw_overlay(example.image, example.masks[CRF]),
    }
    return {caption: _png(pixels) for caption, pixels in panels.items()}


def colour_map(values: npt.NDArray[np.float64]) -> ByteArray:
    """Return values from 0 to 1 as colours from dark to bright, shape (H, W, 3)."""
    return (colormaps["magma"](values)[..., :3] * 255).round().astype(np.uint8)


def _errors(mask: npt.NDArray[Any], truth: npt.NDArray[Any]) -> ByteArray:
    """Return right and wrong pixels in their colours."""
    colours = np.array([[GROUND, MISSED], [FALSE, FOUND]], dtype=np.uint8)
    return colours[(mask == 1).astype(int), (truth == 1).astype(int)]


def _png(pixels: ByteArray) -> bytes:
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, format="PNG", optimize=True)
    return data.getvalue()
