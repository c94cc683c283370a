"""Superpixels of large pages, cut block by block.

Merging down to a number of regions depends on all pixels of an image. With blocks at fixed
positions of the page, a tile gets the superpixels of the whole page wherever its blocks are
complete.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from segboost._types import Float32Array
from segboost.features.image import RGB
from segboost.features.superpixels.connectivity import Labels
from segboost.features.superpixels.methods import (
    USUAL_PIXELS,
    GraphMerging,
    Slic,
    SuperpixelMethod,
)


def block_edges(start: int, stop: int, block: int) -> list[int]:
    """Return the block edges between two rows or columns of a page, including both ends.

    Examples
    --------
    >>> block_edges(0, 600, 256), block_edges(128, 384, 256)
    ([0, 128, 384, 600], [128, 384])
    """
    first = start + (block // 2 - start) % block
    inner = [edge for edge in range(first, stop, block) if edge > start]
    return [start, *inner, stop]


def scaled_method(method: SuperpixelMethod, pixels: int) -> SuperpixelMethod:
    """Return a method with as many superpixels per pixel as in an image of 640 × 480 pixels."""
    share = pixels / USUAL_PIXELS
    if isinstance(method, GraphMerging):
        count = max(1, round(method.max_count * share))
        return replace(method, max_count=count, count_limit=count)
    if isinstance(method, Slic):
        return replace(method, n_segments=max(1, round(method.n_segments * share)))
    return method


def cut_blocks(
    method: SuperpixelMethod,
    rgb: RGB,
    luv: Float32Array,
    origin: tuple[int, int],
    block: int,
) -> Labels:
    """Return connected labels 0 … P−1, shape (H, W), none of which crosses a block's border.

    Parameters
    ----------
    method : SuperpixelMethod
    rgb, luv : ndarray of float32, shape (H, W, 3)
        LUV may be followed by further planes; see `compared_planes`.
    origin : tuple of int
        Row and column of the first pixel in its page.
    block : int
        Side of the blocks in pixels.
    """
    labels = np.empty(rgb.shape[:2], np.int32)
    rows, columns = (
        block_edges(start, start + size, block)
        for start, size in zip(origin, rgb.shape[:2], strict=True)
    )
    count = 0
    y, x = origin
    for top, bottom in pairwise(rows):
        for left, right in pairwise(columns):
            place = np.s_[top - y : bottom - y, left - x : right - x]
            one = scaled_method(method, (bottom - top) * (right - left))
            found = one.cut(np.ascontiguousarray(rgb[place]), np.ascontiguousarray(luv[place]))
            labels[place] = found + count
            count += int(found.max()) + 1
    return labels
