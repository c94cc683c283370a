"""Removal of temporary files left by processes that were killed."""

from __future__ import annotations

import os
import time
from pathlib import Path

from segboost.storage.whole_file import TEMPORARY, is_active, this_host

ABANDONED = 24 * 3600.0
"""Seconds after which a temporary file of another machine or an unknown process is stale."""


def remove_leftovers(*folders: Path) -> int:
    """Remove temporary files of dead processes from folders; return the number of bytes freed.

    Only regular files named by `segboost.storage.whole_file` are removed, and only if their process
    is not alive on this machine or nothing was written for a day. Subfolders are not searched.
    """
    freed = 0
    for folder in folders:
        for path in find_leftovers(folder):
            try:
                size = path.stat().st_size
                path.unlink()
            except OSError:  # another process removed it, or only its owner may do so
                continue
            freed += size
    return freed


def find_leftovers(folder: Path, folders: bool = False) -> list[Path]:
    """Return the temporary files of dead processes in a folder; with `folders`, folders instead."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if _is_dead(entry, folders))
    except OSError:
        return []


def _is_dead(entry: os.DirEntry[str], is_folder: bool) -> bool:
    name = TEMPORARY.fullmatch(entry.name)
    if name is None or is_active(entry.name):
        return False
    if not (entry.is_dir if is_folder else entry.is_file)(follow_symlinks=False):
        return False
    pid = int(name["pid"])
    if name["host"] == this_host() and (pid == os.getpid() or not _is_alive(pid)):
        return True
    try:
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > ABANDONED
    except OSError:
        return False


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # signal 0 only checks whether the process exists
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
