"""Model folders: ``model.json`` and one npz file of plain arrays, written whole or not at all.

The JSON file is the commit point: it names its npz file by content and is renamed into place
last, so that a reader sees the old model or the new one, never a mixture. Both files carry a
checksum. Nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost._version import __version__
from segboost.storage.npz import read_npz

SCHEMA = 1
DOCUMENT = "model.json"
LARGEST_ARRAYS = 2**29
"""Bytes of arrays, unpacked, that a reader accepts: sizes are checked before memory is taken."""
LARGEST_DOCUMENT = 2**26
MOST_FEATURES = 2 * 10**7


class ModelFileError(ValueError):
    """A model folder is missing, damaged, edited, of another kind or from the future."""


def write_folder(
    folder: str | os.PathLike[str],
    kind: str,
    document: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
) -> Path:
    """Write a document and its arrays; what was in the folder before is replaced at the end.

    Parameters
    ----------
    folder : path
        Made where it does not exist.
    kind : str
        What the folder holds; readers ask for it.
    document : mapping
        Plain JSON values.
    arrays : mapping of name to numeric or boolean ndarray
    """
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
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
    _write_whole(path / name, packed)
    text = json.dumps(content, indent=1, sort_keys=True, allow_nan=False)
    _write_whole(path / DOCUMENT, text.encode())
    for old in path.glob("arrays-*.npz"):
        if old.name != name:
            old.unlink()
    return path


def read_folder(
    folder: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the document and the arrays of a folder of this kind.

    Raises
    ------
    ModelFileError
        With one line that says what is wrong with the folder.
    """
    path = Path(folder)
    document = _read_document(path / DOCUMENT)
    if document["kind"] != kind:
        raise ModelFileError(f"{path} holds a {document['kind']!r}, expected a {kind!r}")
    return document["content"], _read_arrays(path, document["arrays"])


def check_count(count: int) -> int:
    """Return a stored number of features; ModelFileError where trying the model would take GBs."""
    if not 0 <= count <= MOST_FEATURES:
        raise ModelFileError(f"the model counts {count}, which is not accepted")
    return count


def one_line(error: Exception) -> str:
    """Return what an error says, in one line that is not too long."""
    return (" ".join(str(error).split()) or type(error).__name__)[:300]


def _read_document(path: Path) -> dict[str, Any]:
    try:
        _check_file(path, LARGEST_DOCUMENT)
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ModelFileError(f"{path.parent} is no model folder: it has no {path.name}") from None
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}") from None
    except ModelFileError:
        raise
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
    if written != _try_checksum(document):
        raise ModelFileError(f"{path} was edited or damaged: its checksum does not match")
    if not _is_complete(document):
        raise ModelFileError(f"{path} is no description of a model: parts of it are missing")
    return document


def _check_file(path: Path, largest: int) -> None:
    """Refuse what is no file, such as a pipe that never ends, and files that are too large."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ModelFileError(f"{path} is no file")
    if found.st_size > largest:
        raise ModelFileError(f"{path} has {found.st_size} bytes, more than is accepted")


def _try_checksum(document: Mapping[str, Any]) -> str | None:
    """Return the checksum, or None of what `write_folder` cannot have written."""
    try:
        return _checksum(document)
    except (ValueError, RecursionError):
        return None


def _is_complete(document: Mapping[str, Any]) -> bool:
    """Whether the parts that readers rely on are there and of their type."""
    arrays = document.get("arrays")
    return (
        isinstance(document.get("kind"), str)
        and isinstance(document.get("content"), dict)
        and isinstance(arrays, dict)
        and all(isinstance(arrays.get(part), str) for part in ("file", "sha256"))
    )


def _read_arrays(path: Path, entry: Mapping[str, str]) -> dict[str, npt.NDArray[Any]]:
    # The last part of the name alone: files cannot send a reader to another folder.
    name = Path(entry["file"]).name
    try:
        _check_file(path / name, LARGEST_ARRAYS)
        with open(path / name, "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != entry["sha256"]:
                raise ModelFileError(
                    f"{path / name} was edited or damaged: its checksum does not match"
                )
            file.seek(0)
            return read_npz(file, LARGEST_ARRAYS)
    except OSError as error:
        raise ModelFileError(f"{path / name} cannot be read: {error.strerror}") from None
    except ModelFileError:
        raise
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise ModelFileError(f"{path / name!s} is no readable npz file: {reason}") from None


def _pack(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return the bytes of an npz file; the same arrays always give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for key in sorted(arrays):
            array = np.asarray(arrays[key])
            if array.dtype.hasobject:
                raise ValueError(f"array {key!r} holds Python objects, which files cannot")
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)
            # A fixed date: the bytes depend on the content alone.
            archive.writestr(
                zipfile.ZipInfo(f"{key}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue()
            )
    return buffer.getvalue()


def _checksum(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _write_whole(path: Path, data: bytes) -> None:
    """Write to a temporary name beside the file, flush it to the disk, rename it into place."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
