"""Model folders: ``model.json`` and one npz file of plain arrays, written atomically.

The JSON file is the commit point: it names its npz file by content hash and is renamed into place
last, so that a reader sees either the old model or the new one. Both files carry a checksum.
Nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from segboost._types import AnyArray
from segboost._version import __version__
from segboost.storage.leftovers import remove_leftovers
from segboost.storage.npz import read_npz
from segboost.storage.ownership import (
    DOCUMENT,
    LARGEST_DOCUMENT,
    check_model_folder,
    owned_arrays,
)
from segboost.storage.whole_file import write_whole

SCHEMA = 1
LARGEST_ARRAYS = 2**29
"""Maximum unpacked size of all arrays in bytes, checked before memory is allocated."""


class ModelFileError(ValueError):
    """A model folder is missing, damaged, edited, of another kind or from a newer version."""


@dataclass(frozen=True, eq=False)
class PackedModel:
    """The contents of a model folder.

    Parameters
    ----------
    kind : str
    document : dict
        Plain JSON values.
    arrays : dict of name to numeric or boolean ndarray
    """

    kind: str
    document: dict[str, Any]
    arrays: dict[str, AnyArray]


def write_folder(
    folder: str | os.PathLike[str],
    kind: str,
    document: Mapping[str, Any],
    arrays: Mapping[str, AnyArray],
) -> Path:
    """Write a document and its arrays, replacing a previous model as the last step.

    Parameters
    ----------
    folder : path
        Created if it does not exist.
    kind : str
        The kind of content, which readers check.
    document : mapping
        Plain JSON values.
    arrays : mapping of name to numeric or boolean ndarray
    """
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    files = pack_folder(kind, document, arrays)
    write_packed(path, files)
    return path


def pack_folder(
    kind: str, document: Mapping[str, Any], arrays: Mapping[str, AnyArray]
) -> dict[str, bytes]:
    """Return the files of a model folder by name, the document last."""
    packed = _pack(arrays)
    digest = hashlib.sha256(packed).hexdigest()
    name = f"arrays-{digest[:16]}.npz"
    content = {
        "format": "segboost",
        "schema": SCHEMA,
        "version": __version__,
        "kind": kind,
        "arrays": {"file": name, "sha256": digest},
        "content": dict(document),
    }
    content["sha256"] = _checksum(content)
    text = json.dumps(content, indent=1, sort_keys=True, allow_nan=False)
    return {name: packed, DOCUMENT: text.encode()}


def write_packed(path: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of `pack_folder` to a folder, then remove the previous model's arrays.

    Files that belong to neither model are left alone, except stale temporary files.

    Raises
    ------
    ForeignFileError
        If a file that segboost did not write has one of these names.
    """
    check_model_folder(path, files)
    before = owned_arrays(path)
    remove_leftovers(path)
    for name, data in files.items():
        write_whole(path / name, data)
    if before is not None and before.name not in files:
        before.unlink(missing_ok=True)


def read_folder(
    folder: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Return the document and the arrays of a folder of this kind.

    Raises
    ------
    ModelFileError
        If the folder cannot be read, with a one-line reason.
    """
    found = read_any(folder, (kind,))
    return found.document, found.arrays


def read_any(folder: str | os.PathLike[str], kinds: Sequence[str]) -> PackedModel:
    """Return the content of a folder of one of these kinds.

    Raises
    ------
    ModelFileError
        If the folder cannot be read, with a one-line reason.
    """
    path = Path(folder)
    document = _read_document(path / DOCUMENT)
    _check_kind(path, document["kind"], kinds)
    arrays = _read_arrays(path, document["arrays"])
    return PackedModel(document["kind"], document["content"], arrays)


def unpack_folder(files: Mapping[str, bytes], source: str, kinds: Sequence[str]) -> PackedModel:
    """Return the content of the files of `pack_folder`, with the checks of `read_any`.

    Parameters
    ----------
    files : mapping of name to bytes
    source : str
        Name of the folder in error messages.
    kinds : sequence of str
    """
    path = Path(source)
    if DOCUMENT not in files:
        raise ModelFileError(f"{path} is not a model: it has no {DOCUMENT}")
    document = _parse_document(files[DOCUMENT], path / DOCUMENT)
    _check_kind(path, document["kind"], kinds)
    name = Path(document["arrays"]["file"]).name
    file = io.BytesIO(files.get(name, b""))
    arrays = _parse_arrays(file, document["arrays"]["sha256"], path / name)
    return PackedModel(document["kind"], document["content"], arrays)


def _check_kind(path: Path, kind: str, kinds: Sequence[str]) -> None:
    if kind not in kinds:
        expected = " or ".join(map(repr, kinds))
        raise ModelFileError(f"{path} is a folder of kind {kind!r}, expected {expected}")


def one_line(error: Exception) -> str:
    """Return an error's message as one line of limited length."""
    return (" ".join(str(error).split()) or type(error).__name__)[:300]


def _read_document(path: Path) -> dict[str, Any]:
    try:
        _check_file(path, LARGEST_DOCUMENT)
        data = path.read_bytes()
    except FileNotFoundError:
        raise ModelFileError(
            f"{path.parent} is not a model folder: it has no {path.name}"
        ) from None
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}") from None
    return _parse_document(data, path)


def _parse_document(data: bytes, path: Path) -> dict[str, Any]:
    """Return the checked document of a file's bytes; errors name the path."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise ModelFileError(f"{path} is damaged: it is not JSON; save the model again") from None
    if not isinstance(document, dict) or document.get("format") != "segboost":
        raise ModelFileError(f"{path} was not written by segboost")
    schema = document.get("schema")
    if type(schema) is not int or not 1 <= schema <= SCHEMA:
        made = " ".join(str(document.get("version")).split())[:40]
        raise ModelFileError(
            f"{path} was written by segboost {made} with schema {schema!r}; this is segboost "
            f"{__version__}, which reads up to schema {SCHEMA}: upgrade segboost"
        )
    written = document.pop("sha256", None)
    expected = _try_checksum(document)
    if expected is None or written != expected:
        raise ModelFileError(f"{path} was edited or damaged: its checksum does not match")
    if not _is_complete(document):
        raise ModelFileError(f"{path} does not describe a model: required entries are missing")
    return document


def _check_file(path: Path, largest: int) -> None:
    """Reject anything but a regular file (a pipe may never end) and files that are too large."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ModelFileError(f"{path} is not a regular file")
    if found.st_size > largest:
        raise ModelFileError(f"{path} is too large: {found.st_size} bytes, the limit is {largest}")


def _try_checksum(document: Mapping[str, Any]) -> str | None:
    """Return the checksum, or None for a document that `write_folder` cannot have written."""
    try:
        return _checksum(document)
    except (ValueError, RecursionError):
        return None


def _is_complete(document: Mapping[str, Any]) -> bool:
    """Whether the entries that readers need exist and have the right types."""
    arrays = document.get("arrays")
    return (
        isinstance(document.get("kind"), str)
        and isinstance(document.get("content"), dict)
        and isinstance(arrays, dict)
        and all(isinstance(arrays.get(part), str) for part in ("file", "sha256"))
        and "\0" not in arrays["file"]  # no file can have such a name
    )


def _read_arrays(path: Path, entry: Mapping[str, str]) -> dict[str, AnyArray]:
    # Use only the last part of the name, so that a file cannot point to another folder.
    name = Path(entry["file"]).name
    try:
        _check_file(path / name, LARGEST_ARRAYS)
        with open(path / name, "rb") as file:
            return _parse_arrays(file, entry["sha256"], path / name)
    except OSError as error:
        raise ModelFileError(f"{path / name} cannot be read: {error.strerror}") from None


def _parse_arrays(file: IO[bytes], digest: str, path: Path) -> dict[str, AnyArray]:
    """Return the arrays of an open npz file that has this checksum; errors name the path."""
    if hashlib.file_digest(file, "sha256").hexdigest() != digest:  # type: ignore[arg-type]
        raise ModelFileError(f"{path} was edited or damaged: its checksum does not match")
    file.seek(0)
    try:
        return read_npz(file, LARGEST_ARRAYS)
    except ValueError as error:
        raise ModelFileError(f"{path} is not a readable npz file: {one_line(error)}") from None


def _pack(arrays: Mapping[str, AnyArray]) -> bytes:
    """Return the bytes of an npz file; equal arrays give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for key in sorted(arrays):
            array = np.asarray(arrays[key])
            if array.dtype.hasobject:
                raise ValueError(f"array {key!r} holds Python objects, which cannot be saved")
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)
            # A fixed date, so that the bytes depend only on the content.
            archive.writestr(
                zipfile.ZipInfo(f"{key}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue()
            )
    return buffer.getvalue()


def _checksum(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
