"""Superpixels of parts of a page equal those of the whole page."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.features import GraphMerging, QuickShift, Slic, is_connected
from segboost.features.luv import rgb_to_luv
from segboost.features.superpixels.blocks import block_edges, cut_blocks, scaled_method
from segboost.features.superpixels.connectivity import in_reading_order

METHODS = [GraphMerging(), QuickShift(), Slic()]


def cut(method, image, origin=(0, 0), block=128):
    rgb = image.astype(np.float32) / np.float32(255)
    return cut_blocks(method, rgb, rgb_to_luv(rgb), origin, block)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
def test_parts_have_the_superpixels_of_the_page(method, photograph):
    whole = cut(method, photograph)
    assert is_connected(whole)
    assert np.unique(whole).size == whole.max() + 1
    part = cut(method, photograph[64:192, 64:320], (64, 64))
    same = in_reading_order(whole[64:192, 64:320])
    assert (in_reading_order(part) == same).all()


def test_no_superpixel_crosses_the_border_of_a_block(photograph):
    labels = cut(GraphMerging(), photograph)
    rows, columns = block_edges(0, 240, 128), block_edges(0, 320, 128)
    assert (rows, columns) == ([0, 64, 192, 240], [0, 64, 192, 320])
    for edge in rows[1:-1]:
        assert np.intersect1d(labels[:edge], labels[edge:]).size == 0
    for edge in columns[1:-1]:
        assert np.intersect1d(labels[:, :edge], labels[:, edge:]).size == 0


@pytest.mark.parametrize("pixels", [1, 64 * 64, 512 * 512, 640 * 480])
def test_the_number_of_superpixels_follows_the_area(pixels):
    share = pixels / (640 * 480)
    merging = scaled_method(GraphMerging(), pixels)
    for size in ((64, 64), (512, 512), (2000, 2000)):
        assert merging.count(*size) == max(1, round(950 * share))
    assert scaled_method(Slic(), pixels).n_segments == max(1, round(1500 * share))
    assert scaled_method(QuickShift(), pixels) == QuickShift()


@pytest.mark.parametrize("start", [0, 64, 192, 320])
def test_edges_do_not_depend_on_the_part(start):
    every = block_edges(0, 1000, 128)
    found = block_edges(start, 1000, 128)
    assert found == sorted({start, *(e for e in every if e > start)})
