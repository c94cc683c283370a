"""Bytes of plain, gzip and bzip2 files, with a limit that is checked while they are unpacked."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from segboost.datasets.base import DatasetError
from segboost.storage.regular_file import check_regular

PACKINGS = (".gz", ".bz2")
"""Possible endings of compressed files; their first bytes determine the format."""

MOST_BYTES = 4 << 30
"""More than this is neither unpacked from one file nor allocated for one table."""

_BLOCK = 1 << 20


class TableFileError(DatasetError):
    """A table file that cannot be used; the message is one line that names it."""


def read_packed(path: str | PathLike[str], most_bytes: int = MOST_BYTES) -> bytes:
    """Return the content of a file, unpacked if it is gzip or bzip2.

    Raises
    ------
    TableFileError
        If the file is missing, a pipe or device, damaged, or larger than `most_bytes` unpacked.
    """
    try:
        check_regular(path)
        with open(path, "rb") as file:
            return _read_up_to(_unpacked(file), most_bytes, Path(path))
    except FileNotFoundError:
        raise TableFileError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise TableFileError(f"{path} is a folder: name a file") from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableFileError(f"{path} cannot be read: {reason}") from None


def bare_name(path: str | PathLike[str]) -> str:
    """Return a file's name without the ending of the compression.

    Examples
    --------
    >>> bare_name("data/usps.t.bz2")
    'usps.t'
    """
    name = Path(path).name
    return name[: -len(Path(name).suffix)] if Path(name).suffix.lower() in PACKINGS else name


def _unpacked(file: BinaryIO) -> BinaryIO | gzip.GzipFile | bz2.BZ2File:
    head = file.read(3)
    file.seek(0)
    if head[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=file)
    return bz2.BZ2File(file) if head == b"BZh" else file


def _read_up_to(file: BinaryIO | gzip.GzipFile | bz2.BZ2File, most_bytes: int, path: Path) -> bytes:
    """Read in blocks: a small file may unpack to more than fits in memory."""
    content = io.BytesIO()
    while block := file.read(_BLOCK):
        content.write(block)
        if content.tell() > most_bytes:
            raise TableFileError(
                f"{path} holds more than {most_bytes} bytes, which is the limit: split it"
            )
    return content.getvalue()
