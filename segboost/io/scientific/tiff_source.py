"""TIFF files of any kind: their header, and regions of their pages.

The only module that imports tifffile for reading. Regions are decoded tile by tile, so that memory
does not depend on the size of the image.
"""

from __future__ import annotations

import logging
from typing import IO, Any

import numpy as np
from tifffile import TIFF, TiffFile, TiffPage

from segboost._types import AnyArray
from segboost.io.errors import ImageFileError
from segboost.io.scientific.image_info import AxisOrder, ImageInfo
from segboost.io.scientific.tiff_pages import TRUNCATED, check_complete, describe_unused
from segboost.io.scientific.tiff_tags import find_pixel_size, kept_tags

# Without a handler, Python would print its messages about damaged files.
logging.getLogger("tifffile").addHandler(logging.NullHandler())

ALPHA = (1, 2)
WHITE_IS_ZERO, PALETTE, CMYK, YCBCR = 0, 3, 5, 6
PHOTOGRAPHIC = (0, 1, 2, 3, 5, 6)
"""Photometric interpretations of ordinary images, which Pillow converts to RGB."""
ORIENTATION = 274
JPEG = 7
NOT_TURNED = "its orientation tag is not applied"
SMALL = 2**20
MOST_PER_BYTE = 5000
"""Largest plausible compression ratio of an image; more means a damaged header."""
LARGEST_SEGMENT = 2**30


class TiffSource:
    """An open TIFF file.

    Parameters
    ----------
    file : binary file
        Never closed here.
    axes : str, optional
        The letters of the axes, if those in the file are wrong or missing.

    Raises
    ------
    ImageFileError
        If the file is truncated, declares more than it can hold, or its axes are unclear.
    """

    def __init__(self, file: IO[bytes], axes: str | None = None) -> None:
        self._tiff = TiffFile(file, name="image")
        if not self._tiff.series:
            raise ImageFileError("the file holds no image")
        series = self._tiff.series[0]
        first = series.keyframe
        self._pages = [page for page in series.pages if page is not None]
        self._frame: TiffPage = first
        self._order = AxisOrder(axes or series.axes, tuple(series.shape))
        self._per_page = tuple(series.shape)[: len(series.shape) - len(first.shape)]
        self._check(series)
        planes = int(np.prod(self._per_page, dtype=int))
        check_complete(self._tiff, series, planes, len(self._pages))
        pages, height, width, channels = self._order.sizes
        extra = tuple(map(int, first.extrasamples))
        self._alpha = channels > 1 and bool(extra) and extra[-1] in ALPHA
        size = find_pixel_size(self._tiff, first)
        self.info = ImageInfo(
            pages,
            height,
            width,
            channels - self._alpha,
            np.dtype(series.dtype),
            self._order.axes,
            size,
            self._is_photograph(pages, channels),
            tuple(self._notes(axes)),
            kept_tags(first, size),
            self._order.planes,
        )

    @property
    def is_decodable(self) -> bool:
        """Whether the compression is known and its package is installed."""
        return not self.missing

    @property
    def missing(self) -> str:
        """One line on what is missing to decode the pixels; empty if nothing is."""
        compression = self._frame.compression
        try:
            TIFF.DECOMPRESSORS[compression]
        except KeyError as error:
            name = getattr(compression, "name", compression)
            if "imagecodecs" in str(error):
                return (
                    f"its compression {name} needs a package: pip install 'segboost[images]', "
                    "or save it with deflate"
                )
            return f"its compression {name} is not known: save it with deflate"
        return ""

    @property
    def needs_colours(self) -> bool:
        """Whether a photograph has to be converted to RGB or turned upright."""
        turn = self._frame.tags.get(ORIENTATION)
        kind = int(self._frame.photometric)
        # JPEG decoders convert to RGB themselves, tile by tile.
        converted = kind in (PALETTE, CMYK) or (
            kind == YCBCR and int(self._frame.compression) != JPEG
        )
        turned = turn is not None and turn.value != 1
        return self.info.photograph and (converted or turned or self._frame.dtype == np.bool_)

    def read(self, page: int, rows: slice, columns: slice) -> AnyArray:
        """Return a region of a page, shape (h, w, channels)."""
        if self._is_plain():
            planes = [self._plane(n, rows, columns) for n in self._planes_of(page)]
            whole = np.concatenate(planes, axis=2)
        else:
            # The axes were renamed and pages of the file are not planes: read all of it.
            array = self._order.arrange(self._tiff.series[0].asarray())
            whole = array[page, rows, columns]
        if self._frame.photometric == WHITE_IS_ZERO and whole.dtype.kind == "u":
            whole = np.iinfo(whole.dtype).max - whole
        return np.ascontiguousarray(whole[..., : self.info.channels])

    def _is_plain(self) -> bool:
        """Whether each page of the file is an image of the axes Y, X and samples."""
        tail = self._order.axes[len(self._per_page) :]
        samples = tail.replace("Y", "").replace("X", "")
        return tail.find("Y") < tail.find("X") and samples in ("", "S", "C") and "Y" in tail

    def _planes_of(self, page: int) -> list[int]:
        """Return the pages of the file that hold the channels of a page."""
        count = int(np.prod(self._per_page, dtype=int))
        axes = self._order.axes[: len(self._per_page)]
        numbers = np.arange(count).reshape(self._per_page or (1,))
        order = sorted(range(len(axes)), key=lambda n: axes[n] in "CS")  # channels last, stable
        arranged = numbers.transpose(order) if axes else numbers
        return [int(n) for n in arranged.reshape(self.info.pages, -1)[page]]

    def _plane(self, number: int, rows: slice, columns: slice) -> AnyArray:
        """Return a region of one page of the file, shape (h, w, samples)."""
        frame = self._frame
        # The planes of some stacks follow each other, and only the first has a directory.
        run = len(self._pages) == 1
        page, start = (self._pages[0], frame.nbytes * number) if run else (self._pages[number], 0)
        height, width = int(frame.imagelength), int(frame.imagewidth)
        samples = int(frame.samplesperpixel)
        made = np.zeros(
            (rows.stop - rows.start, columns.stop - columns.start, samples), frame.dtype
        )
        tall, wide = (frame.tilelength, frame.tilewidth) if frame.is_tiled else (
            min(int(frame.rowsperstrip), height), width)  # fmt: skip
        down, across = -(-height // tall), -(-width // wide)
        separate = int(frame.planarconfig) == 2 and samples > 1
        for plane in range(samples if separate else 1):
            for r in range(rows.start // tall, -(-rows.stop // tall)):
                for c in range(columns.start // wide, -(-columns.stop // wide)):
                    index = (plane * down + r) * across + c
                    segment = self._segment(page, index, start)
                    if segment is None:
                        continue  # an empty tile of a sparse file
                    target = made[..., plane : plane + 1] if separate else made
                    _place(target, segment, (r * tall - rows.start, c * wide - columns.start))
        return made

    def _segment(self, page: Any, index: int, start: int) -> AnyArray | None:
        frame = self._frame
        offset, count = page.dataoffsets[index] + start, page.databytecounts[index]
        if count == 0:
            return None
        handle = self._tiff.filehandle
        handle.seek(offset)
        data = handle.read(count)
        if len(data) < count:
            raise ImageFileError(TRUNCATED)
        tables = frame.jpegtables if frame.jpegtables is not None else None
        decoded = frame.decode(data, index, jpegtables=tables)[0]
        return None if decoded is None else np.asarray(decoded)[0]

    def _is_photograph(self, pages: int, channels: int) -> bool:
        frame = self._frame
        return (
            pages == 1
            and len(self._tiff.pages) == 1
            and frame.dtype in (np.uint8, np.bool_)
            and channels in (1, 2, 3, 4)
            and (channels != 2 or self._alpha)
            and int(frame.photometric) in PHOTOGRAPHIC
            and (channels < 3 or int(frame.photometric) in (2, 5, 6))
        )

    def _notes(self, axes: str | None) -> list[str]:
        notes = []
        series = self._tiff.series
        if len(series) > 1:
            notes.append(
                f"the first of {len(series)} images in the file is used: the others differ from it"
            )
        notes += describe_unused(self._tiff)
        turn = self._frame.tags.get(ORIENTATION)
        if turn is not None and turn.value != 1:
            notes.append(NOT_TURNED)
        if self._alpha:
            notes.append("the alpha channel is left out")
        pages = self._order.sizes[0]
        if axes is None and pages > 1 and not set("ZT") & set(self._order.axes):
            notes.append(f"{pages} pages of unknown meaning are segmented one by one; see --axes")
        return notes

    def _check(self, series: Any) -> None:
        """Raise an error for files that are truncated or declare more than they can hold."""
        frame, size = self._frame, self._tiff.filehandle.size
        if series.dtype is None or np.dtype(series.dtype).kind not in "buif":
            raise ImageFileError(f"pixels of type {series.dtype} are not supported")
        if int(frame.photometric) == PALETTE and np.dtype(series.dtype).itemsize > 1:
            raise ImageFileError("palettes of more than 256 colours are not supported")
        if not self._order.sizes[1] or not self._order.sizes[2]:
            raise ImageFileError("the image has no pixels")
        declared = int(np.prod(series.shape, dtype=float)) * np.dtype(series.dtype).itemsize
        if declared > max(SMALL, size * MOST_PER_BYTE):
            _, height, width, _ = self._order.sizes
            raise ImageFileError(
                f"{width}×{height} pixels are declared in a file of {size} bytes: it is damaged"
            )
        segment = declared // max(len(self._pages), 1) // max(len(frame.dataoffsets), 1)
        if segment > LARGEST_SEGMENT and not frame.is_contiguous:
            raise ImageFileError("it is compressed as one piece: save it as a tiled TIFF")
        for page in self._pages:
            ends = (o + n for o, n in zip(page.dataoffsets, page.databytecounts, strict=False))
            if max(ends, default=0) > size:
                raise ImageFileError(TRUNCATED)
            if len(page.dataoffsets) < len(frame.dataoffsets):
                raise ImageFileError(TRUNCATED)


def _place(target: AnyArray, segment: AnyArray, corner: tuple[int, int]) -> None:
    """Copy the part of a tile that lies in the target; `corner` may be negative."""
    starts = [max(c, 0) for c in corner]
    stops = [min(c + n, t) for c, n, t in zip(corner, segment.shape, target.shape, strict=False)]
    if stops[0] <= starts[0] or stops[1] <= starts[1]:
        return
    part = segment[
        starts[0] - corner[0] : stops[0] - corner[0], starts[1] - corner[1] : stops[1] - corner[1]
    ]
    target[starts[0] : stops[0], starts[1] : stops[1]] = part
