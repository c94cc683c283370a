"""Tiles on disk."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.batch.scientific.tile import TileResult
from segboost.pipelines.batch.scientific.tile_store import TileStore
from segboost.pipelines.segmentation.images.tiling import plan_tiles
from segboost.storage.ownership import ForeignFileError
from segboost.storage.whole_file import temporary_name


def test_tiles_on_disk(tmp_path):
    tiles = plan_tiles(1, 300, 500, 256, 64)
    whole = np.random.default_rng(0).integers(0, 3, (300, 500)).astype(np.uint8)
    store = TileStore(tmp_path, "a", {"model": 1})
    assert tiles[0] not in store
    for tile in tiles:
        part = whole[tile.core.rows, tile.core.columns]
        store.put(tile, TileResult(part, None, 7, 0.5))
    assert all(tile in store for tile in tiles)
    assert tiles[0] not in TileStore(tmp_path, "a", {"model": 2})
    assert store.counts(tiles[0]) == (7, 0.5)
    bands = list(store.bands(tiles, 500))
    assert [len(band) for band in bands] == [256, 44]
    assert (np.concatenate(bands) == whole).all()
    (store.folder / "mine.npz").write_text("kept")
    assert store.remove(tiles) == (
        f"{store.folder.name} is kept: mine.npz in it was not written by segboost"
    )
    assert [path.name for path in store.folder.iterdir()] == ["mine.npz"]


def write_text(path, result):
    path.write_text("mine")


def write_single_array(path, result):
    with open(path, "wb") as file:
        np.save(file, result.mask)


def write_unmarked(path, result):
    np.savez(path, mask=result.mask, counts=np.array([1.0, 2.0]))


def write_other_mark(path, result):
    np.savez(path, mask=result.mask, counts=np.array([1.0, 2.0]), mark=np.array("segboost tile 0"))


@pytest.mark.parametrize(
    "write", [write_text, write_single_array, write_unmarked, write_other_mark]
)
def test_foreign_files_with_names_of_tiles_are_kept(write, tmp_path):
    tiles = plan_tiles(1, 300, 500, 256, 64)
    result = TileResult(np.zeros((256, 256), np.uint8), None, 7, 0.5)
    store = TileStore(tmp_path, "a", {})
    store.folder.mkdir()
    path = store.folder / f"{tiles[0].name}.npz"
    write(path, result)
    before = path.read_bytes()
    assert tiles[0] not in store
    for refused in (lambda: store.put(tiles[0], result), lambda: store.refuse_foreign(tiles)):
        with pytest.raises(ForeignFileError, match="was not written by segboost") as error:
            refused()
        assert "\n" not in str(error.value)
    store.put(tiles[1], result)
    assert path.name in store.remove(tiles)
    assert path.read_bytes() == before
    assert list(store.folder.iterdir()) == [path]


def test_a_link_instead_of_the_folder_is_refused(tmp_path):
    tiles = plan_tiles(1, 300, 500, 256, 64)
    result = TileResult(np.zeros((256, 256), np.uint8), None, 7, 0.5)
    store = TileStore(tmp_path / "out", "a", {})
    for tile in tiles:
        store.put(tile, result)
    moved = store.folder.rename(tmp_path / "elsewhere")
    store.folder.symlink_to(moved)
    with pytest.raises(ForeignFileError, match="was not written by segboost"):
        store.refuse_foreign(tiles)
    store.remove(tiles)
    assert len(list(moved.iterdir())) == len(tiles)


def test_temporary_files_of_killed_runs_do_not_keep_the_folder(tmp_path):
    tiles = plan_tiles(1, 100, 100)
    store = TileStore(tmp_path, "a", {})
    store.put(tiles[0], TileResult(np.zeros((100, 100), np.uint8), None, 7, 0.5))
    (store.folder / temporary_name()).write_bytes(b"half a tile")
    assert store.remove(tiles) == ""
    assert list(tmp_path.iterdir()) == []
