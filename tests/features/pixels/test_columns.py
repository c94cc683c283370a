from __future__ import annotations

import numpy as np

from segboost.features.pixels.columns import NAMES, PixelSource, describe_pixels


def source(height=24, width=32, edge=16):
    """Return a dark left and a bright right half; the superpixels' border is 4 pixels off."""
    rgb = np.zeros((height, width, 3), np.float32)
    rgb[:, edge:] = 0.9
    superpixels = np.zeros((height, width), np.int32)
    superpixels[:, edge + 4 :] = 1
    distance = np.where(superpixels == 1, 1, -1).astype(np.int32)
    margin = np.array([-2.0, 3.0])
    return PixelSource(rgb * 100, superpixels, margin, distance)


def columns_at(rows, columns, maps=()):
    found = describe_pixels(source(), maps)(np.array(rows), np.array(columns))
    assert found.shape == (len(rows), len(NAMES) + sum(len(m) for m in maps))
    return {name: found[:, k] for k, name in enumerate(NAMES)}, found


def test_columns_show_which_side_a_colour_belongs_to():
    named, _ = columns_at([12, 12], [10, 18])  # dark and bright, both in the background
    assert named["margin"].tolist() == [-2.0, -2.0]
    dark, bright = named["nearer background within 10"]
    assert dark > 0 > bright
    assert named["margin within 15"][1] > named["margin within 15"][0]


def test_certain_margins_are_cut_off():
    far = source()
    far.margin[:] = -100, 100
    found = describe_pixels(far, ())(np.array([0, 0]), np.array([0, 31]))
    assert found[:, 0].tolist() == [-6.0, 6.0]


def test_network_maps_come_last():
    maps = [np.full((3, 6, 8), 5.0, np.float32), np.zeros((1, 2, 2), np.float32)]
    _, found = columns_at([3], [4], maps)
    assert found[0, len(NAMES) :].tolist() == [5.0, 5.0, 5.0, 0.0]
