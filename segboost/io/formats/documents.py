"""JSON documents of other tools, read with size limits and one-line errors."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from segboost._types import FloatArray
from segboost.io.errors import ImageFileError
from segboost.storage.whole_file import write_whole

if TYPE_CHECKING:
    from segboost.io.formats.annotations import AnnotatedImage

LARGEST_BYTES = 2**30
"""Larger documents are rejected before they are read."""


def read_document(path: str | PathLike[str], kind: str) -> dict[str, Any]:
    """Return the JSON object in a file.

    Parameters
    ----------
    path : path
    kind : str
        Name of the format, for the message.

    Raises
    ------
    ImageFileError
        If the file cannot be read or is not a JSON object.
    """
    try:
        if Path(path).stat().st_size > LARGEST_BYTES:
            raise ImageFileError(f"{path}: larger than {LARGEST_BYTES} bytes: split it")
        found = json.loads(Path(path).read_bytes())
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ImageFileError(f"{path}: {reason}", temporary=True) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, ImageFileError):
            raise
        raise ImageFileError(f"{path}: not a {kind} file: it is not valid JSON") from None
    if not isinstance(found, dict):
        raise ImageFileError(f"{path}: not a {kind} file: expected a JSON object")
    return found


def write_document(path: Path, document: Mapping[str, Any]) -> Path:
    """Write a JSON file that appears whole or not at all; return its path."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return write_whole(path, text.encode() + b"\n")


def read_ring(points: Any, where: str) -> FloatArray:
    """Return points as an array of shape (n, 2).

    Raises
    ------
    ImageFileError
        If there are fewer than three, or a coordinate is not a finite number.
    """
    try:
        ring = np.array(points, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ImageFileError(f"{where}: a polygon must be a list of points [x, y]") from None
    if ring.ndim != 2 or ring.shape[1] != 2 or len(ring) < 3 or not np.isfinite(ring).all():
        raise ImageFileError(f"{where}: a polygon must be three or more points [x, y]")
    if np.abs(ring).max() > 1e7:
        raise ImageFileError(f"{where}: coordinates beyond 10,000,000 pixels")
    return ring


def read_extent(value: Any, where: str) -> int:
    """Return a width or height, checked.

    Raises
    ------
    ImageFileError
        If it is not a positive whole number.
    """
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or value != int(value) or not 0 < value <= 10**7:
        raise ImageFileError(f"{where}: expected a size in pixels, got {value!r}")
    return int(value)


def plane_list(image: AnnotatedImage) -> dict[str, Any]:
    """Return the field of a document that lists the pages of a stack; empty for a single page."""
    return {"planes": [list(plane) for plane in image.planes]} if image.planes else {}


def read_planes(document: Mapping[str, Any], where: str) -> tuple[tuple[int, int], ...]:
    """Return what `plane_list` wrote; empty if the field is missing.

    Raises
    ------
    ImageFileError
        If it is not a list of pairs of whole numbers.
    """
    planes = document.get("planes", [])
    if not isinstance(planes, list) or not all(
        isinstance(plane, list) and len(plane) == 2 and all(type(n) is int for n in plane)
        for plane in planes
    ):
        raise ImageFileError(f"{where}: planes must be a list of z and t of every page")
    return tuple((z, t) for z, t in planes)


def read_page(entry: Mapping[str, Any], planes: Sequence[tuple[int, int]], where: str) -> int:
    """Return the page of an object, by default 0.

    Raises
    ------
    ImageFileError
        If the image does not have the page.
    """
    page = entry.get("page", 0)
    if type(page) is not int or not 0 <= page < max(len(planes), 1):
        raise ImageFileError(
            f"{where}: there is no page {page!r}: the image has {max(len(planes), 1)}, "
            "counted from 0"
        )
    return page


def rounded(ring: FloatArray) -> list[list[float]]:
    """Return a ring as lists for JSON, with three decimals."""
    return [[round(float(x), 3), round(float(y), 3)] for x, y in ring]
