"""Checks that a TIFF file has all pages that it declares, and that its images use all of them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from segboost.io.errors import ImageFileError

if TYPE_CHECKING:
    from tifffile import TiffFile, TiffPageSeries

TRUNCATED = "the file is truncated: copy it again"


def check_complete(file: TiffFile, series: TiffPageSeries, planes: int, found: int) -> None:
    """Raise an error if a file's pages end early; tifffile only logs that and continues.

    Parameters
    ----------
    file : TiffFile
    series : TiffPageSeries
        The image that is read.
    planes : int
        Number of its pages according to its shape.
    found : int
        Number of its pages that have a directory in the file.

    Raises
    ------
    ImageFileError
    """
    size = file.filehandle.size
    if _next_directory(file) > size:
        raise ImageFileError(TRUNCATED)
    if series.is_truncated:  # planes follow each other, and only the first has a directory
        if series.dataoffset is None or series.dataoffset + series.nbytes > size:
            raise ImageFileError(TRUNCATED)
        found = planes
    metadata = (file.imagej_metadata if file.is_imagej else None) or {}
    images = metadata.get("images")
    stated = max(planes, images) if isinstance(images, int) else planes
    if found < stated:
        raise ImageFileError(
            f"the file declares {stated} pages but holds {found}: it is truncated, or other files "
            "belong to it"
        )


def describe_unused(file: TiffFile) -> list[str]:
    """Return a note on pages that belong to no image of the file, if there are any."""
    used = {
        page.offset
        for series in file.series
        for level in series.levels
        for page in level.pages
        if page is not None
    }
    unused = sum(page.offset not in used for page in file.pages)
    if not unused:
        return []
    return [f"{unused} pages are left out: the metadata of the file do not mention them"]


def _next_directory(file: TiffFile) -> int:
    """Return the offset of the directory after the last known one; 0 if there is none."""
    kind, handle = file.tiff, file.filehandle
    handle.seek(file.pages[-1].offset)
    (count,) = struct.unpack(kind.tagnoformat, handle.read(kind.tagnosize))
    handle.seek(count * kind.tagsize, 1)
    data = handle.read(kind.offsetsize)
    # If the file ends within the tags of a directory, the offset cannot be read.
    whole = len(data) == kind.offsetsize
    return int(struct.unpack(kind.offsetformat, data)[0]) if whole else handle.size + 1
