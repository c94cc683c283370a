"""Finished tiles of an image on disk, so that an interrupted run can be resumed by tile."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import ByteArray
from segboost.pipelines.batch.scientific.tile_job import TileAnswer
from segboost.pipelines.segmentation.images.tiling import Tile
from segboost.storage.whole_file import write_whole

MASK, PROBABILITY = "mask", "probability"
SUFFIX = ".tiles"


class TileStore:
    """A folder of finished tiles, removed when the image is done.

    Parameters
    ----------
    output : Path
        The output folder.
    stem : str
        Name of the image without its extension.
    key : mapping
        Everything that the tiles depend on, as JSON values: another key is another folder.
    """

    def __init__(self, output: Path, stem: str, key: Mapping[str, Any]) -> None:
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        self.folder = output / f".{stem}-{digest[:16]}{SUFFIX}"

    def __contains__(self, tile: Tile) -> bool:
        return self._path(tile).is_file()

    def put(self, tile: Tile, answer: TileAnswer) -> None:
        """Write a tile."""
        self.folder.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {
            MASK: answer.mask,
            "counts": np.array([answer.superpixels, answer.cpu_seconds]),
        }
        if answer.probability is not None:
            arrays[PROBABILITY] = answer.probability
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

    def remove(self, tiles: list[Tile]) -> None:
        """Remove these tiles and the folder, unless something else is in it."""
        if not self.folder.is_dir():
            return
        for tile in tiles:
            self._path(tile).unlink(missing_ok=True)
        remaining = list(self.folder.iterdir())
        if not remaining:
            self.folder.rmdir()

    def _path(self, tile: Tile) -> Path:
        return self.folder / f"{tile.name}.npz"
