"""Segment one tile, in a local process or in a worker of a cluster."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from segboost._types import ByteArray
from segboost.io.scientific.intensities import IntensityScale
from segboost.io.scientific.sources import open_source
from segboost.pipelines.segmentation.images.page_view import PageView
from segboost.pipelines.segmentation.images.tiling import Tile
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter

__all__ = ["Tile", "TilePixels", "TileReader", "TileResult", "segment_tile"]

UNIT = 255
"""Probabilities of tiles are stored in this many steps."""


@dataclass(frozen=True, eq=False)
class TilePixels:
    """Input of a model for one tile.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (h, w, 3 + further channels)
        The tile with its overlap.
    page : PageView or None
        The position of the tile in its page, and the survey of the page; None if the tile is a
        whole page that is not large.
    """

    pixels: ByteArray
    page: PageView | None = None


@dataclass(frozen=True)
class TileReader:
    """Reads tiles of an image as the input of a model.

    Parameters
    ----------
    path : Path
    scale : IntensityScale
    axes : str, optional
    pages : mapping of int to PageView
        Surveys of large pages; empty if pages are segmented as a whole.
    """

    path: Path
    scale: IntensityScale
    axes: str | None = None
    pages: Mapping[int, PageView] = field(default_factory=dict)

    def __call__(self, tile: Tile) -> TilePixels:
        """Return a tile with its overlap."""
        with open_source(self.path, self.axes) as source:
            pixels = self.scale(source.read(tile.page, tile.view.rows, tile.view.columns))
        page = self.pages.get(tile.page)
        if page is None:
            return TilePixels(pixels)
        core = tile.core.within(tile.view)
        return TilePixels(pixels, page.at(tile.view.top, tile.view.left, core))


@dataclass(frozen=True, eq=False)
class TileResult:
    """The result for the core of a tile.

    Parameters
    ----------
    mask : ndarray of uint8, shape (h, w)
        Class indices.
    probability : ndarray of uint8, shape (h, w), or None
        255 times the probability of foreground or, with several classes, of the mask's class.
    superpixels : int
        Number of superpixels in the tile with its overlap.
    cpu_seconds : float
    """

    mask: ByteArray
    probability: ByteArray | None
    superpixels: int
    cpu_seconds: float


def segment_tile(
    model: Segmenter, tile: Tile, given: TilePixels, with_probability: bool
) -> TileResult:
    """Segment the pixels of a tile and keep the core.

    Parameters
    ----------
    model : Segmenter
    tile : Tile
    given : TilePixels
        From a `TileReader`.
    with_probability : bool
    """
    start = time.thread_time()
    found = model.predict(given.pixels, page=given.page)
    place = tile.core.within(tile.view)
    probability = None
    if with_probability:
        unit = model.probabilities(found.scores[place])
        if unit.ndim == 3:  # the CRF may prefer another class than the most probable one
            unit = np.take_along_axis(unit, found.mask[place][..., None], axis=2)[..., 0]
        probability = np.rint(unit * UNIT).astype(np.uint8)
    return TileResult(
        np.ascontiguousarray(found.mask[place]),
        probability,
        int(found.superpixels.max()) + 1,
        time.thread_time() - start,
    )
