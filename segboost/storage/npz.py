"""Reading untrusted npz files: sizes are checked before memory is allocated.

Several objects share a file by prefixes of the arrays' names; see `part_of`.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from segboost._types import AnyArray

MOST_ARRAYS = 10_000
KINDS = "biufU"
"""The dtype kinds that files may contain: booleans, numbers and text, never Python objects."""


def read_npz(file: IO[bytes], largest: int) -> dict[str, AnyArray]:
    """Return the arrays of an npz file.

    Parameters
    ----------
    file : binary file
    largest : int
        Maximum total size of the arrays in bytes.

    Raises
    ------
    ValueError
        If it is not an npz file of plain arrays, or exceeds this size.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > largest:
                raise ValueError(f"it unpacks to {size} bytes, the limit is {largest}")
            if len(members) > MOST_ARRAYS:
                raise ValueError(f"it has {len(members)} arrays, the limit is {MOST_ARRAYS}")
            return {_name(m): _read(archive, m) for m in members}
    except Exception as error:
        # zip, zlib and the header's parser can raise almost anything.
        raise ValueError(str(error) or type(error).__name__) from None


def part_of(arrays: Mapping[str, AnyArray], prefix: str) -> dict[str, AnyArray]:
    """Return the arrays whose names start with a prefix, without it."""
    return {k.removeprefix(prefix): a for k, a in arrays.items() if k.startswith(prefix)}


def _name(member: zipfile.ZipInfo) -> str:
    if not member.filename.endswith(".npy"):
        raise ValueError(f"its member {member.filename!r} is not an array")
    return member.filename.removesuffix(".npy")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> AnyArray:
    """Return one array after checking that its header agrees with the member's size."""
    with archive.open(member) as stream:
        shape, fortran, dtype = _header(stream)
        if dtype.kind not in KINDS:
            raise ValueError(f"its array {member.filename!r} has the unsupported dtype {dtype}")
        if min(shape, default=0) < 0:
            raise ValueError(f"its array {member.filename!r} has the invalid shape {shape}")
        # Python integers, because NumPy's could overflow.
        size = math.prod(shape) * dtype.itemsize
        if size != member.file_size - stream.tell():
            raise ValueError(f"its array {member.filename!r} does not have the size it declares")
        data = stream.read()
    if len(data) != size:
        raise ValueError(f"its array {member.filename!r} is truncated")
    array = np.frombuffer(bytearray(data), dtype, math.prod(shape))
    return array.reshape(shape, order="F" if fortran else "C")


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(stream)
    if version == (2, 0):
        return np.lib.format.read_array_header_2_0(stream)
    raise ValueError(f"its arrays have the unsupported format version {version}")
