"""Finished tiles of an image on disk, so that an interrupted run can be resumed by tile."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import ByteArray
from segboost.pipelines.batch.scientific.tile import TileResult
from segboost.pipelines.segmentation.images.tiling import Tile
from segboost.storage.leftovers import remove_leftovers
from segboost.storage.ownership import ForeignFileError
from segboost.storage.whole_file import write_whole

MASK, PROBABILITY, MARK = "mask", "probability", "mark"
SUFFIX = ".tiles"
UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, TypeError)
"""Errors raised by files that are not tiles; TypeError by a file with a single array."""


class TileStore:
    """A folder of finished tiles, removed when the image is done.

    Every tile carries a mark with the digest of the key. Files without it are foreign: they are
    neither read nor replaced nor removed.

    Parameters
    ----------
    output : Path
        The output folder.
    stem : str
        Name of the image without its extension.
    key : mapping
        Everything that the tiles depend on, as JSON values; a different key gives a different
        folder.
    """

    def __init__(self, output: Path, stem: str, key: Mapping[str, Any]) -> None:
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        self.folder = output / f".{stem}-{digest[:16]}{SUFFIX}"
        self._mark = f"segboost tile {digest}"

    def __contains__(self, tile: Tile) -> bool:
        return self._is_ours(self._path(tile))

    def refuse_foreign(self, tiles: Sequence[Tile]) -> None:
        """Raise ForeignFileError if the folder, or a file at a tile's path, is not ours."""
        if self.folder.is_symlink() or (self.folder.exists() and not self.folder.is_dir()):
            self._refuse(self.folder)
        for path in map(self._path, tiles):
            if _exists(path) and not self._is_ours(path):
                self._refuse(path)

    def put(self, tile: Tile, result: TileResult) -> None:
        """Write a tile.

        Raises
        ------
        ForeignFileError
            If a file that is not a tile of this image has its path.
        """
        self.refuse_foreign([tile])
        self.folder.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {
            MARK: np.array(self._mark),
            MASK: result.mask,
            "counts": np.array([result.superpixels, result.cpu_seconds]),
        }
        if result.probability is not None:
            arrays[PROBABILITY] = result.probability
        data = io.BytesIO()
        np.savez_compressed(data, allow_pickle=False, **arrays)
        write_whole(self._path(tile), data.getvalue())

    def get(self, tile: Tile, what: str = MASK) -> ByteArray:
        """Return the mask or the probability of a tile's core."""
        with np.load(self._path(tile), allow_pickle=False) as arrays:
            found: ByteArray = arrays[what]
            return found

    def counts(self, tile: Tile) -> tuple[int, float]:
        """Return superpixels and CPU seconds of a tile."""
        with np.load(self._path(tile), allow_pickle=False) as arrays:
            superpixels, seconds = arrays["counts"]
            return int(superpixels), float(seconds)

    def bands(self, tiles: list[Tile], width: int, what: str = MASK) -> Iterator[ByteArray]:
        """Yield the rows of tiles of a page as arrays of shape (h, width), from top to bottom."""
        for top in sorted({tile.core.top for tile in tiles}):
            row = [tile for tile in tiles if tile.core.top == top]
            band = np.zeros((row[0].core.bottom - top, width), dtype=np.uint8)
            for tile in row:
                band[:, tile.core.columns] = self.get(tile, what)
            yield band

    def remove(self, tiles: list[Tile]) -> str:
        """Remove these tiles, and the folder if nothing else is in it.

        Returns
        -------
        str
            What is left and why, in one line; empty if nothing is left.
        """
        if self.folder.is_symlink() or not self.folder.is_dir():
            return ""
        for tile in tiles:
            if tile in self:
                self._path(tile).unlink(missing_ok=True)
        remove_leftovers(self.folder)  # of runs that were killed while they wrote a tile
        remaining = sorted(path.name for path in self.folder.iterdir())
        if not remaining:
            self.folder.rmdir()
            return ""
        return f"{self.folder.name} is kept: {remaining[0]} in it was not written by segboost"

    def _path(self, tile: Tile) -> Path:
        return self.folder / f"{tile.name}.npz"

    def _is_ours(self, path: Path) -> bool:
        """Whether a regular file carries the mark; damaged and other files do not."""
        if path.is_symlink() or not path.is_file() or self.folder.is_symlink():
            return False
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return arrays[MARK].shape == () and str(arrays[MARK]) == self._mark
        except UNREADABLE:
            return False

    def _refuse(self, path: Path) -> None:
        raise ForeignFileError(
            f"{path} is where finished tiles are kept, but was not written by segboost: move it "
            "or choose another --output"
        )


def _exists(path: Path) -> bool:
    return path.is_symlink() or path.exists()
