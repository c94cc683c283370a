"""A pass of a convolutional network over a large input in tiles, which bounds memory."""

from __future__ import annotations

import numpy as np

from segboost._types import Float32Array
from segboost.features.network.inputs import MOST_PIXELS
from segboost.features.network.runtime import Outputs, run_network
from segboost.features.network.source import NetworkSource

MARGIN = 256
"""Pixels of the input around a tile that are computed with it, a multiple of all strides."""


def run_in_tiles(
    source: NetworkSource,
    layers: tuple[str, ...],
    image: Float32Array,
    most: int = MOST_PIXELS,
    margin: int = MARGIN,
) -> Outputs:
    """Return the maps of `run_network`, computed in tiles if the input is too large.

    Parameters
    ----------
    source : NetworkSource
        A network whose layers are maps.
    layers : tuple of str
    image : ndarray of float32, shape (1, 3, H, W)
        Sides are multiples of the network's coarsest stride.
    most : int
        Maximum number of pixels of a tile, including its margin.
    margin : int
    """
    height, width = image.shape[2:]
    if height * width <= most:
        return run_network(source, layers, image)
    side = int(most**0.5)
    maps: Outputs = {}
    for top, bottom, above, below in _cores(height, side, margin):
        for left, right, before, after in _cores(width, side, margin):
            found = run_network(source, layers, image[:, :, above:below, before:after])
            for name, values in found.items():
                down = (below - above) // values.shape[2]
                across = (after - before) // values.shape[3]
                shape = (1, values.shape[1], height // down, width // across)
                whole = maps.setdefault(name, np.empty(shape, np.float32))
                whole[:, :, top // down : bottom // down, left // across : right // across] = (
                    values[
                        :,
                        :,
                        (top - above) // down : (bottom - above) // down,
                        (left - before) // across : (right - before) // across,
                    ]
                )
    return maps


def _cores(length: int, side: int, margin: int) -> list[tuple[int, int, int, int]]:
    """Return the start and end of every tile without and with its margin, clipped to the input."""
    if length <= side:
        return [(0, length, 0, length)]
    step = max(margin, (side - 2 * margin) // margin * margin)
    found = []
    for start in range(0, length, step):
        stop = min(start + step, length)
        found.append((start, stop, max(0, start - margin), min(length, stop + margin)))
    return found
