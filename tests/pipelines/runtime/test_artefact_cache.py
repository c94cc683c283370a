"""Cleaning a cache removes artefacts and nothing else."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

from segboost.pipelines.runtime.artefact_cache import (
    CleanedFiles,
    clean_cache,
    find_caches,
    list_artefacts,
)
from segboost.pipelines.runtime.artefact_store import Artefact, ArtefactStore, KeyParts
from segboost.pipelines.runtime.folder_lock import FolderBusyError, FolderLock, shared_folder
from segboost.storage.whole_file import this_host
from tests.storage.test_leftovers import RANDOM, dead_pid


@pytest.fixture
def cache(tmp_path):
    folder = tmp_path / "models" / "one" / "cache"
    store = ArtefactStore(folder)
    for number in range(3):
        store.put("crf", KeyParts({"n": number}), Artefact({"a": np.arange(number)}))
    store.put("unary", KeyParts(), Artefact({"a": np.arange(9)}))
    return folder


def names(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def put_foreign(cache):
    """Write files that look like artefacts but are not; one has a valid name but other content."""
    known = list_artefacts(cache)[0]
    data = known.path.read_bytes()
    foreign = {
        "crf/train.npz": data,
        f"crf/{known.path.stem.upper()}.npz": data,
        f"unary/{known.path.name}": data,
        f"crf/{'0' * 64}.npz": b"mine",
        f"Crf/{known.path.name}": data,
        f"deeper/crf/{known.path.name}": data,
        f"{known.path.name}": data,
        "crf/notes.txt": b"mine",
    }
    for name, content in foreign.items():
        (cache / name).parent.mkdir(parents=True, exist_ok=True)
        (cache / name).write_bytes(content)
    return sorted(foreign)


def test_artefacts_are_listed_by_stage(cache):
    files = list_artefacts(cache)
    assert [file.stage for file in files] == ["crf", "crf", "crf", "unary"]
    assert [file.n_bytes for file in files] == [file.path.stat().st_size for file in files]


def test_cleaning_leaves_foreign_files(cache):
    foreign = put_foreign(cache)
    removed = clean_cache(cache)
    assert removed.n_files == 4
    assert names(cache) == foreign


def test_a_clean_cache_has_no_empty_stages(cache):
    size = sum(file.n_bytes for file in list_artefacts(cache))
    assert clean_cache(cache).n_bytes == size
    assert list(cache.iterdir()) == []


def test_recent_artefacts_are_kept(cache):
    old = list_artefacts(cache)[1].path
    then = time.time() - 31 * 86400
    os.utime(old, (then, then))
    before = names(cache)
    assert clean_cache(cache, 30, dry_run=True).n_files == 1
    assert names(cache) == before
    assert clean_cache(cache, 30).n_files == 1
    assert names(cache) == [n for n in before if not n.endswith(old.name)]


def test_leftovers_of_dead_processes_are_removed_and_counted(cache):
    dead = cache / "crf" / f".segboost-{this_host()}-{dead_pid()}-{RANDOM}.tmp"
    alive = cache / "crf" / f".segboost-{this_host()}-{os.getppid()}-{RANDOM}.tmp"
    for path in (dead, alive):
        path.write_bytes(b"12345")
    for dry_run in (True, False):
        assert clean_cache(cache, 1, dry_run) == CleanedFiles(n_files=1, n_bytes=5)
        assert dead.exists() == dry_run
    assert not dead.exists()
    assert alive.exists()


def test_links_are_not_followed(cache, tmp_path):
    known = list_artefacts(cache)[0].path
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "crf").mkdir(parents=True)
    (elsewhere / "crf" / known.name).write_bytes(known.read_bytes())
    (cache / "linked").symlink_to(elsewhere / "crf")
    clean_cache(cache)
    assert names(elsewhere) == [f"crf/{known.name}"]


@pytest.mark.parametrize("how", ["run", "shared"])
def test_a_cache_in_use_is_refused(cache, how):
    before = names(cache)
    lock = FolderLock(cache.parent) if how == "run" else shared_folder(cache)
    with lock, pytest.raises(FolderBusyError, match=f"in use by process {os.getpid()}"):
        clean_cache(cache)
    assert [n for n in names(cache) if n != ".segboost.lock"] == before
    assert clean_cache(cache).n_files == 4


def test_several_runs_share_a_cache_but_not_with_cleaning(cache):
    with shared_folder(cache), shared_folder(cache):
        pass
    with FolderLock(cache), pytest.raises(FolderBusyError, match="in use"), shared_folder(cache):
        pass


def test_caches_are_found_by_run_and_by_folder_of_runs(cache):
    run = cache.parent
    for place in (cache, run, run.parent):
        assert find_caches([place]) == [cache]
    assert find_caches([run, cache, run.parent]) == [cache]
    assert find_caches([cache / "crf"]) == []
