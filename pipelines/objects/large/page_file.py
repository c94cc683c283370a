"""Pages in temporary files, read and written by windows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from segboost._types import AnyArray
from segboost.io.scientific.window import Window
from segboost.storage.whole_file import scratch_file


@dataclass(frozen=True)
class LargeLimits:
    """How much of a large page is in memory at a time.

    Parameters
    ----------
    band : int
        Rows of the bands in which pages are read.
    side : int
        Objects of at most this height and width are measured in groups of neighbours, whose
        window has at most twice the side.
    largest : int
        Objects whose box has more pixels are measured band by band and not split.
    """

    band: int = 256
    side: int = 1024
    largest: int = 2**23


class PageFile:
    """A page of numbers on disk, row by row, zero where nothing was written.

    Files are read and written, not mapped: mapped pages would count as memory of the process,
    and a full disk would kill it.

    Parameters
    ----------
    file : binary file
        Empty, open for reading and writing.
    shape : (int, int)
        Height and width.
    dtype : dtype
    """

    def __init__(self, file: IO[bytes], shape: tuple[int, int], dtype: npt.DTypeLike) -> None:
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self._file = file
        file.truncate(shape[0] * shape[1] * self.dtype.itemsize)

    @property
    def whole(self) -> Window:
        """The window of the whole page."""
        return Window(0, self.shape[0], 0, self.shape[1])

    def read(self, window: Window) -> AnyArray:
        """Return the values of a window of the page, shape (h, w)."""
        found = np.empty((window.bottom - window.top, window.right - window.left), self.dtype)
        for row, part in self._pieces(window, found):
            self._seek(row, window.left)
            self._file.readinto(part.data.cast("B"))  # type: ignore[attr-defined]
        return found

    def read_padded(self, window: Window) -> AnyArray:
        """Return the values of a window that may reach beyond the page, where they are zero."""
        height, width = self.shape
        inside = Window(
            max(window.top, 0),
            min(window.bottom, height),
            max(window.left, 0),
            min(window.right, width),
        )
        found = np.zeros((window.bottom - window.top, window.right - window.left), self.dtype)
        if inside.top < inside.bottom and inside.left < inside.right:
            found[inside.within(window)] = self.read(inside)
        return found

    def write(self, window: Window, values: AnyArray) -> None:
        """Write the values of a window of the page, shape (h, w)."""
        made = np.ascontiguousarray(values, dtype=self.dtype)
        for row, part in self._pieces(window, made):
            self._seek(row, window.left)
            self._file.write(part.data.cast("B"))

    def fill(self, bands: Iterable[AnyArray]) -> PageFile:
        """Write bands of whole rows, shape (h, W), from top to bottom; return the page."""
        top = 0
        for band in bands:
            self.write(Window(top, top + len(band), 0, self.shape[1]), band)
            top += len(band)
        return self

    def _pieces(self, window: Window, values: AnyArray) -> Iterator[tuple[int, AnyArray]]:
        """Yield the parts of a window that are contiguous in the file, with their first row."""
        if not values.size:
            return
        if window.left == 0 and window.right == self.shape[1]:
            yield window.top, values
            return
        for number, row in enumerate(values):
            yield window.top + number, row

    def _seek(self, row: int, column: int) -> None:
        self._file.seek((row * self.shape[1] + column) * self.dtype.itemsize)


@contextmanager
def open_page(folder: Path, shape: tuple[int, int], dtype: npt.DTypeLike) -> Iterator[PageFile]:
    """Make a page of zeros in a temporary file, which is removed after the ``with`` block."""
    with scratch_file(folder) as file:
        yield PageFile(file, shape, dtype)


def cut_bands(window: Window, height: int) -> list[Window]:
    """Return a window as bands of at most `height` rows, from top to bottom.

    Examples
    --------
    >>> [(band.top, band.bottom) for band in cut_bands(Window(3, 10, 0, 5), 4)]
    [(3, 7), (7, 10)]
    """
    return [
        Window(top, min(top + height, window.bottom), window.left, window.right)
        for top in range(window.top, window.bottom, height)
    ]
