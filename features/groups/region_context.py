"""Groups beyond the paper's 14: position, neighbourhood colour, region shape, larger context."""

from __future__ import annotations

import numpy as np

from segboost._types import Float32Array, Int32Array, Int64Array
from segboost.features.groups.integral import integral, pool_grid
from segboost.features.image_context import ImageContext, pad_by_reflection
from segboost.features.superpixels.adjacency import region_means

BLOCK = 64
"""The side in pixels of the 3×3 blocks of the larger context."""
# The larger context is pooled from means of 4×4 pixels.
_STEP = 4

POSITION = ("x", "y", "x from middle", "y from middle", "distance to border")
SHAPE = (
    "area",
    "height",
    "width",
    "extent",
    "elongation",
    "cos of axis",
    "sin of axis",
    "compactness",
    "neighbours",
    "border contact",
)
_LUV = ("L", "u", "v")
NEIGHBOURHOOD = tuple(
    f"{what} {channel}"
    for what in ("mean", "deviation", "mean 1 step", "mean 2 steps", "minus 1 step",
                 "minus 2 steps", "minus image")
    for channel in _LUV
)  # fmt: skip
_CONTEXT_MAPS = ("L", "u", "v", "L²", *(f"edge {n}" for n in range(4)))
CONTEXT = tuple(
    f"block ({a},{b}) {name}" for a in range(3) for b in range(3) for name in _CONTEXT_MAPS
) + tuple(f"image {name}" for name in _CONTEXT_MAPS)


def position(context: ImageContext) -> Float32Array:
    """Return the position of each superpixel's centre, values in [0, 1], shape (P, 5)."""
    centres, shape = context.page_centres
    y, x = (centres / np.maximum(shape - 1, 1)).T
    border = np.minimum.reduce([y, x, 1 - y, 1 - x])
    columns = [x, y, 2 * abs(x - 0.5), 2 * abs(y - 0.5), 2 * border]
    return np.stack(columns, axis=1).astype(np.float32)


def neighbourhood_colour(context: ImageContext) -> Float32Array:
    """Return LUV means and deviations of each superpixel and means of its surroundings.

    The means over superpixels up to one and up to two steps away are weighted by area and exclude
    the superpixel itself; in an image with a single superpixel, its own mean is used.

    Returns
    -------
    ndarray of float32, shape (P, 21)
    """
    mean = region_means(context.labels, context.luv, context.count)
    square = region_means(context.labels, context.luv**2, context.count)
    deviation = np.sqrt(np.maximum(square - mean**2, 0))
    area = context.area[:, None].astype(np.float64)
    rings = []
    for steps in (1, 2):
        near = context.within(steps)
        weight = near @ area - area
        total = near @ (area * mean) - area * mean
        rings.append(np.where(weight > 0, total / np.maximum(weight, 1), mean))
    if context.page is None:
        whole = (area * mean).sum(axis=0) / area.sum()
    else:
        whole = context.page.means().luv
    parts = [mean, deviation, *rings, *(mean - ring for ring in rings), mean - whole]
    return np.concatenate(parts, axis=1).astype(np.float32)


def region_shape(context: ImageContext) -> Float32Array:
    """Return the shape of each superpixel, shape (P, 10).

    Area is the square root of the fraction of the image; height and width are those of the
    bounding box as fractions of the image's; extent is area / box. Elongation is ``1 − λ₂/λ₁`` of
    the pixel covariance; the angle of its first axis is doubled (cos, sin). Compactness is
    ``4π area / perimeter²``, border contact the fraction of the perimeter on the image border.
    """
    height, width = context.reference_shape
    flat, count, area = context.labels.ravel(), context.count, context.area
    y, x = np.divmod(np.arange(flat.size), context.labels.shape[1])
    box = np.array([_range(flat, y, count), _range(flat, x, count)])
    grid = np.stack([y, x, y * y, x * x, x * y], axis=1).astype(np.float64)
    my, mx, yy, xx, xy = (np.bincount(flat, grid[:, k], count) / area for k in range(5))
    # A pixel is a unit square, whose variance is 1/12.
    vy, vx, cov = yy - my**2 + 1 / 12, xx - mx**2 + 1 / 12, xy - mx * my
    spread = np.hypot(vx - vy, 2 * cov)
    larger, smaller = (vx + vy + spread) / 2, (vx + vy - spread) / 2
    turn = np.where(spread > 1e-9, spread, np.inf)
    border = _border_contact(context)
    inner = context.adjacency
    shared = np.bincount(inner.edges.ravel(), np.repeat(inner.boundary_length, 2), count)
    perimeter = shared + border
    columns = [
        np.sqrt(area / (height * width)),
        box[0] / height,
        box[1] / width,
        area / (box[0] * box[1]),
        1 - smaller / larger,
        (vx - vy) / turn,
        2 * cov / turn,
        4 * np.pi * area / perimeter**2,
        np.bincount(inner.edges.ravel(), minlength=count),
        border / perimeter,
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def larger_context(context: ImageContext) -> Float32Array:
    """Return colour and edge energy of 3×3 blocks of 64×64 pixels, and of the whole image.

    The middle block is centred on the superpixel. Maps: L, u, v, L²/100, and the
    absolute slope ``|∇L · d|`` in 4 directions d: right, down and the two diagonals.

    Returns
    -------
    ndarray of float32, shape (P, 80)
    """
    maps = context_maps(context.luv)
    means = pad_by_reflection(_block_means(maps, _STEP), 3 * BLOCK // 2 // _STEP)
    sums = integral(np.ascontiguousarray(np.moveaxis(means, 2, 0)))
    # After padding, the coordinates of a centre are the corner of the patch around it.
    blocks = pool_grid(sums, context.centres / _STEP, BLOCK / _STEP, 3)
    mean = maps.mean(axis=(0, 1)) if context.page is None else context.page.means().maps
    whole = np.broadcast_to(mean, (context.count, maps.shape[2]))
    return np.concatenate([blocks, whole], axis=1).astype(np.float32)


def context_maps(luv: Float32Array) -> Float32Array:
    """Return the maps of the larger context, shape (H, W, 8)."""
    light = np.pad(luv[..., 0], 1, mode="edge")
    dx = (light[1:-1, 2:] - light[1:-1, :-2]) / 2
    dy = (light[2:, 1:-1] - light[:-2, 1:-1]) / 2
    edges = [abs(dx), abs(dy), abs(dx + dy) / np.sqrt(2), abs(dx - dy) / np.sqrt(2)]
    parts = [*np.moveaxis(luv, 2, 0), luv[..., 0] ** 2 / 100, *edges]
    return np.stack(parts, axis=2).astype(np.float32)


def _block_means(maps: Float32Array, step: int) -> Float32Array:
    """Return the means of step × step pixels; the last pixels are repeated to fill a block."""
    height, width, channels = maps.shape
    fill = [(0, -height % step), (0, -width % step), (0, 0)]
    full = np.pad(maps, fill, mode="edge")
    blocks = full.reshape(full.shape[0] // step, step, full.shape[1] // step, step, channels)
    return np.asarray(blocks.mean(axis=(1, 3), dtype=np.float32))


def _range(flat: Int32Array, values: Int64Array, count: int) -> Int64Array:
    """Return the length of the range of values of each label, shape (P,)."""
    low = np.full(count, values.max())
    high = np.zeros(count, np.int64)
    np.minimum.at(low, flat, values)
    np.maximum.at(high, flat, values)
    return high - low + 1


def _border_contact(context: ImageContext) -> Int64Array:
    """Return the number of pixel edges of each superpixel on the image border, shape (P,)."""
    labels, page = context.labels, context.page
    sides = [labels[0], labels[-1], labels[:, 0], labels[:, -1]]
    if page is not None:
        # The part's own borders are the page's only where the page ends.
        height, width = labels.shape
        ends = (page.top == 0, page.top + height >= page.height,
                page.left == 0, page.left + width >= page.width)  # fmt: skip
        sides = [side[: side.size * end] for side, end in zip(sides, ends, strict=True)]
    return np.bincount(np.concatenate(sides), minlength=context.count)
