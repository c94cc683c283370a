"""Features of a part of a page equal those of the whole page."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.features import extract_features
from segboost.features.groups.base import COLOUR, CONTEXT, NEIGHBOURHOOD, POSITION, SHAPE
from segboost.features.groups.channels import ChannelGroup
from segboost.features.page import PagePart, PageStatistics, pad_to_grid
from segboost.features.presets import Preset
from segboost.features.superpixels.methods import GraphMerging

GROUPS = (COLOUR, POSITION, NEIGHBOURHOOD, SHAPE, CONTEXT, ChannelGroup(1))
PRESET = Preset("page", GraphMerging(), GROUPS)
STATISTICS = PageStatistics(323.0, np.array([50.0, 3.0, 4.0]), np.arange(8.0), np.array([0.4]))
PAGE = PagePart(256, 700, block=128, statistics=STATISTICS)


@pytest.fixture(scope="module")
def page_pixels():
    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 256, (32, 88, 4))
    fine = np.kron(coarse, np.ones((8, 8, 1)))[:256, :700] + rng.normal(0, 10, (256, 700, 4))
    return np.clip(fine, 0, 255).astype(np.uint8)


def test_features_of_a_part(page_pixels):
    whole = extract_features(pad_to_grid(page_pixels), PRESET, page=PAGE)
    part = extract_features(page_pixels[:, 192:576], PRESET, page=PAGE.at(0, 192))
    # Superpixels farther than the reach of the groups from the borders of the part.
    inner = np.unique(part.superpixels[:, 128:256])
    twins = whole.superpixels[:, 192:576][tuple(part.centres[inner].T)]
    assert (whole.area[twins] == part.area[inner]).all()
    assert (whole.centres[twins] == part.centres[inner] + [0, 192]).all()
    for group in GROUPS:
        found, expected = part[group.name][inner], whole[group.name][twins]
        np.testing.assert_allclose(found, expected, atol=2e-3, rtol=1e-4, err_msg=group.name)


def test_position_and_border_are_those_of_the_page(page_pixels):
    part = extract_features(page_pixels[:, 192:576], PRESET, page=PAGE.at(0, 192))
    x, y = part["position"][:, :2].T
    assert 190 / 700 < x.min() < x.max() < 578 / 700
    assert y.max() > 0.95
    touches = part["shape"][:, -1] > 0
    rows = np.concatenate([part.superpixels[0], part.superpixels[-1]])
    assert (np.flatnonzero(touches) == np.unique(rows)).all()


def test_padding_is_a_reflection_up_to_the_grid(page_pixels):
    padded = pad_to_grid(page_pixels)
    assert padded.shape == (256, 704, 4)
    assert (padded[:, :700] == page_pixels).all()
    assert (padded[:, 700] == page_pixels[:, 699]).all()
    assert pad_to_grid(padded) is padded


def test_parts_refuse_places_off_the_grid():
    with pytest.raises(ValueError, match="multiples of 64"):
        PAGE.at(0, 100)
    with pytest.raises(ValueError, match="block"):
        PagePart(10, 10, block=64)
    with pytest.raises(ValueError, match="statistics"):
        PagePart(10, 10).means()
