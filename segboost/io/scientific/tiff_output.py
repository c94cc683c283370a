"""Writing results as tiled, compressed TIFF files that keep the tags of their source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tifffile import TiffWriter

from segboost._types import AnyArray
from segboost.storage.whole_file import PendingFile

SIDE = 256
BIG = 2**31
"""Larger results are written as BigTIFF."""


def write_tiff_stack(
    path: Path,
    pages: Iterable[Iterable[AnyArray]],
    shape: tuple[int, int, int],
    dtype: npt.DTypeLike = np.uint8,
    tags: Sequence[tuple[Any, ...]] = (),
    colours: Sequence[tuple[int, int, int]] | None = None,
) -> Path:
    """Write pages, which come as bands of rows, to a TIFF file with bounded memory.

    The file appears whole or not at all.

    Parameters
    ----------
    path : Path
    pages : iterable of iterable of ndarray of shape (h, W)
        For each page its bands from top to bottom; all but the last with a height that is a
        multiple of 256, or one band per page.
    shape : (int, int, int)
        Pages, height and width.
    dtype : dtype
    tags : sequence of tuple
        Tags of the source; see `ImageInfo.tags`.
    colours : sequence of (red, green, blue), optional
        A palette for class indices.
    """
    n_pages, height, width = shape
    options: dict[str, Any] = {"photometric": "minisblack"}
    if colours is not None:
        table = np.zeros((3, 256), dtype=np.uint16)
        table[:, : len(colours)] = np.array(colours, dtype=np.uint16).T * 257
        options = {"photometric": "palette", "colormap": table}
    size = n_pages * height * width * np.dtype(dtype).itemsize
    pending = PendingFile(path)
    try:
        with TiffWriter(pending.temporary, bigtiff=size > BIG) as writer:
            for bands in pages:
                writer.write(
                    _tiles(bands, height, width, dtype),
                    shape=(height, width),
                    dtype=np.dtype(dtype),
                    tile=(SIDE, SIDE),
                    compression="zlib",
                    metadata=None,
                    extratags=[tag for tag in tags if tag[0] not in (282, 283, 296)],
                    **_resolution(tags),
                    **options,
                )
        return pending.commit()
    finally:
        pending.discard()


def _tiles(
    bands: Iterable[AnyArray], height: int, width: int, dtype: npt.DTypeLike
) -> Iterator[AnyArray]:
    """Yield tiles of 256×256 pixels in reading order."""
    rows = 0
    for band in bands:
        if rows % SIDE:
            raise ValueError(f"bands: expected heights that are multiples of {SIDE}")
        rows += len(band)
        if rows > height:
            raise ValueError(f"bands: expected {height} rows, got more")
        for top in range(0, len(band), SIDE):
            for left in range(0, width, SIDE):
                part = band[top : top + SIDE, left : left + SIDE]
                tile = np.zeros((SIDE, SIDE), dtype=dtype)
                tile[: part.shape[0], : part.shape[1]] = part
                yield tile
    if rows != height:
        raise ValueError(f"bands: expected {height} rows, got {rows}")


def _resolution(tags: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    found = {tag[0]: tag[3] for tag in tags}
    if not {282, 283} <= found.keys():
        return {}
    return {"resolution": (found[282], found[283]), "resolutionunit": int(found.get(296, 1))}
