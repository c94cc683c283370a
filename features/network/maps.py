"""Whole maps of the built-in network, for uses beyond their values at superpixels."""

from __future__ import annotations

from collections.abc import Sequence

from segboost._types import Float32Array
from segboost.features.image import RGB
from segboost.features.network.forward import STRIDE
from segboost.features.network.inputs import ANY_PIXELS, MOST_PIXELS, input_size, network_input
from segboost.features.network.runtime import run_network
from segboost.features.network.source import BuiltinNetwork
from segboost.features.network.tiled_pass import run_in_tiles

HALF = (0.5, 0.5, 0.5)
"""Mean and deviation that the built-in network expects."""


def network_maps(
    rgb: RGB, scale: float, layers: Sequence[str], of_page: bool = False
) -> list[Float32Array]:
    """Return layers of the built-in network for an image, shape (C, h, w) each.

    Parameters
    ----------
    rgb : ndarray of float32, shape (H, W, 3)
        In [0, 1].
    scale : float
        2 doubles the sides of the image, for finer maps.
    layers : sequence of str
    of_page : bool
        Whether the image is a part of a page: computed in tiles instead of being scaled down.
    """
    if not layers:
        return []
    height, width, _ = rgb.shape
    size = input_size((height, width), scale, STRIDE, ANY_PIXELS if of_page else MOST_PIXELS)
    run = run_in_tiles if of_page else run_network
    found = run(BuiltinNetwork(), tuple(layers), network_input(rgb, size, HALF, HALF))
    return [found[layer][0] for layer in layers]
