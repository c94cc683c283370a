"""The values by which pixels are compared when superpixels are cut."""

from __future__ import annotations

import numpy as np

from segboost._types import Float32Array
from segboost.features.image import RGB

LIGHTNESS = 100.0
"""The range of L in LUV."""


def compared_planes(luv: Float32Array, further: RGB | None) -> Float32Array:
    """Return colours and further channels as planes whose differences are comparable.

    Each further channel weighs as much as the lightness, so that objects visible only in it keep
    their borders.

    Parameters
    ----------
    luv : ndarray of float32, shape (H, W, 3)
    further : ndarray of float32, shape (H, W, F), or None
        In [0, 1].

    Returns
    -------
    ndarray of float32, shape (H, W, 3 + F)
        Without further channels, `luv` itself.
    """
    if further is None:
        return luv
    return np.concatenate([luv, further * np.float32(LIGHTNESS)], axis=2)
