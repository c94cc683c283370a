"""Colour histograms of superpixels."""

from __future__ import annotations

import numpy as np

from segboost._types import Float32Array, Int64Array
from segboost.features.image_context import ImageContext

LUV_BINS = 16
"""Bins of each LUV channel."""
RGB_BINS = 4
"""Bins along each axis of the joint RGB histogram."""
# L covers its range; u and v cover the range of photographs, the outermost bins take the rest.
_LOW = np.array([0.0, -40.0, -60.0], np.float32)
_HIGH = np.array([100.0, 80.0, 60.0], np.float32)


def colour_histograms(context: ImageContext) -> Float32Array:
    """Return 3 histograms of 16 bins over L, u and v, and one of 4×4×4 bins over RGB.

    The value is ``sqrt(count / area)``.

    Returns
    -------
    ndarray of float32, shape (P, 3 · 16 + 64)
    """
    unit = (context.luv - _LOW) / (_HIGH - _LOW)
    bins = np.clip(unit * LUV_BINS, 0, LUV_BINS - 1).astype(np.int64)
    cube = np.minimum(context.rgb * RGB_BINS, RGB_BINS - 1).astype(np.int64)
    joint = cube @ np.array([RGB_BINS * RGB_BINS, RGB_BINS, 1])
    counts = [_count(context, bins[..., k], LUV_BINS) for k in range(3)]
    counts.append(_count(context, joint, RGB_BINS**3))
    return np.sqrt(np.concatenate(counts, axis=1) / context.area[:, None]).astype(np.float32)


def colour_columns() -> tuple[str, ...]:
    """Return the names of the columns."""
    luv = [f"{channel} bin {n:02d}" for channel in "Luv" for n in range(LUV_BINS)]
    levels = range(RGB_BINS)
    return (*luv, *(f"rgb bin {r}{g}{b}" for r in levels for g in levels for b in levels))


def _count(context: ImageContext, bins: Int64Array, size: int) -> Int64Array:
    flat = np.bincount((context.labels * size + bins).ravel(), minlength=context.count * size)
    return flat.reshape(context.count, size)
