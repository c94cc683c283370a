"""CIE LUV, in which distances between colours match perceived differences."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segboost._types import Float32Array
from segboost.features.image import RGB
from segboost.features.kernel import kernel

# sRGB primaries and the D65 white point for the two-degree observer (IEC 61966-2-1).
_XYZ = np.array(
    [
        [0.412453, 0.357580, 0.180423],
        [0.212671, 0.715160, 0.072169],
        [0.019334, 0.119193, 0.950227],
    ]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])
_LEVELS = 65535


def rgb_to_luv(rgb: RGB) -> Float32Array:
    """Convert sRGB to CIE LUV.

    ``L = 116 Y^(1/3) − 16`` (``903.3 Y`` below 0.008856), ``u = 13 L (u' − u'_w)``,
    ``v = 13 L (v' − v'_w)`` with ``u' = 4X / (X + 15Y + 3Z)``, ``v' = 9Y / (X + 15Y + 3Z)``.

    Parameters
    ----------
    rgb : ndarray of float32, shape (H, W, 3)
        Values in [0, 1]; rounded to 16 bits.

    Returns
    -------
    ndarray of float32, shape (H, W, 3)
    """
    return _luv(rgb, _linear_light(), _XYZ.astype(np.float32), *_white_chromaticity())


@lru_cache(maxsize=1)
def _linear_light() -> Float32Array:
    """Return the linear intensity of each 16-bit sRGB level, shape (65536,)."""
    level = np.arange(_LEVELS + 1) / _LEVELS
    linear = np.where(level > 0.04045, ((level + 0.055) / 1.055) ** 2.4, level / 12.92)
    return linear.astype(np.float32)


def _white_chromaticity() -> tuple[np.float32, np.float32]:
    x, y, z = _WHITE
    total = x + 15 * y + 3 * z
    return np.float32(4 * x / total), np.float32(9 * y / total)


@kernel
def _luv(
    rgb: RGB,
    linear: Float32Array,
    matrix: Float32Array,
    u_white: np.float32,
    v_white: np.float32,
) -> Float32Array:
    height, width, _ = rgb.shape
    luv = np.empty((height, width, 3), np.float32)
    xyz = np.empty(3, np.float32)
    for i in range(height):
        for j in range(width):
            r = linear[int(rgb[i, j, 0] * 65535 + 0.5)]
            g = linear[int(rgb[i, j, 1] * 65535 + 0.5)]
            b = linear[int(rgb[i, j, 2] * 65535 + 0.5)]
            for k in range(3):
                xyz[k] = matrix[k, 0] * r + matrix[k, 1] * g + matrix[k, 2] * b
            y = xyz[1]
            light = 116 * np.cbrt(y) - 16 if y > 0.008856 else np.float32(903.3) * y
            total = xyz[0] + 15 * y + 3 * xyz[2]
            luv[i, j, 0] = light
            # Black has no chromaticity.
            luv[i, j, 1] = 13 * light * (4 * xyz[0] / total - u_white) if total > 0 else 0
            luv[i, j, 2] = 13 * light * (9 * y / total - v_white) if total > 0 else 0
    return luv
