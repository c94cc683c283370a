"""The idx format of MNIST: a small header with the shape, then the values."""

from __future__ import annotations

import math
import struct

import numpy as np

from segboost._types import AnyArray
from segboost.datasets.tables.packed_files import TableFileError

_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def parse_idx(data: bytes, source: str) -> AnyArray:
    """Return the array of an idx file's content, in the machine's byte order.

    The header is two zero bytes, a type code, the number of dimensions, and one
    big-endian 32-bit size per dimension. The sizes are compared with the number of bytes before
    memory is allocated.

    Examples
    --------
    >>> parse_idx(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9]), "example").tolist()
    [7, 8, 9]
    """
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] not in _TYPES or not 1 <= data[3] <= 8:
        raise TableFileError(f"{source} is not an idx file: wrong first four bytes")
    n_dims = data[3]
    start = 4 + 4 * n_dims
    if len(data) < start:
        raise TableFileError(f"{source} ends inside its header of {n_dims} sizes")
    shape = struct.unpack(f">{n_dims}I", data[4:start])
    kind = np.dtype(_TYPES[data[2]])
    wanted = math.prod(shape) * kind.itemsize
    if len(data) - start != wanted:
        raise TableFileError(
            f"{source} has {len(data) - start} bytes of values, but the shape {shape} of its "
            f"header needs {wanted}"
        )
    values = np.frombuffer(data, dtype=kind, offset=start).reshape(shape)
    return values.astype(kind.newbyteorder("="))
