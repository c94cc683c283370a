"""The graph-based initial segmentation of an image into many small uniform regions."""

from __future__ import annotations

import numpy as np

from segboost._types import Float32Array, Int32Array, Int64Array
from segboost.features.kernel import kernel
from segboost.features.superpixels.connectivity import Labels, in_reading_order

# Weights are sorted by counting sort, in steps of 1/256 colour unit.
_STEPS = 256


def felzenszwalb_regions(
    colours: Float32Array, scale: float, min_area: int, max_area: int
) -> Labels:
    """Segment an image by the criterion of Felzenszwalb and Huttenlocher.

    Neighbouring pixels are joined in the order of their colour difference w. Two regions A and B
    join if ``w ≤ min(Int(A) + scale/|A|, Int(B) + scale/|B|)``, where Int is the largest
    difference joined inside a region, and if the result is no larger than `max_area`. Then
    regions below `min_area` join the neighbour across their weakest edge.

    Parameters
    ----------
    colours : ndarray of float32, shape (H, W, channels)
    scale : float
        In units of colour difference times pixels; larger values give larger regions.
    min_area, max_area : int
        In pixels.

    Returns
    -------
    ndarray of int32, shape (H, W)
        4-connected regions, numbered in reading order.

    References
    ----------
    P. Felzenszwalb, D. Huttenlocher, Efficient graph-based image segmentation, IJCV 59(2), 2004.
    """
    weights = _edge_weights(colours)
    bins = np.minimum(weights * _STEPS, 65535).astype(np.uint16)
    order = np.argsort(bins, kind="stable")
    roots = _join(order, weights, colours.shape[1], np.float32(scale), min_area, max_area)
    return in_reading_order(roots.reshape(colours.shape[:2]))


@kernel
def _edge_weights(colours: Float32Array) -> Float32Array:
    """Return the colour differences of pixel n to its right (2n) and lower (2n + 1) neighbour.

    Edges that would leave the image have infinite weight.
    """
    height, width, channels = colours.shape
    weights = np.full(2 * height * width, np.inf, np.float32)
    for i in range(height):
        for j in range(width):
            right = np.float32(0)
            down = np.float32(0)
            for k in range(channels):
                if j + 1 < width:
                    right += (colours[i, j, k] - colours[i, j + 1, k]) ** 2
                if i + 1 < height:
                    down += (colours[i, j, k] - colours[i + 1, j, k]) ** 2
            if j + 1 < width:
                weights[2 * (i * width + j)] = np.sqrt(right)
            if i + 1 < height:
                weights[2 * (i * width + j) + 1] = np.sqrt(down)
    return weights


@kernel
def _find(parent: Int32Array, node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@kernel
def _unite(parent: Int32Array, area: Int32Array, a: int, b: int) -> int:
    """Join two roots and return the common root: the larger one, so that trees stay flat."""
    if area[a] < area[b]:
        a, b = b, a
    parent[b] = a
    area[a] += area[b]
    return a


@kernel
def _join(
    order: Int64Array,
    weights: Float32Array,
    width: int,
    scale: np.float32,
    min_area: int,
    max_area: int,
) -> Int32Array:
    """Return the root pixel of every pixel's region, shape (H·W,)."""
    pixels = weights.size // 2
    parent = np.arange(pixels).astype(np.int32)
    area = np.ones(pixels, np.int32)
    limit = np.full(pixels, scale, np.float32)
    for edge in order:
        if weights[edge] == np.inf:
            continue
        a = _find(parent, edge // 2)
        b = _find(parent, edge // 2 + (width if edge % 2 else 1))
        if a != b and weights[edge] <= min(limit[a], limit[b]) and area[a] + area[b] <= max_area:
            a = _unite(parent, area, a, b)
            limit[a] = weights[edge] + scale / area[a]
    for edge in order:
        if weights[edge] == np.inf:
            continue
        a = _find(parent, edge // 2)
        b = _find(parent, edge // 2 + (width if edge % 2 else 1))
        if a != b and min(area[a], area[b]) < min_area:
            _unite(parent, area, a, b)
    for node in range(pixels):
        parent[node] = _find(parent, node)
    return parent
