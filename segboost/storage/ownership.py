"""Ownership of files in a model folder: those that its document names belong to the model."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from segboost.storage.regular_file import file_digest
from segboost.storage.whole_file import check_replaceable

DOCUMENT = "model.json"
LARGEST_DOCUMENT = 2**26
_OPENING = b'{\n "arrays": {\n  "file": "arrays-'
"""The beginning of every document, by which even a damaged one is recognised."""
_ARRAYS = re.compile(r"arrays-([0-9a-f]{16})\.npz")


class ForeignFileError(ValueError):
    """A file that segboost did not write is at a path where it needs to write."""


def check_model_folder(folder: Path, files: Mapping[str, bytes] | None = None) -> None:
    """Raise an error if saving a model would replace a file that segboost did not write.

    Parameters
    ----------
    folder : Path
        It need not exist.
    files : mapping of str to bytes, optional
        The files to be written, by name.

    Raises
    ------
    ForeignFileError
    NotReplaceableError
        If a device, a pipe, a link or a folder has the name of a file.
    """
    document = folder / DOCUMENT
    for name in (DOCUMENT, *(files or {})):
        check_replaceable(folder / name)
    if document.is_file() and not _is_ours(document):
        raise ForeignFileError(
            f"{document} was not written by segboost: move it away or choose another folder"
        )
    own = None
    for name, data in (files or {}).items():
        path = folder / name
        if name != DOCUMENT and path.is_file() and file_digest(path) != _sha256(data):
            own = own or read_manifest(folder)
            if own is None or own["arrays"]["file"] != name:
                raise ForeignFileError(
                    f"{path} is not part of a model: move it away or choose another folder"
                )


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the document of a model written by segboost, without checksum tests, or None."""
    path = folder / DOCUMENT
    try:
        if not path.is_file() or path.stat().st_size > LARGEST_DOCUMENT:
            return None
        document = json.loads(path.read_bytes())
        if document["format"] != "segboost" or not isinstance(document["arrays"]["file"], str):
            return None
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
    return dict(document)


def owned_arrays(folder: Path) -> Path | None:
    """Return the array file of the model in a folder, or None if it was changed.

    The document names the file and its digest, and the name repeats the digest.
    """
    document = read_manifest(folder)
    if document is None:
        return None
    name = _ARRAYS.fullmatch(document["arrays"]["file"])
    digest = document["arrays"].get("sha256")
    if name is None or not isinstance(digest, str) or digest[:16] != name[1]:
        return None
    path = folder / name[0]
    if path.is_symlink() or not path.is_file() or file_digest(path) != digest:
        return None
    return path


def remove_model(folder: Path) -> None:
    """Remove the document and the arrays of a model, then the folder if nothing else is in it."""
    arrays = owned_arrays(folder)
    if arrays is not None:
        (folder / DOCUMENT).unlink(missing_ok=True)
        arrays.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # the folder stays if it holds other files
        folder.rmdir()


def _is_ours(document: Path) -> bool:
    with open(document, "rb") as file:
        begins = file.read(len(_OPENING)) == _OPENING
    return begins or read_manifest(document.parent) is not None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
