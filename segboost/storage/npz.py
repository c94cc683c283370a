"""Reading npz files that somebody else may have made: sizes are checked before memory is taken."""

from __future__ import annotations

import math
import zipfile
from typing import IO, Any

import numpy as np
import numpy.typing as npt

MOST_ARRAYS = 10_000
KINDS = "biufU"
"""The kinds of dtype that files may hold: booleans, numbers and text, never Python objects."""


def read_npz(file: IO[bytes], largest: int) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of an npz file.

    Parameters
    ----------
    file : binary file
    largest : int
        Bytes that all arrays together may take.

    Raises
    ------
    ValueError
        Where it is no npz file of plain arrays, or one that would take more memory.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > largest:
                raise ValueError(f"it unpacks to {size} bytes, more than is accepted")
            if len(members) > MOST_ARRAYS:
                raise ValueError(f"it holds {len(members)} arrays, more than is accepted")
            return {_name(m): _read(archive, m) for m in members}
    except Exception as error:
        # Of zip, zlib, the header's parser and what they are made of: almost anything.
        raise ValueError(str(error) or type(error).__name__) from None


def _name(member: zipfile.ZipInfo) -> str:
    if not member.filename.endswith(".npy"):
        raise ValueError(f"its member {member.filename!r} is no array")
    return member.filename.removesuffix(".npy")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> npt.NDArray[Any]:
    """Return one array, once its header agrees with the size of the member."""
    with archive.open(member) as stream:
        shape, fortran, dtype = _header(stream)
        if dtype.kind not in KINDS:
            raise ValueError(f"its array {member.filename!r} is of the type {dtype}")
        if min(shape, default=0) < 0:
            raise ValueError(f"its array {member.filename!r} has the shape {shape}")
        # Of Python's integers: those of NumPy could overflow.
        size = math.prod(shape) * dtype.itemsize
        if size != member.file_size - stream.tell():
            raise ValueError(f"its array {member.filename!r} is not of the size that it says")
        data = stream.read()
    if len(data) != size:
        raise ValueError(f"its array {member.filename!r} is cut short")
    array = np.frombuffer(bytearray(data), dtype, math.prod(shape))
    return array.reshape(shape, order="F" if fortran else "C")


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(stream)
    if version == (2, 0):
        return np.lib.format.read_array_header_2_0(stream)
    raise ValueError(f"its arrays are of the version {version}")
