"""Features of pixels near a border, as columns for a classifier.

The margin of the pixel's superpixel and of its surroundings, the distance from the border, how the
colour of the pixel compares with the likely foreground and background nearby, and the channels of
network maps. Smooth columns are computed at half the resolution and interpolated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from segboost._types import Float32Array, FloatArray, Int32Array, Int64Array
from segboost.features.pixels.box_means import box_means, halve
from segboost.features.pixels.sampling import sample_at

MOST_MARGIN = 6.0
"""Margins are clipped to ± this value, beyond which every superpixel is certain."""
BLURS = (1, 3, 7)
"""Radii of the means of margin and foreground, in pixels of the halved image, applied twice."""
WINDOWS = (5, 12)
"""Radii of the windows that local colours are taken from, in pixels of the halved image."""
NAMES = (
    "margin",
    *(f"margin within {2 * r + 1}" for r in BLURS),
    *(f"foreground within {2 * r + 1}" for r in BLURS[1:]),
    "distance",
    *("L", "U", "V"),
    *(
        f"{what} within {2 * r}"
        for r in WINDOWS
        for what in ("to foreground", "to background", "nearer background", "probability")
    ),
)
"""The columns before those of the network maps."""


@dataclass(frozen=True, eq=False)
class PixelSource:
    """An image with its superpixels and their margins.

    Parameters
    ----------
    luv : ndarray of float32, shape (H, W, 3)
    superpixels : ndarray of int32, shape (H, W)
    margin : ndarray of shape (P,)
        Log-odds of the foreground relative to the decision threshold.
    distance : ndarray of int32, shape (H, W)
        Signed distance from the border, positive in the foreground.
    """

    luv: Float32Array
    superpixels: Int32Array
    margin: FloatArray
    distance: Int32Array


def describe_pixels(
    source: PixelSource, maps: Sequence[Float32Array]
) -> Callable[[Int64Array, Int64Array], Float32Array]:
    """Return a function from rows and columns of n pixels to their features.

    The features are float32, shape (n, len(NAMES) + ΣC). Smooth columns are computed once, in
    advance. The function can then be called on batches of pixels if the features of all of them
    would not fit into memory.

    Parameters
    ----------
    source : PixelSource
    maps : sequence of ndarray of float32, shape (C, h, w)
        Maps of a network.
    """
    shape = source.superpixels.shape
    margin = np.clip(source.margin, -MOST_MARGIN, MOST_MARGIN).astype(np.float32)
    values = margin[source.superpixels]
    half_margin = halve(values)
    foreground = halve((values > 0).astype(np.float32))
    probability: Float32Array = expit(half_margin)
    parts = [*_blurs(half_margin, foreground), *_local_colours(halve(source.luv), probability)]
    smooth = np.concatenate(parts, axis=-1)
    cells = [np.ascontiguousarray(m.transpose(1, 2, 0)) for m in maps]

    def describe(rows: Int64Array, columns: Int64Array) -> Float32Array:
        at = sample_at(smooth, rows, columns, shape)
        own = _own_columns(source, values, at, rows, columns)
        return np.concatenate([own, *(sample_at(c, rows, columns, shape) for c in cells)], axis=1)

    return describe


def _blurs(margin: Float32Array, foreground: Float32Array) -> list[Float32Array]:
    """Return the blurred margin and foreground, two channels per radius."""
    both = np.stack([margin, foreground], axis=-1)
    return [box_means(box_means(both, radius), radius) for radius in BLURS]


def _local_colours(luv: Float32Array, probability: Float32Array) -> list[Float32Array]:
    """Return per window the mean colours of foreground and background, and the probability."""
    p = probability[..., None]
    found = []
    for radius in WINDOWS:
        means = box_means(np.concatenate([p, luv, luv * p], axis=-1), radius)
        share, all_colours, weighted = means[..., :1], means[..., 1:4], means[..., 4:]
        foreground = weighted / np.maximum(share, 1e-3)
        background = (all_colours - weighted) / np.maximum(1 - share, 1e-3)
        found.append(np.concatenate([foreground, background, share], axis=-1))
    return found


def _own_columns(
    source: PixelSource,
    values: Float32Array,
    at: Float32Array,
    rows: Int64Array,
    columns: Int64Array,
) -> Float32Array:
    """Return the columns of `NAMES` from the sampled smooth maps."""
    luv = source.luv[rows, columns]
    found: list[Any] = [values[rows, columns], at[:, 0], at[:, 2], at[:, 4], at[:, 3], at[:, 5]]
    found += [source.distance[rows, columns], *luv.T]
    first = 2 * len(BLURS)
    for _ in WINDOWS:
        near = at[:, first : first + 7]
        to_foreground = np.linalg.norm(luv - near[:, :3], axis=1)
        to_background = np.linalg.norm(luv - near[:, 3:6], axis=1)
        found += [to_foreground, to_background, to_foreground - to_background, near[:, 6]]
        first += 7
    return np.stack(found, axis=1).astype(np.float32)
