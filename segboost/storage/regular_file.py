"""Reading of regular files only (no pipes, devices or folders), and their digests."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path


def check_regular(path: str | os.PathLike[str], limit: int | None = None) -> None:
    """Raise OSError unless this is a regular file within the limit; pipes may never end.

    Parameters
    ----------
    path : path
        Links are followed.
    limit : int, optional
        Maximum size in bytes.

    Raises
    ------
    OSError
        Also if the file does not exist.
    """
    found = os.stat(path)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "It is a pipe or device, not a file", os.fspath(path))
    if limit is not None and found.st_size > limit:
        raise OSError(errno.EFBIG, f"It has more than {limit} bytes", os.fspath(path))


def read_regular(path: str | os.PathLike[str], limit: int | None = None) -> bytes:
    """Return the bytes of a regular file; see `check_regular` for the errors."""
    check_regular(path, limit)
    return Path(path).read_bytes()


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 digest of a file in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
