"""Means over square windows, cut off at the image's border, of several channels at once."""

from __future__ import annotations

import numpy as np

from segboost._types import Float32Array
from segboost.features.kernel import kernel


def halve(values: Float32Array) -> Float32Array:
    """Return the means of 2 × 2 pixels, shape (⌈H/2⌉, ⌈W/2⌉, …); odd edges are repeated.

    Parameters
    ----------
    values : ndarray of float32, shape (H, W) or (H, W, C)
    """
    height, width = values.shape[:2]
    if height % 2 or width % 2:
        rest = ((0, 0),) * (values.ndim - 2)
        values = np.pad(values, ((0, height % 2), (0, width % 2), *rest), mode="edge")
    total = values[::2, ::2] + values[1::2, ::2] + values[::2, 1::2] + values[1::2, 1::2]
    return total * np.float32(0.25)


@kernel
def box_means(values: Float32Array, radius: int) -> Float32Array:
    """Return the mean of every channel over windows of (2·radius + 1)² pixels.

    Running sums, first along rows, then along columns: the cost does not depend on the radius.

    Parameters
    ----------
    values : ndarray of float32, shape (H, W, C)
    radius : int
    """
    height, width, channels = values.shape
    along = np.empty_like(values)
    sums = np.empty(channels)
    for i in range(height):
        sums[:] = 0.0
        count = 0
        for j in range(min(radius, width)):
            for c in range(channels):
                sums[c] += values[i, j, c]
            count += 1
        for j in range(width):
            if j + radius < width:
                for c in range(channels):
                    sums[c] += values[i, j + radius, c]
                count += 1
            if j - radius - 1 >= 0:
                for c in range(channels):
                    sums[c] -= values[i, j - radius - 1, c]
                count -= 1
            for c in range(channels):
                along[i, j, c] = sums[c] / count
    return _column_means(along, radius)


@kernel
def _column_means(values: Float32Array, radius: int) -> Float32Array:
    height, width, channels = values.shape
    out = np.empty_like(values)
    sums = np.zeros((width, channels))
    count = 0
    for i in range(min(radius, height)):
        for j in range(width):
            for c in range(channels):
                sums[j, c] += values[i, j, c]
        count += 1
    for i in range(height):
        if i + radius < height:
            for j in range(width):
                for c in range(channels):
                    sums[j, c] += values[i + radius, j, c]
            count += 1
        if i - radius - 1 >= 0:
            for j in range(width):
                for c in range(channels):
                    sums[j, c] -= values[i - radius - 1, j, c]
            count -= 1
        for j in range(width):
            for c in range(channels):
                out[i, j, c] = sums[j, c] / count
    return out


def box_means_numpy(values: Float32Array, radius: int) -> Float32Array:
    """Plain NumPy twin of `box_means`."""
    for axis in (0, 1):
        n = values.shape[axis]
        first = np.maximum(np.arange(n) - radius, 0)
        stop = np.minimum(np.arange(n) + radius + 1, n)
        parts = [
            values.take(range(a, z), axis=axis).mean(axis=axis, dtype=np.float64)
            for a, z in zip(first, stop, strict=True)
        ]
        values = np.stack(parts, axis=axis).astype(np.float32)
    return values
