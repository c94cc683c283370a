"""OME-Zarr outputs: flushed before they appear, and cleaned up after a kill."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from segboost.io.scientific import zarr_output
from segboost.io.scientific.zarr_output import write_ome_zarr
from segboost.storage.whole_file import this_host

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
