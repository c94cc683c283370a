"""Overlapping tiles of large images."""

from __future__ import annotations

from dataclasses import dataclass

from segboost.features.page import BLOCK, GRID
from segboost.features.superpixels.blocks import block_edges
from segboost.io.scientific.window import Window

DEFAULT_TILE = 1024
DEFAULT_OVERLAP = BLOCK // 2
STEP = 256
"""Sides of tiles are multiples of this, which is the side of the tiles in TIFF files."""
LARGEST_UNTILED = 2048 * 2048
"""Pages of at most this many pixels are segmented as a whole, unless a tile size is given."""


@dataclass(frozen=True)
class Tile:
    """A part of a page.

    Parameters
    ----------
    page : int
    core : Window
        The pixels whose result is kept; the cores of a page cover it exactly once.
    view : Window
        The pixels that are segmented: the core and the overlap with its neighbours.
    """

    page: int
    core: Window
    view: Window

    @property
    def name(self) -> str:
        """A name that is unique in an image."""
        return f"{self.page}-{self.core.top}-{self.core.left}"


def plan_tiles(
    pages: int,
    height: int,
    width: int,
    tile: int | None = None,
    overlap: int = DEFAULT_OVERLAP,
) -> list[Tile]:
    """Return the tiles of an image, page by page, in reading order.

    Parameters
    ----------
    pages, height, width : int
    tile : int, optional
        Side of the cores in pixels; pages of up to `LARGEST_UNTILED` pixels are one tile by
        default, and larger ones have cores of `DEFAULT_TILE` pixels.
    overlap : int
        Minimum number of pixels around a core that are segmented with it. Views end where blocks
        of superpixels end, whose side is twice the overlap.

    Examples
    --------
    >>> [tile.view for tile in plan_tiles(1, 200, 500, 256, 64)]
    [Window(top=0, bottom=200, left=0, right=320), Window(top=0, bottom=200, left=192, right=500)]
    """
    if tile is not None and (tile < STEP or tile % STEP):
        raise ValueError(f"tile: expected a multiple of {STEP} pixels, got {tile}")
    if overlap < GRID or overlap % GRID:
        raise ValueError(f"overlap: expected a multiple of {GRID} pixels, got {overlap}")
    if not is_large(height, width, tile):
        whole = Window(0, height, 0, width)
        return [Tile(page, whole, whole) for page in range(pages)]
    side = tile or DEFAULT_TILE
    tiles = []
    for page in range(pages):
        for top in range(0, height, side):
            for left in range(0, width, side):
                core = Window(top, min(top + side, height), left, min(left + side, width))
                rows = _whole_blocks(core.top, core.bottom, overlap, height)
                columns = _whole_blocks(core.left, core.right, overlap, width)
                tiles.append(Tile(page, core, Window(*rows, *columns)))
    return tiles


def is_large(height: int, width: int, tile: int | None = None) -> bool:
    """Whether pages of this size are segmented by tiles, even if there is only one."""
    return tile is not None or height * width > LARGEST_UNTILED


def _whole_blocks(start: int, stop: int, overlap: int, length: int) -> tuple[int, int]:
    """Return the smallest range of whole blocks with the overlap on both sides."""
    edges = block_edges(0, length, 2 * overlap)
    low, high = max(start - overlap, 0), min(stop + overlap, length)
    return max(e for e in edges if e <= low), min(e for e in edges if e >= high)
