"""Channels of a region and their integral images: grey, colour and oriented gradients.

Channels are integers from 0 to `FULL`, so that sums over cells are exact and a box has the same
features wherever it lies in the region.
"""

from __future__ import annotations

import numpy as np

from segboost._types import AnyArray, Float32Array, Int32Array
from segboost.features.kernel import kernel

FULL = 1020
"""The largest value of a channel."""
ORIENTATIONS = 9
GREY, LOCAL_GREY, FIRST_ORIENTATION = 0, 1, 2
N_GREY_CHANNELS = 2 + ORIENTATIONS
N_COLOUR_CHANNELS = N_GREY_CHANNELS + 2
NORM_RADIUS = 6
GRADIENT_FLOOR = np.float32(6.0)
LOCAL_RADIUS = 12
CONTRAST_FLOOR = np.float32(8.0)
HALO = LOCAL_RADIUS
"""Support of the channels in pixels: values closer to the region's border are affected by it."""

Sums = Int32Array


def region_sums(region: Float32Array) -> Sums:
    """Return the integral images of a region's channels.

    Parameters
    ----------
    region : ndarray of float32, shape (K, H, W)
        Grey (K = 1) or RGB (K = 3) levels 0 … 255.

    Returns
    -------
    ndarray of int32, shape (C, H + 1, W + 1)
        C = 11: grey, locally normalised grey and 9 orientations; RGB adds two colour opponents.
    """
    return integrate(region_channels(region))


def region_channels(region: Float32Array) -> Sums:
    """Return the channels of a region, shape (C, H, W), values 0 … FULL."""
    if region.shape[0] == 1:
        grey = region[0]
    else:
        grey = 0.299 * region[0] + 0.587 * region[1] + 0.114 * region[2]
    grey = np.ascontiguousarray(grey, dtype=np.float32)
    count = N_GREY_CHANNELS if region.shape[0] == 1 else N_COLOUR_CHANNELS
    out = np.zeros((count, *grey.shape), np.int32)
    out[GREY] = _whole(grey / 255.0)
    local_grey(grey, out[LOCAL_GREY])
    orientations(grey, out[FIRST_ORIENTATION:N_GREY_CHANNELS])
    if region.shape[0] == 3:
        red, green, blue = region
        out[N_GREY_CHANNELS] = _whole(0.5 + (red - green) / 510.0 * 2)
        out[N_GREY_CHANNELS + 1] = _whole(0.5 + (red + green - 2 * blue) / 1020.0 * 2)
    return out


def _whole(share: AnyArray) -> Int32Array:
    return np.clip(np.rint(share * FULL), 0, FULL).astype(np.int32)


@kernel
def integrate(channels: Sums) -> Sums:
    """Return the integral images, with one more row and column: ``S[c, i, j] = Σ_{y<i, x<j}``."""
    count, height, width = channels.shape
    sums = np.zeros((count, height + 1, width + 1), np.int32)
    for c in range(count):
        for i in range(height):
            row = 0
            for j in range(width):
                row += channels[c, i, j]
                sums[c, i + 1, j + 1] = sums[c, i, j + 1] + row
    return sums


def integrate_numpy(channels: Sums) -> Sums:
    """Plain NumPy twin of `integrate`."""
    padded = np.pad(channels, ((0, 0), (1, 0), (1, 0)))
    return padded.cumsum(axis=2, dtype=np.int32).cumsum(axis=1, dtype=np.int32)


@kernel
def _window_mean(values: Float32Array, radius: int) -> Float32Array:
    """Return the mean over the window of (2·radius + 1)² pixels, clipped at the border."""
    height, width = values.shape
    sums = np.zeros((height + 1, width + 1))
    for i in range(height):
        row = 0.0
        for j in range(width):
            row += values[i, j]
            sums[i + 1, j + 1] = sums[i, j + 1] + row
    out = np.empty((height, width), np.float32)
    for i in range(height):
        y0, y1 = max(i - radius, 0), min(i + radius + 1, height)
        for j in range(width):
            x0, x1 = max(j - radius, 0), min(j + radius + 1, width)
            total = sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0]
            out[i, j] = total / ((y1 - y0) * (x1 - x0))
    return out


@kernel
def local_grey(grey: Float32Array, out: Int32Array) -> None:
    """Write grey minus its local mean, divided by its local deviation: lighting cancels."""
    height, width = grey.shape
    mean = _window_mean(grey, LOCAL_RADIUS)
    square = _window_mean(grey * grey, LOCAL_RADIUS)
    for i in range(height):
        for j in range(width):
            spread = np.sqrt(max(square[i, j] - mean[i, j] * mean[i, j], np.float32(0)))
            value = 0.5 + 0.2 * (grey[i, j] - mean[i, j]) / (spread + CONTRAST_FLOOR)
            out[i, j] = int(min(max(value, 0.0), 1.0) * FULL + 0.5)


def local_grey_numpy(grey: Float32Array) -> Int32Array:
    """Plain NumPy twin of `local_grey` that returns its result."""
    mean, square = (_window_mean_numpy(v, LOCAL_RADIUS) for v in (grey, grey * grey))
    spread = np.sqrt(np.maximum(square - mean * mean, np.float32(0)))
    value = 0.5 + 0.2 * (grey - mean).astype(np.float64) / (spread + CONTRAST_FLOOR)
    return (np.clip(value, 0.0, 1.0) * FULL + 0.5).astype(np.int32)


def orientations_numpy(grey: Float32Array) -> Int32Array:
    """Plain NumPy twin of `orientations` that returns its result, shape (9, H, W)."""
    padded = np.pad(grey, 1, mode="edge")
    across = padded[1:-1, 2:] - padded[1:-1, :-2]
    down = padded[2:, 1:-1] - padded[:-2, 1:-1]
    magnitude = np.sqrt(across * across + down * down)
    norm = _window_mean_numpy(magnitude, NORM_RADIUS) + GRADIENT_FLOOR
    strength = np.minimum((magnitude / norm).astype(np.float64), 3.0) / 3.0 * FULL
    place = np.arctan2(down, across).astype(np.float64) / np.pi
    place = np.where(place < 0, place + 1.0, place) * ORIENTATIONS
    first = place.astype(np.int64)
    second = (strength * (place - first) + 0.5).astype(np.int32)
    out = np.zeros((ORIENTATIONS, *grey.shape), np.int32)
    rows, columns = np.indices(grey.shape)
    whole = (strength + 0.5).astype(np.int32)
    np.add.at(out, (first % ORIENTATIONS, rows, columns), whole - second)
    np.add.at(out, ((first + 1) % ORIENTATIONS, rows, columns), second)
    return out


def _window_mean_numpy(values: Float32Array, radius: int) -> Float32Array:
    sums = np.pad(values.astype(np.float64), ((1, 0), (1, 0))).cumsum(axis=1).cumsum(axis=0)
    low = [np.maximum(np.arange(n) - radius, 0) for n in values.shape]
    high = [np.minimum(np.arange(n) + radius + 1, n) for n in values.shape]
    total = sums[np.ix_(*high)] - sums[np.ix_(low[0], high[1])]
    total = total - sums[np.ix_(high[0], low[1])] + sums[np.ix_(*low)]
    area = np.outer(high[0] - low[0], high[1] - low[1])
    return (total / area).astype(np.float32)


@kernel
def orientations(grey: Float32Array, out: Int32Array) -> None:
    """Write gradient magnitude over its local mean, split between the two nearest orientations."""
    height, width = grey.shape
    across = np.zeros((height, width), np.float32)
    down = np.zeros((height, width), np.float32)
    for i in range(height):
        up, low = max(i - 1, 0), min(i + 1, height - 1)
        for j in range(width):
            left, right = max(j - 1, 0), min(j + 1, width - 1)
            across[i, j] = grey[i, right] - grey[i, left]
            down[i, j] = grey[low, j] - grey[up, j]
    magnitude = np.sqrt(across * across + down * down)
    norm = _window_mean(magnitude, NORM_RADIUS)
    for i in range(height):
        for j in range(width):
            strength = min(magnitude[i, j] / (norm[i, j] + GRADIENT_FLOOR), 3.0) / 3.0 * FULL
            angle = np.arctan2(down[i, j], across[i, j]) / np.pi
            place = (angle + 1.0 if angle < 0 else angle) * 9
            first = int(place)
            part = place - first
            whole = int(strength + 0.5)
            second = int(strength * part + 0.5)
            out[first % 9, i, j] += whole - second
            out[(first + 1) % 9, i, j] += second
