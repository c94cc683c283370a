"""Descriptions of scientific images: shape, axes, physical size, notes on what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from segboost._types import AnyArray
from segboost.io.errors import ImageFileError
from segboost.io.pixel_size import PixelSize

CHANNEL_AXES = "CS"
"""Axes that are channels: those of OME, and the samples of a pixel."""


@dataclass(frozen=True)
class ImageInfo:
    """The header of an image file.

    Parameters
    ----------
    pages, height, width, channels : int
    dtype : numpy.dtype
    axes : str
        The axes of the file as it is stored, by tifffile's letters: Z and T are pages, C and S
        channels, I and Q of unknown meaning.
    pixel_size : PixelSize, optional
    photograph : bool
        Whether it is an 8-bit image of one page that is grey or has colours.
    notes : tuple of str
        Notes on what was left out or guessed.
    tags : tuple of tuple
        Resolution and geographic tags of a TIFF file, to be copied to results.
    planes : tuple of (int, int)
        Positions in z and t of the pages of a stack; empty for a single page.
    """

    pages: int
    height: int
    width: int
    channels: int
    dtype: np.dtype[Any]
    axes: str
    pixel_size: PixelSize | None = None
    photograph: bool = False
    notes: tuple[str, ...] = ()
    tags: tuple[tuple[Any, ...], ...] = ()
    planes: tuple[tuple[int, int], ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.height, self.width

    @property
    def n_pixels(self) -> int:
        """Pixels of a page."""
        return self.height * self.width


@dataclass(frozen=True, eq=False)
class ScientificImage:
    """An image in memory.

    Parameters
    ----------
    array : ndarray of shape (pages, H, W, channels)
        The values of the file.
    info : ImageInfo
    """

    array: AnyArray
    info: ImageInfo


@dataclass(frozen=True)
class AxisOrder:
    """The mapping of a file's axes to pages, rows, columns and channels.

    Parameters
    ----------
    axes : str
        One letter per axis of `shape`.
    shape : tuple of int

    Raises
    ------
    ImageFileError
        If the letters do not fit the shape, or rows and columns are missing.
    """

    axes: str
    shape: tuple[int, ...]
    order: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        if len(self.axes) != len(self.shape):
            raise ImageFileError(
                f"axes {self.axes} have {len(self.axes)} letters, but the file has "
                f"{len(self.shape)} axes of sizes {_sizes(self.shape)}"
            )
        if len(set(self.axes)) < len(self.axes) or not {"X", "Y"} <= set(self.axes):
            raise ImageFileError(
                f"axes {self.axes}: expected X and Y, and every letter only once; give --axes"
            )
        rows, columns = self.axes.index("Y"), self.axes.index("X")
        channels = [n for n, letter in enumerate(self.axes) if letter in CHANNEL_AXES]
        pages = [n for n in range(len(self.axes)) if n not in (rows, columns, *channels)]
        object.__setattr__(self, "order", (*pages, rows, columns, *channels))

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Pages, height, width and channels."""
        count = {"page": 1, "channel": 1}
        for letter, size in zip(self.axes, self.shape, strict=True):
            if letter not in "XY":
                count["channel" if letter in CHANNEL_AXES else "page"] *= size
        height, width = self.shape[self.axes.index("Y")], self.shape[self.axes.index("X")]
        return count["page"], height, width, count["channel"]

    @property
    def planes(self) -> tuple[tuple[int, int], ...]:
        """Positions in z and t of the pages; axes of unknown meaning count as z."""
        letters = [(a, n) for a, n in zip(self.axes, self.shape, strict=True) if a not in "XYCS"]
        if not letters or self.sizes[0] == 1:
            return ()
        places = np.indices([n for _, n in letters]).reshape(len(letters), -1)
        z = t = np.zeros(places.shape[1], dtype=int)
        for (letter, size), place in zip(letters, places, strict=True):
            z, t = (z, t * size + place) if letter == "T" else (z * size + place, t)
        return tuple(zip(z.tolist(), t.tolist(), strict=True))

    def arrange(self, array: AnyArray) -> AnyArray:
        """Return an array of the file's shape as (pages, H, W, channels)."""
        return array.transpose(self.order).reshape(self.sizes)


def _sizes(shape: tuple[int, ...]) -> str:
    return "×".join(str(size) for size in shape)
