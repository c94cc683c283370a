"""Writing masks as OME-Zarr (version 0.4), a folder of chunks; only this module imports zarr."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from segboost._types import AnyArray
from segboost.io.pixel_size import PixelSize
from segboost.storage.leftovers import find_leftovers
from segboost.storage.regular_file import read_regular
from segboost.storage.whole_file import (
    NotReplaceableError,
    flush_file,
    flush_folder,
    temporary_name,
)

LARGEST_BYTES = 2**28
CHUNK = 512
PARTS = re.compile(
    r"(0/)?\.(zarray|zattrs|zgroup|zmetadata|segboost)|0/[0-9]+([./][0-9]+)*(\.[0-9a-f]+\.partial)?"
)
"""The files of an output, and those that zarr is writing."""
MARK = ".segboost"
"""The file with the digests of all others; files not listed in it, or changed, are not replaced."""


def write_ome_zarr(
    path: Path,
    pages: Iterable[Iterable[AnyArray]],
    shape: tuple[int, int, int],
    pixel_size: PixelSize | None = None,
) -> Path:
    """Write pages of uint8, which come as bands of rows, with bounded memory.

    The folder appears under its name when it is complete; a folder that segboost wrote before is
    replaced.

    Parameters
    ----------
    path : Path
        The folder to create.
    pages : iterable of iterable of ndarray of uint8, shape (h, W)
    shape : (int, int, int)
        Pages, height and width.
    pixel_size : PixelSize, optional

    Raises
    ------
    ValueError
        If the package zarr is missing; the message gives the command that installs it.
    NotReplaceableError
        If something else is at the path.
    """
    try:
        import zarr
    except ImportError:
        raise ValueError("OME-Zarr needs a package: pip install 'segboost[images]'") from None
    _check_earlier(path)
    _remove_leftovers(path.parent)
    part = path.with_name(temporary_name())
    part.mkdir()
    try:
        group: Any = zarr.open_group(str(part), mode="w", zarr_format=2)
        array = group.create_array(
            "0", shape=shape, chunks=(1, CHUNK, CHUNK), dtype="uint8", fill_value=0
        )
        _fill(array, pages)
        group.attrs["multiscales"] = [_multiscale(path.name, pixel_size)]
        (part / MARK).write_text(json.dumps(_digests(part), sort_keys=True))
        _flush(part)
        _remove_earlier(path)
        os.replace(part, path)
        flush_folder(path.parent)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return path


def _flush(folder: Path) -> None:
    """Wait until all files below a folder, and their names, are on the disk."""
    for path in folder.rglob("*"):
        if path.is_dir():
            flush_folder(path)
        else:
            flush_file(path)
    flush_folder(folder)


def _remove_leftovers(parent: Path) -> None:
    """Remove the unfinished outputs of processes that were killed."""
    for folder in find_leftovers(parent, folders=True):
        if _is_unfinished(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_unfinished(folder: Path) -> bool:
    """Whether a folder holds nothing but parts of an OME-Zarr output, at any depth."""
    for path in folder.rglob("*"):
        ours = path.is_dir() or PARTS.fullmatch(path.relative_to(folder).as_posix())
        if path.is_symlink() or not ours:
            return False
    return True


def _fill(array: Any, pages: Iterable[Iterable[AnyArray]]) -> None:
    for page, bands in enumerate(pages):
        top = 0
        for band in bands:
            array[page, top : top + len(band)] = band
            top += len(band)


def _check_earlier(path: Path) -> list[str]:
    """Return the files of an earlier output; raise NotReplaceableError if anything else is there.

    A mask that was edited in another program belongs to the user.
    """
    if not os.path.lexists(path):
        return []
    try:
        wrote = None if path.is_symlink() else json.loads(read_regular(path / MARK, LARGEST_BYTES))
    except (OSError, ValueError, RecursionError):
        wrote = None
    if not isinstance(wrote, dict):
        raise NotReplaceableError(f"{path} was not written by segboost: choose another --output")
    found = _digests(path)
    for name, digest in found.items():
        if not digest or wrote.get(name) != digest:
            raise NotReplaceableError(
                f"{path / name} was not written by segboost, or changed since: move {path} away, "
                "or choose another --output"
            )
    return [*found, MARK]


def _remove_earlier(path: Path) -> None:
    """Remove an earlier output file by file; a folder that received other files is not removed."""
    names = _check_earlier(path)  # once more: the pages may have taken hours
    if not names:
        return
    for name in names:
        (path / name).unlink()
    folders = [p for p in path.rglob("*") if p.is_dir()]
    for folder in (*sorted(folders, reverse=True), path):
        folder.rmdir()


def _digests(folder: Path) -> dict[str, str]:
    """Return the digest of every file below a folder but its mark; "" for links and devices."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            found[name] = ""
        elif path.is_file() and name != MARK:
            with open(path, "rb") as file:
                found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _multiscale(name: str, pixel_size: PixelSize | None) -> dict[str, Any]:
    unit = {"µm": "micrometer", "nm": "nanometer", "mm": "millimeter", "m": "meter"}
    space: dict[str, Any] = {"type": "space"}
    if pixel_size is not None and pixel_size.unit in unit:
        space["unit"] = unit[pixel_size.unit]
    scale = [1.0, 1.0, 1.0] if pixel_size is None else [1.0, pixel_size.y, pixel_size.x]
    return {
        "version": "0.4",
        "name": name,
        "axes": [{"name": "z", "type": "space"}, {"name": "y", **space}, {"name": "x", **space}],
        "datasets": [
            {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": scale}]}
        ],
    }
