"""The pictures of a test image of several classes."""

from __future__ import annotations

import numpy as np
from PIL import Image

from segboost._types import AnyArray, BoolArray, ByteArray, FloatArray
from segboost.io.legend import ClassLegend
from segboost.report.run_data import pictures
from segboost.report.run_data.pictures import CLEAR, VOID_SHADE, Pictures

OPACITY = 165
"""Opacity of class colours, from 0 to 255."""
BORDER = (12, 12, 14, 255)
WRONG = (255, 255, 255, 235)


def draw_class_pictures(
    image: ByteArray,
    truth: ByteArray,
    mask: ByteArray,
    confidence: FloatArray,
    legend: ClassLegend,
    widest: int,
) -> Pictures:
    """Return the pictures of one image.

    Parameters
    ----------
    image : ndarray of uint8, shape (H, W, 3)
    truth, mask : ndarray of uint8, shape (H, W)
        0 … K−1, and 255 for void; the prediction has no void.
    confidence : ndarray of shape (H, W)
        Probability of the predicted class.
    legend : ClassLegend
    widest : int
        Maximum width and height in pixels.
    """
    size = pictures.shown_size(truth.shape, widest)
    true, found = (pictures.shrink(a, size) for a in (truth, mask))
    return Pictures(
        pictures.jpeg(image, size),
        pictures.png(_classes(found, legend)),
        pictures.png(_classes(true, legend)),
        pictures.png(_errors(found, true)),
        pictures.png(pictures.heat_map(confidence, size)),
        size,
    )


def _classes(mask: AnyArray, legend: ClassLegend) -> Image.Image:
    """Return a layer that tints each class in its colour, with lines between classes."""
    n = legend.n_classes
    codes = np.where(mask == 255, n, mask).astype(np.int64)
    codes[_borders(codes)] = n + 1
    colours = [(*colour, OPACITY) for colour in legend.colours]
    return pictures.indexed(codes, [*colours, VOID_SHADE, BORDER])


def _errors(mask: AnyArray, truth: AnyArray) -> Image.Image:
    """Return a layer that hatches misclassified pixels."""
    wrong = (mask != truth) & (truth != 255)
    rows, columns = np.indices(mask.shape)
    return pictures.indexed(wrong & ((rows + columns) % 4 == 0), [CLEAR, WRONG])


def _borders(codes: AnyArray) -> BoolArray:
    line = np.zeros(codes.shape, dtype=bool)
    line[:, :-1] |= codes[:, :-1] != codes[:, 1:]
    line[:-1] |= codes[:-1] != codes[1:]
    return line
