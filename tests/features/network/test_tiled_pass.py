"""A network that runs in tiles returns the maps of the whole input."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.features.network import tiled_pass
from segboost.features.network.maps import network_maps
from segboost.features.network.runtime import run_network
from segboost.features.network.source import BuiltinNetwork
from segboost.features.network.tiled_pass import run_in_tiles

LAYERS = ("stage2", "stage3")
"""A cell of stage3 sees 34 pixels to either side."""


@pytest.mark.parametrize("shape", [(320, 448), (64, 544), (192, 192)])
def test_tiles_make_up_the_whole(shape):
    image = np.random.default_rng(0).standard_normal((1, 3, *shape)).astype(np.float32)
    whole = run_network(BuiltinNetwork(), LAYERS, image)
    found = run_in_tiles(BuiltinNetwork(), LAYERS, image, most=192 * 192, margin=64)
    for layer in LAYERS:
        np.testing.assert_allclose(found[layer], whole[layer], atol=1e-4)


def test_without_a_margin_tiles_would_differ(monkeypatch):
    image = np.random.default_rng(0).standard_normal((1, 3, 320, 448)).astype(np.float32)
    whole = run_network(BuiltinNetwork(), LAYERS, image)
    cores = tiled_pass._cores

    def cores_without_margins(length, side, margin):
        return [(a, b, a, b) for a, b, _, _ in cores(length, side, margin)]

    monkeypatch.setattr(tiled_pass, "_cores", cores_without_margins)
    found = run_in_tiles(BuiltinNetwork(), LAYERS, image, most=192 * 192, margin=64)
    assert abs(found["stage3"] - whole["stage3"]).max() > 0.1


def test_parts_of_pages_are_never_scaled_down(monkeypatch):
    monkeypatch.setattr("segboost.features.network.maps.MOST_PIXELS", 64 * 64)
    rgb = np.random.default_rng(0).random((128, 192, 3), np.float32)
    [small] = network_maps(rgb, 1.0, ("stage2",))
    [full] = network_maps(rgb, 1.0, ("stage2",), of_page=True)
    assert full.shape == (24, 32, 48)
    assert small.shape[1] < 32
