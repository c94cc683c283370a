"""Pixels near borders: the image and the network maps that describe them, and their scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from segboost._types import AnyArray, Float32Array, Int64Array
from segboost.features.image import RGB, as_rgb
from segboost.features.network.maps import network_maps
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage

PIXELS_AT_A_TIME = 65_536
"""Pixels near borders that are described and classified together, to bound memory."""


def rgb_and_maps(
    image: SuperpixelImage, settings: BorderSettings
) -> tuple[RGB, list[Float32Array]]:
    """Return the colours of an image and the network maps of the settings' layers.

    Raises
    ------
    ValueError
        If the image has no pixels.
    """
    if image.pixels is None:
        raise ValueError(f"image {image.name!r} has no pixels, which refining its borders needs")
    rgb = as_rgb(image.pixels)
    wanted = settings.wanted_maps
    maps = [image.maps[key] for key in wanted if key in image.maps]
    if len(maps) < len(wanted):
        of_page = image.page is not None
        maps = network_maps(rgb, settings.scale, settings.layers, of_page)
    return rgb, maps


def score_in_batches(
    score: Callable[[Int64Array, Int64Array], AnyArray], rows: Int64Array, columns: Int64Array
) -> AnyArray:
    """Return the scores of at least one pixel, computed in batches."""
    starts = range(0, rows.size, PIXELS_AT_A_TIME)
    parts = [slice(start, start + PIXELS_AT_A_TIME) for start in starts]
    return np.concatenate([score(rows[part], columns[part]) for part in parts])
