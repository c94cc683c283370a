"""Masks made from scikit-image's sample pictures, for round trips."""

from __future__ import annotations

import numpy as np
from skimage import data
from skimage.filters import gaussian, threshold_otsu


def coins_mask():
    """Return coins and specks: many parts, with holes."""
    image = data.coins()[60:190, 60:240]
    return (image > threshold_otsu(image)).astype(np.uint8)


def page_classes():
    """Return three classes that touch each other."""
    image = gaussian(data.camera()[::4, ::4], 0.7, preserve_range=True)
    return np.digitize(image, [60, 150]).astype(np.uint8)


def blocks():
    """Return a ring around a square of another class, single pixels, and parts at the border."""
    mask = np.zeros((40, 50), dtype=np.uint8)
    mask[5:30, 5:30] = 1
    mask[10:25, 10:25] = 0
    mask[14:20, 14:20] = 2
    mask[0, :4] = 1
    mask[-1, -1] = 2
    mask[33, 40] = 1
    mask[34, 41] = 1
    return mask
