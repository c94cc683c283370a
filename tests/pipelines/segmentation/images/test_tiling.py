"""Tiles cover a page once and see whole blocks of superpixels."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.features.superpixels.blocks import block_edges
from segboost.pipelines.segmentation.images.tiling import LARGEST_UNTILED, plan_tiles


@pytest.mark.parametrize("shape", [(1, 1), (256, 256), (257, 700), (1000, 300)])
def test_cores_cover_every_pixel_once(shape):
    count = np.zeros((2, *shape), int)
    for tile in plan_tiles(2, *shape, 256, 64):
        count[tile.page, tile.core.rows, tile.core.columns] += 1
        assert tile.view.top <= tile.core.top
        assert tile.view.right >= tile.core.right
        inner = np.zeros(shape)[tile.view.rows, tile.view.columns][tile.core.within(tile.view)]
        assert inner.shape == np.zeros(shape)[tile.core.rows, tile.core.columns].shape
    assert (count == 1).all()


def test_small_pages_are_whole():
    assert len(plan_tiles(3, 2048, 2048)) == 3
    assert len(plan_tiles(1, LARGEST_UNTILED // 100, 101)) > 1
    for bad in (100, 300):
        with pytest.raises(ValueError, match="tile"):
            plan_tiles(1, 10, 10, bad)
    for bad in (-64, 0, 100):
        with pytest.raises(ValueError, match="overlap"):
            plan_tiles(1, 10, 10, 256, bad)


@pytest.mark.parametrize("tile", [256, 768, 1024])
def test_views_are_whole_blocks_with_the_overlap(tile):
    edges = set(block_edges(0, 3000, 256))
    for one in plan_tiles(1, 3000, 3000, tile):
        assert {one.view.top, one.view.bottom, one.view.left, one.view.right} <= edges
        assert one.view.top <= max(one.core.top - 128, 0)
        assert one.view.bottom >= min(one.core.bottom + 128, 3000)
