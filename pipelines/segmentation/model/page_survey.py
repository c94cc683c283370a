"""Survey of a large page: the page-wide statistics that features and context need."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from segboost._types import AnyArray, ByteArray, FloatArray
from segboost.features.groups.region_context import context_maps
from segboost.features.image import as_rgb, split_channels
from segboost.features.luv import rgb_to_luv
from segboost.features.page import BLOCK, PagePart, PageStatistics, pad_to_grid
from segboost.features.presets import Preset
from segboost.features.superpixels.blocks import block_edges, cut_blocks
from segboost.features.superpixels.planes import compared_planes
from segboost.pipelines.segmentation.images.page_view import PageView
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter

SIDE = 512
"""Side of the sampled places; at least a block."""
FEWEST, MOST = 2, 4
"""Minimum and maximum number of places along each side of a page."""
SHARE = 1 / 16
"""The share of a page that is sampled, up to `MOST` places along each side."""

ReadPart = Callable[[slice, slice], ByteArray]
"""Returns rows and columns of a page as the input of a model, shape (h, w, channels)."""


def survey_page(
    model: Segmenter, height: int, width: int, read: ReadPart, block: int = BLOCK
) -> PageView:
    """Return the view of a large page, from a few places spread over it.

    The places depend on the page's size alone, so that the result of a tile does not depend on
    the other tiles.

    Parameters
    ----------
    model : Segmenter
    height, width : int
        Size of the page.
    read : callable
    block : int
        Side of the blocks in which superpixels are cut.
    """
    page = PagePart(height, width, block=block)
    found = [
        (page.at(rows.start, columns.start), pad_to_grid(read(rows, columns)))
        for rows in spread_places(height, height * width, block)
        for columns in spread_places(width, height * width, block)
    ]
    statistics = page_statistics(model.preset, found)
    page = PagePart(height, width, block=block, statistics=statistics)
    if model.unary.context is None:
        return PageView(page)
    blocks = [
        model.prepare(pixels, page=PageView(page.at(part.top, part.left))) for part, pixels in found
    ]
    return PageView(page, model.unary.summarise(blocks))


def spread_places(length: int, pixels: int, block: int = BLOCK) -> list[slice]:
    """Return rows or columns of whole blocks to sample, evenly spread.

    Parameters
    ----------
    length : int
        Height or width of the page.
    pixels : int
        Number of pixels of the page.
    block : int

    Examples
    --------
    >>> spread_places(4000, 4000 * 4000)
    [slice(896, 1408, None), slice(2944, 3456, None)]
    """
    edges = block_edges(0, length, block)
    edges = [*edges[: -1 : max(1, SIDE // block)], length]
    every = [slice(start, stop) for start, stop in pairwise(edges)]
    wanted = int(np.clip(round((SHARE * pixels) ** 0.5 / SIDE), FEWEST, MOST))
    count = min(wanted, len(every))
    return [every[int((n + 0.5) * len(every) / count)] for n in range(count)]


def page_statistics(preset: Preset, blocks: list[tuple[PagePart, AnyArray]]) -> PageStatistics:
    """Return the means over blocks of a page."""
    pixels, superpixels = 0, 0
    sums: list[FloatArray] = []
    for part, values in blocks:
        colours, further = split_channels(values, preset.n_further)
        rgb = as_rgb(colours)
        luv = rgb_to_luv(rgb)
        planes, origin = compared_planes(luv, further), (part.top, part.left)
        labels = cut_blocks(preset.superpixels, rgb, planes, origin, part.block)
        parts = [luv, context_maps(luv)] + ([] if further is None else [further])
        every = np.concatenate(parts, axis=2)
        sums.append(every.sum(axis=(0, 1), dtype=np.float64))
        superpixels += int(labels.max()) + 1
        pixels += labels.size
    mean = np.sum(sums, axis=0) / pixels
    return PageStatistics(pixels / superpixels, mean[:3], mean[3:11], mean[11:])
