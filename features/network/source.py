"""Sources of networks: the built-in one, or a user's ONNX file."""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from segboost.features.network import efficientnet
from segboost.features.network.graph import check_model

BUILTIN = "efficientnet-lite0"
MOST_BYTES = 2**31 - 1
"""Maximum size of an ONNX file without external data."""


class NetworkSource(Protocol):
    """Where a network comes from; equal sources are the same network."""

    def __call__(self) -> bytes:
        """Return the network as an ONNX model."""
        ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class BuiltinNetwork:
    """EfficientNet-Lite0, assembled from the installed weights."""

    def __call__(self) -> bytes:
        """Return the assembled network."""
        return efficientnet.network_bytes()


@dataclass(frozen=True)
class NetworkFile:
    """An ONNX file with the checksum that it must have."""

    path: str
    sha256: str

    def __call__(self) -> bytes:
        """Return the file's content; ValueError if it is not the expected, valid model."""
        content = _read(self.path)
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise ValueError(
                f"network {self.path}: this is not the file that the model was trained with "
                f"(SHA-256 {found[:12]}…, expected {self.sha256[:12]}…)"
            )
        check_model(content, self.path)
        return content


def file_digest(path: str) -> str:
    """Return the SHA-256 of a file, cached until the file changes."""
    try:
        state = Path(path).stat()
    except OSError:
        raise _missing(path) from None
    return _digest(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=8)
def _digest(path: str, _time: int, _size: int) -> str:
    """Return the SHA-256 of a file; its time and size are part of the cache key."""
    return hashlib.sha256(_read(path)).hexdigest()


def _read(path: str) -> bytes:
    place = Path(path)
    try:
        state = place.stat()
        # A device or a pipe might never end.
        if not stat.S_ISREG(state.st_mode):
            raise ValueError(f"network {path}: expected an ONNX file, got a folder, pipe or device")
        if state.st_size > MOST_BYTES:
            raise ValueError(f"network {path}: expected at most 2 GB, got {state.st_size} bytes")
        return place.read_bytes()
    except OSError:
        raise _missing(path) from None


def _missing(path: str) -> ValueError:
    return ValueError(
        f"network {path}: there is no such file, or it cannot be read; put it there, or into the "
        "model folder"
    )
