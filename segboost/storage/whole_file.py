"""Atomic writes: files appear whole or not at all, even after a power cut.

Data goes to a temporary name in the same folder and is flushed to the disk. Then the file is
renamed and the folder flushed: at any time, the name refers to the old bytes or the new ones.
Only regular files are replaced; devices, pipes, sockets, links and folders are rejected.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import socket
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

TEMPORARY = re.compile(
    r"\.segboost-(?P<host>[0-9a-f]{8})-(?P<pid>[1-9][0-9]{0,9})-[0-9a-f]{16}\.tmp(\.mp4)?"
)
"""Names of temporary files: the machine and the process that write them, and a random part."""

_NO_FLUSH = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EACCES, errno.EPERM)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)
_active: set[str] = set()


class NotReplaceableError(OSError):
    """Something other than a regular file is at a path, and it is not replaced."""


class PendingFile:
    """A temporary file that is renamed at the end, for libraries that open files by path.

    Parameters
    ----------
    path : Path
        The final name.
    suffix : str
        The extension of the temporary name, for libraries that choose the format by it.

    Raises
    ------
    NotReplaceableError
        If something other than a regular file is at the path.
    """

    def __init__(self, path: Path, suffix: str = "") -> None:
        check_replaceable(path)
        self.path = path
        name = temporary_name(suffix)
        self.temporary = path.with_name(name)
        _active.add(name)

    def commit(self) -> Path:
        """Flush the temporary file to the disk and rename it; return the path."""
        flush_file(self.temporary)
        return self.rename()

    def rename(self) -> Path:
        """Rename a file that is already flushed and flush the folder; return the path."""
        try:
            check_replaceable(self.path)
            os.replace(self.temporary, self.path)
        finally:
            self.discard()
        flush_folder(self.path.parent)
        return self.path

    def discard(self) -> None:
        """Remove the temporary file, if it exists."""
        self.temporary.unlink(missing_ok=True)
        _active.discard(self.temporary.name)


def temporary_name(suffix: str = "") -> str:
    """Return a new name for a temporary file or folder of this process; see `TEMPORARY`."""
    return f".segboost-{this_host()}-{os.getpid()}-{secrets.token_hex(8)}.tmp{suffix}"


@contextmanager
def open_whole(path: Path, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for writing; it appears under its name if the ``with`` block succeeds.

    Parameters
    ----------
    path : Path
    private : bool
        Whether only its owner may read it, from the first byte on.

    Examples
    --------
    >>> with open_whole(Path("numbers.txt")) as file:
    ...     _ = file.write(b"1 2 3")
    >>> Path("numbers.txt").read_text()
    '1 2 3'
    """
    pending = PendingFile(path)
    try:
        mode = 0o600 if private else 0o666  # less the user's umask
        descriptor = os.open(pending.temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        pending.rename()
    finally:
        pending.discard()


def write_whole(path: Path, data: bytes, private: bool = False) -> Path:
    """Write a file that appears whole or not at all; return its path. See `open_whole`.

    Raises
    ------
    NotReplaceableError
        If something other than a regular file is at the path.
    """
    with open_whole(path, private) as file:
        file.write(data)
    return path


@contextmanager
def scratch_file(folder: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file for reading and writing; it is removed after the ``with`` block.

    A file left by a killed process is removed like other temporary files; see
    `segboost.storage.leftovers`.

    Parameters
    ----------
    folder : Path
        It must exist.
    """
    path = folder / temporary_name()
    _active.add(path.name)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(descriptor, "w+b") as file:
                yield file
        finally:
            path.unlink(missing_ok=True)
    finally:
        _active.discard(path.name)


def check_replaceable(path: Path) -> None:
    """Raise NotReplaceableError unless the path is free or a regular file."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:  # it does not exist, or writing will report the error
        return
    if not stat.S_ISREG(mode):
        kind = next((name for test, name in _KINDS if test(mode)), "not a regular file")
        raise NotReplaceableError(f"{path} is {kind}: choose a regular file or a new name")


def flush_file(path: Path) -> None:
    """Wait until the bytes of a file are on the disk."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Wait until the names of a folder are on the disk."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        # Some file systems cannot flush folders, and some folders may be written but not read.
        if error.errno not in _NO_FLUSH:
            raise


@cache
def this_host() -> str:
    """Return eight hex digits that identify this machine and its process namespace."""
    space = ""
    with contextlib.suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return f"{zlib.crc32(f'{socket.gethostname()} {space}'.encode()):08x}"


def is_active(name: str) -> bool:
    """Whether this process is writing a temporary file of this name."""
    return name in _active
