"""Parts of large pages: their positions, and statistics of the whole page.

The features of a part must equal those of the whole page. Lengths are therefore compared with
`FIELD` instead of the sides of the image, superpixels are cut in blocks of the page, and means over
the image are those of `PageStatistics`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from segboost._types import AnyArray, FloatArray, Int64Array

FIELD = 1024
"""Replaces height and width in relative lengths: the side of training crops."""
GRID = 64
"""Parts begin at multiples of this, and are padded to them, so that network maps coincide."""
BLOCK = 256
"""Default side of the blocks in which superpixels are cut."""


@dataclass(frozen=True, eq=False)
class PageStatistics:
    """Means over a page, estimated from some of its blocks.

    Parameters
    ----------
    mean_area : float
        Pixels per superpixel.
    luv : ndarray of shape (3,)
        The mean colour.
    maps : ndarray of shape (8,)
        The means of the maps of the larger context.
    further : ndarray of shape (C,)
        The means of further channels, in [0, 1].
    """

    mean_area: float
    luv: FloatArray
    maps: FloatArray
    further: FloatArray


@dataclass(frozen=True, eq=False)
class PagePart:
    """The position of an array of pixels in a large page.

    Parameters
    ----------
    height, width : int
        Of the page, in pixels.
    top, left : int
        First row and column of the part, multiples of `GRID`.
    block : int
        Side of the blocks in which superpixels are cut, a multiple of 2 `GRID`. Blocks begin half
        a side before the page, so that the overlap of tiles can be half a block.
    statistics : PageStatistics, optional
        Required by features that compare with the whole image.
    """

    height: int
    width: int
    top: int = 0
    left: int = 0
    block: int = BLOCK
    statistics: PageStatistics | None = None

    def __post_init__(self) -> None:
        if self.block < 2 * GRID or self.block % (2 * GRID):
            raise ValueError(f"block: expected a multiple of {2 * GRID} pixels, got {self.block}")
        if self.top % GRID or self.left % GRID:
            raise ValueError(
                f"top, left: expected multiples of {GRID} pixels, got {self.top}, {self.left}"
            )

    def at(self, top: int, left: int) -> PagePart:
        """Return another part of the same page."""
        return replace(self, top=top, left=left)

    @property
    def shape(self) -> Int64Array:
        """Height and width of the page."""
        return np.array([self.height, self.width])

    def on_page(self, places: Int64Array) -> Int64Array:
        """Convert rows and columns of the part, shape (n, 2), to those of the page.

        Positions in the padding are moved to the page's border.
        """
        return np.minimum(places + np.array([self.top, self.left]), self.shape - 1)

    def means(self) -> PageStatistics:
        """Return the statistics; ValueError if there are none."""
        if self.statistics is None:
            raise ValueError("statistics: features of a part of a page need those of the page")
        return self.statistics


def pad_to_grid(pixels: AnyArray) -> AnyArray:
    """Return pixels, shape (h, w, …), padded below and on the right to multiples of `GRID`.

    Padding is by reflection, as hard borders would disturb the maps of networks. Only parts at the
    page's lower and right border need it, and the whole page is padded in the same way.
    """
    height, width = pixels.shape[:2]
    if height % GRID == 0 and width % GRID == 0:
        return pixels
    more = [(0, -height % GRID), (0, -width % GRID)] + [(0, 0)] * (pixels.ndim - 2)
    return np.pad(pixels, more, mode="symmetric")
