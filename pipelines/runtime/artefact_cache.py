"""List and remove the artefacts in the caches of runs.

Only files written by the artefact store are counted and removed: ``<stage>/<key>.npz`` with a
document that names the same stage and key, and temporary files of dead processes.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from segboost.pipelines.runtime.artefact_file import is_artefact
from segboost.pipelines.runtime.artefact_key import STAGE
from segboost.pipelines.runtime.folder_lock import FolderBusyError, FolderLock
from segboost.storage.leftovers import find_leftovers, remove_leftovers

CACHE = "cache"
DAY = 86400.0
_FILE = re.compile(r"([0-9a-f]{64})\.npz")


@dataclass(frozen=True)
class CachedFile:
    """An artefact on disk: its path, stage, size in bytes and time of writing in seconds."""

    path: Path
    stage: str
    n_bytes: int
    written: float


@dataclass(frozen=True)
class CleanedFiles:
    """The number of files removed and of bytes freed, including left-over temporaries."""

    n_files: int
    n_bytes: int


def find_caches(places: Iterable[Path]) -> list[Path]:
    """Return the cache folders at the given paths, each once.

    A path may be a cache itself, a run with a folder ``cache``, or a folder of such runs.
    """
    found: dict[Path, None] = {}
    for place in places:
        below = sorted(p for p in place.iterdir() if p.is_dir()) if place.is_dir() else []
        for folder in (place, place / CACHE, *(run / CACHE for run in below)):
            if (folder.name == CACHE and folder.is_dir()) or list_artefacts(folder):
                found[folder] = None
    return list(found)


def list_artefacts(cache: Path) -> list[CachedFile]:
    """Return the artefacts of a cache folder, by stage and key."""
    files = []
    for stage in _stages(cache):
        for path in sorted(stage.iterdir()):
            name = _FILE.fullmatch(path.name)
            if name is None or path.is_symlink() or not path.is_file():
                continue
            with contextlib.suppress(FileNotFoundError):  # a run may replace or remove it meanwhile
                status = path.stat()
                if is_artefact(path, stage.name, name[1]):
                    files.append(CachedFile(path, stage.name, status.st_size, status.st_mtime))
    return files


def clean_cache(cache: Path, older_than: float = 0.0, dry_run: bool = False) -> CleanedFiles:
    """Remove the artefacts of a cache that are older than a number of days.

    Temporary files of dead processes are removed as well. With `dry_run`, files are only counted.

    Raises
    ------
    FolderBusyError
        If a run is using the cache.
    """
    run = FolderLock(cache.parent)
    if cache.name == CACHE and run.is_held():
        raise FolderBusyError(run.describe())
    limit = time.time() - older_than * DAY
    with FolderLock(cache):
        old = [file for file in list_artefacts(cache) if file.written <= limit]
        stages = _stages(cache)
        left = [path for stage in stages for path in find_leftovers(stage)]
        freed = sum(file.n_bytes for file in old) + sum(path.stat().st_size for path in left)
        if not dry_run:
            for file in old:
                file.path.unlink(missing_ok=True)
            remove_leftovers(*stages)
            for stage in stages:
                with contextlib.suppress(OSError):  # the folder is not empty
                    stage.rmdir()
    return CleanedFiles(len(old) + len(left), freed)


def _stages(cache: Path) -> Sequence[Path]:
    if not cache.is_dir():
        return []
    folders = (p for p in cache.iterdir() if p.is_dir() and not p.is_symlink())
    return sorted(p for p in folders if STAGE.fullmatch(p.name))
