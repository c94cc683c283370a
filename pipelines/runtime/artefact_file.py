"""Artefact files: an npz of plain arrays with a JSON document, verified when read.

The file is a zip archive with ``document.json`` and one ``.npy`` member per array, so that
``numpy.load`` opens it too. The document names the stage, the key and the sha256 of every
member. Files are written atomically, and nothing in them is unpickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import AnyArray
from segboost.storage.regular_file import check_regular
from segboost.storage.whole_file import open_whole

DOCUMENT = "document.json"
SCHEMA = 1
_DATE = (1980, 1, 1, 0, 0, 0)  # fixed: the bytes depend on the content alone
# Everything that reading an archive of arbitrary bytes may raise.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, KeyError, TypeError,
    ValueError, RuntimeError, OverflowError, AttributeError,
)  # fmt: skip


class DamagedArtefactError(ValueError):
    """A file is not the complete artefact that its name promises."""


@dataclass(frozen=True, eq=False)
class Artefact:
    """The output of a stage: plain arrays, and a small document of JSON values.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        Arrays of any type except Python objects.
    document : mapping of str to JSON values
        Must not contain NaN or infinities, which belong in arrays.
    """

    arrays: Mapping[str, AnyArray]
    document: Mapping[str, Any] = field(default_factory=dict)

    def as_read(self) -> Artefact:
        """Return it as read back from a file: C-ordered arrays, lists instead of tuples."""
        arrays = {name: np.asarray(a, order="C") for name, a in self.arrays.items()}
        return Artefact(arrays, json.loads(json.dumps(dict(self.document), allow_nan=False)))


def write_artefact(path: Path, stage: str, key: str, artefact: Artefact) -> None:
    """Write an artefact to a file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_whole(path) as file:
        _pack(file, stage, key, artefact)


def read_artefact(path: Path, stage: str, key: str) -> Artefact:
    """Return the artefact in a file.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    DamagedArtefactError
        If the file is incomplete, was changed or belongs to another stage or key.
    """
    try:
        check_regular(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DamagedArtefactError(f"{path} is damaged: {error.strerror}") from None
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                head = _head(archive, stage, key)
                arrays = {n: _array(archive, n, digest) for n, digest in head["arrays"].items()}
                return Artefact(arrays, head["content"])
        except _DAMAGE as error:
            raise DamagedArtefactError(f"{path} is damaged: {error}") from None


def is_artefact(path: Path, stage: str, key: str) -> bool:
    """Whether the file exists, is complete and has this key; the arrays are not read."""
    try:
        check_regular(path)
        with zipfile.ZipFile(path) as archive:
            head = _head(archive, stage, key)
            return {f"{name}.npy" for name in head["arrays"]} <= set(archive.namelist())
    except _DAMAGE:
        return False


def _pack(file: Any, stage: str, key: str, artefact: Artefact) -> None:
    digests = {}
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(artefact.arrays):
            array = np.asarray(artefact.arrays[name], order="C")
            if array.dtype.hasobject:
                raise ValueError(f"array {name!r} holds Python objects, which cannot be saved")
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            digests[name] = hashlib.sha256(member.getbuffer()).hexdigest()
            info = zipfile.ZipInfo(f"{name}.npy", _DATE)
            # Labels and masks shrink to a tenth; floats hardly shrink and are slow to compress.
            if array.dtype.kind in "iub":
                info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, member.getbuffer(), compresslevel=1)
        head = {
            "format": "segboost artefact",
            "schema": SCHEMA,
            "stage": stage,
            "key": key,
            "arrays": digests,
            "content": dict(artefact.document),
        }
        text = json.dumps(head, sort_keys=True, allow_nan=False)
        archive.writestr(zipfile.ZipInfo(DOCUMENT, _DATE), text)


def _head(archive: zipfile.ZipFile, stage: str, key: str) -> dict[str, Any]:
    head: dict[str, Any] = json.loads(archive.read(DOCUMENT))
    if head["format"] != "segboost artefact" or head["schema"] != SCHEMA:
        raise ValueError("it was written by another version")
    if (head["stage"], head["key"]) != (stage, key):
        raise ValueError("it belongs to another stage or other parameters")
    return head


def _array(archive: zipfile.ZipFile, name: str, digest: str) -> AnyArray:
    # Verified before parsing: a damaged shape must not cause a huge allocation.
    packed = archive.read(f"{name}.npy")
    if hashlib.sha256(packed).hexdigest() != digest:
        raise ValueError(f"the checksum of its array {name!r} does not match")
    array: AnyArray = np.lib.format.read_array(io.BytesIO(packed), allow_pickle=False)
    return array
