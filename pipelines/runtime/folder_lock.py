"""Locks on folders: one run at a time in an output folder, several in a cache.

The lock is the kernel's ``flock``. The package filelock uses the same call, but its ``FileLock``
does not say who holds it and cannot be shared. Its shared locks are SQLite databases, and its locks
that name an owner are files that outlive a killed process.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from segboost.storage.whole_file import NotReplaceableError, check_replaceable

LOCK = ".segboost.lock"
_OPENING = b'{"pid": '
"""How lock files begin; a process that was killed early may leave less."""
_NOT_LOCKABLE = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOLCK, errno.ENOSYS)


class FolderBusyError(OSError):
    """Another run is using the folder."""


class FolderLock:
    """A lock on a folder, held for the duration of a ``with`` block.

    The kernel releases the lock when its process ends, however it ends: the stale file of a
    killed run is ignored and taken over.

    Parameters
    ----------
    folder : path
        Created if it does not exist.

    Raises
    ------
    FolderBusyError
        On entry, if a running process holds the lock.
    NotReplaceableError
        On entry, if the lock's name is taken by something that segboost did not write.

    Examples
    --------
    >>> with FolderLock("run"):
    ...     FolderLock("run").is_held()
    True
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        if self._descriptor is not None:
            raise FolderBusyError(f"{self.folder} is already locked by this run")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._descriptor = _acquire(self.folder / LOCK)
        _sign(self._descriptor)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._descriptor is not None:
            # Removed while it is held, so that waiting processes notice that it is gone. A
            # file that has replaced it meanwhile is kept.
            if _is_at(self.folder / LOCK, self._descriptor):
                (self.folder / LOCK).unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None

    def describe(self) -> str:
        """Return one line that says who holds the lock and what to do."""
        return _describe(self.folder / LOCK)

    def is_held(self) -> bool:
        """Whether a running process, including this one, holds the lock."""
        try:
            descriptor = os.open(self.folder / LOCK, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False


@contextmanager
def shared_folder(folder: Path) -> Iterator[None]:
    """Share a folder with other runs; a `FolderLock` on it is refused meanwhile.

    Folders that cannot be locked, such as those on a read-only disk, are used without a lock.

    Raises
    ------
    FolderBusyError
        If a running process holds a `FolderLock` on it.
    NotReplaceableError
        If the lock's name is taken by something that segboost did not write.
    """
    descriptor = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _acquire(folder / LOCK, fcntl.LOCK_SH)
        _sign(descriptor)
    except FolderBusyError:
        raise
    except OSError as error:
        if error.errno not in _NOT_LOCKABLE:
            raise
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _sign(descriptor: int) -> None:
    owner = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, owner.encode(), 0)


def _acquire(path: Path, kind: int = fcntl.LOCK_EX) -> int:
    """Return the descriptor of the locked file."""
    while True:
        descriptor = _open(path)
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            if _is_at(path, descriptor):
                return descriptor
        except BlockingIOError:
            message = _describe(path)
            os.close(descriptor)
            raise FolderBusyError(message) from None
        except BaseException:
            os.close(descriptor)
            raise
        # The holder removed the file after we opened it and before we locked it.
        os.close(descriptor)


def _open(path: Path) -> int:
    """Open or create a lock file; nothing that segboost did not write is opened for writing."""
    check_replaceable(path)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:  # it became a link since the check
            raise NotReplaceableError(f"{path} is a symbolic link: remove it") from None
        raise
    start = os.pread(descriptor, len(_OPENING), 0)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode) or not _OPENING.startswith(start):
        os.close(descriptor)
        raise NotReplaceableError(f"{path} is not a lock file of segboost: move it away")
    return descriptor


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _describe(path: Path) -> str:
    """Return one line that says who holds the lock and what to do."""
    try:
        owner = json.loads(path.read_text())
        who = f"process {owner['pid']} on {owner['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        who = "another process"
    return (
        f"{path.parent} is in use by {who}: wait until it ends, stop it, or choose another "
        "output folder"
    )
