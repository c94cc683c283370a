"""OME-Zarr outputs: flushed before they appear, cleaned up after a kill, and never the user's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from segboost.io.scientific import zarr_output
from segboost.io.scientific.zarr_output import write_ome_zarr
from segboost.storage.whole_file import NotReplaceableError, this_host

zarr = pytest.importorskip("zarr", reason="needs the extra images")

PAGE = np.arange(20, dtype=np.uint8).reshape(4, 5)


def temporary(folder, pid):
    path = folder / f".segboost-{this_host()}-{pid}-0123456789abcdef.tmp"
    (path / "0").mkdir(parents=True)
    (path / ".zgroup").write_text("{}")
    (path / "0" / "0.0.0").write_bytes(b"part")
    return path


def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_all_files_are_flushed_before_the_folder_appears(tmp_path, monkeypatch):
    flushed, replace = set(), os.replace

    def record(path):
        flushed.add(Path(path).name)

    def renamed(part, path):
        if path == tmp_path / "a.zarr":  # zarr renames its chunks, too
            files = {p.name for p in Path(part).rglob("*") if p.is_file()}
            assert {".zgroup", ".zattrs", zarr_output.MARK} <= files <= flushed
        replace(part, path)

    monkeypatch.setattr(zarr_output, "flush_file", record)
    monkeypatch.setattr(zarr_output.os, "replace", renamed)
    write_ome_zarr(tmp_path / "a.zarr", [[PAGE]], (1, 4, 5))
    assert np.array_equal(zarr.open_group(str(tmp_path / "a.zarr"), mode="r")["0"][0], PAGE)


def test_unfinished_outputs_of_dead_processes_are_removed(tmp_path):
    left, alive = temporary(tmp_path, dead_pid()), temporary(tmp_path, os.getppid())
    write_ome_zarr(tmp_path / "a.zarr", [[PAGE]], (1, 4, 5))
    assert not left.exists()
    assert alive.exists()


@pytest.mark.parametrize("name", ["notes.txt", "0/notes.txt", "0/deep/0.0"])
def test_folders_with_foreign_files_stay(tmp_path, name):
    mine = temporary(tmp_path, dead_pid())
    (mine / name).parent.mkdir(exist_ok=True)
    (mine / name).write_text("kept")
    write_ome_zarr(tmp_path / "a.zarr", [[PAGE]], (1, 4, 5))
    assert (mine / name).read_text() == "kept"


def test_a_zarr_mask_that_was_corrected_by_hand_is_kept(tmp_path):
    path = tmp_path / "mask.ome.zarr"
    bands = [np.ones((4, 5), np.uint8)]
    write_ome_zarr(path, [bands], (1, 4, 5))
    write_ome_zarr(path, [bands], (1, 4, 5))  # its own output is replaced
    zarr.open_group(str(path), mode="r+")["0"][0, 0, 0] = 7
    with pytest.raises(NotReplaceableError, match="or changed since"):
        write_ome_zarr(path, [bands], (1, 4, 5))
    assert zarr.open_group(str(path), mode="r")["0"][0, 0, 0] == 7
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_record_that_names_other_files_deletes_none_of_them(tmp_path):
    path, other = tmp_path / "mask.ome.zarr", tmp_path / "other.txt"
    other.write_text("mine")
    bands = [np.ones((4, 5), np.uint8)]
    write_ome_zarr(path, [bands], (1, 4, 5))
    wrote = json.loads((path / ".segboost").read_text())
    (path / ".segboost").write_text(json.dumps(wrote | {"../other.txt": "x"}))
    write_ome_zarr(path, [bands], (1, 4, 5))
    assert other.read_text() == "mine"


def test_files_added_while_pages_are_written_are_kept(tmp_path):
    path = tmp_path / "mask.ome.zarr"
    bands = [np.zeros((4, 5), np.uint8)]
    write_ome_zarr(path, [bands], (1, 4, 5))

    def pages():
        yield bands
        (path / "notes.txt").write_text("by hand")

    with pytest.raises(NotReplaceableError, match=r"notes\.txt"):
        write_ome_zarr(path, pages(), (1, 4, 5))
    assert (path / "notes.txt").read_text() == "by hand"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
