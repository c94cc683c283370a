"""npz files: an array X of rows and optionally labels y; nothing is unpickled."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from tokenize import TokenError

import numpy as np

from segboost._types import AnyArray, FloatArray
from segboost.datasets.tables.csv_columns import plain_labels
from segboost.datasets.tables.packed_files import MOST_BYTES, TableFileError

_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, KeyError, TypeError,
    ValueError, RuntimeError, OverflowError, AttributeError, SyntaxError, MemoryError, TokenError,
)  # fmt: skip


def parse_npz(
    data: bytes, source: str, label: str | int | None = "auto", most_bytes: int = MOST_BYTES
) -> tuple[FloatArray, AnyArray, tuple[str, ...]]:
    """Return the rows, shape (N, d), the labels, shape (N,), and the names of the features.

    Parameters
    ----------
    data : bytes
        An archive with ``X``, of any real type, and optionally ``y`` and ``feature_names``.
    source : str
        The file's name, for errors.
    label : str, int or None
        The name of the array with the labels; ``"auto"`` means ``y`` if it exists.
    most_bytes : int
        Limit on the unpacked arrays, checked in the headers before they are unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            names = [n.removesuffix(".npy") for n in archive.namelist() if n.endswith(".npy")]
    except _DAMAGE as error:
        raise TableFileError(f"{source} is not an npz file: {error}") from None
    if 2 * size > most_bytes:
        raise TableFileError(f"{source} unpacks to {size} bytes, which is too much: split it")
    if "X" not in names:
        shown = ", ".join(names[:10]) or "nothing"
        raise TableFileError(f"{source} holds {shown}: expected an array X of rows, and labels y")
    key = _label_key(label, names, source)
    X = _rows(_array(data, "X", source), source)
    y = np.zeros(0) if key is None else _labels(_array(data, key, source), len(X), key, source)
    features = _names(data, source, X.shape[1]) if "feature_names" in names else ()
    return X, y, features


def _label_key(label: str | int | None, names: list[str], source: str) -> str | None:
    if label is None:
        return None
    key = "y" if label == "auto" else str(label)
    if key in names:
        return key
    if label == "auto":
        return None
    raise TableFileError(f"{source} has no array {key!r}: it holds {', '.join(names[:10])}")


def _array(data: bytes, name: str, source: str) -> AnyArray:
    """Read one array; its size must match its header."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return np.asarray(archive[name])
    except _DAMAGE as error:
        reason = " ".join(str(error).split())
        raise TableFileError(f"{source}: the array {name!r} cannot be read: {reason}") from None


def _rows(X: AnyArray, source: str) -> FloatArray:
    if X.dtype.kind not in "biuf" or X.ndim != 2 or 0 in X.shape:
        raise TableFileError(
            f"{source}: X has shape {X.shape} and type {X.dtype}, expected rows of real numbers, "
            "shape (N, d)"
        )
    rows = X.astype(np.float64)
    bad = np.argwhere(np.isinf(rows))
    if len(bad):
        i, q = bad[0].tolist()
        raise TableFileError(
            f"{source}: X[{i}, {q}] is {rows[i, q]}, expected finite numbers or NaN"
        )
    return rows


def _labels(y: AnyArray, n: int, key: str, source: str) -> AnyArray:
    if y.dtype.kind not in "biufU" or y.shape != (n,):
        raise TableFileError(
            f"{source}: {key} has shape {y.shape} and type {y.dtype}, expected {n} numbers or "
            "strings"
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise TableFileError(f"{source}: {key} holds nan or infinity, expected finite labels")
    return plain_labels(y)


def _names(data: bytes, source: str, width: int) -> tuple[str, ...]:
    names = _array(data, "feature_names", source)
    if names.dtype.kind != "U" or names.shape != (width,) or len(set(names)) < width:
        raise TableFileError(f"{source}: feature_names must be {width} different strings")
    return tuple(map(str, names))
