"""Masks of several classes: indices, or the colours of a legend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from segboost._types import AnyArray, ByteArray
from segboost.datasets.images.masks import read_values
from segboost.io.errors import ImageFileError
from segboost.io.formats.masks import (
    LOSSY,
    MOST_SHOWN,
    UnknownColoursError,
    mask_of_colours,
)
from segboost.io.legend import DEFAULT_COLOURS, VOID, ClassLegend
from segboost.io.opening import open_image


@dataclass(frozen=True)
class ClassMaskReader:
    """Reads the first of the given paths as a mask of several classes; see `read_class_mask`.

    Parameters
    ----------
    legend : ClassLegend
    void_index : int, optional
        A further index that means void, in data sets that number it after their classes.
    """

    legend: ClassLegend
    void_index: int | None = None

    def __call__(self, paths: tuple[Path, ...]) -> ByteArray:
        """Return the mask of the file."""
        return read_class_mask(paths[0], self.legend, self.void_index)

    @property
    def rule(self) -> str:
        """The settings that a mask depends on in addition to the bytes of its file."""
        return f"classes {self.legend.colours} {self.legend.void} {self.void_index}"


def read_class_mask(
    path: str | PathLike[str], legend: ClassLegend, void_index: int | None = None
) -> ByteArray:
    """Read a mask of several classes: uint8, shape (H, W), 0 … K−1, 255 void.

    Parameters
    ----------
    path : path
        A grey or palette image of indices, or an image in the colours of the legend.
    legend : ClassLegend
    void_index : int, optional
        A further index that means void.

    Raises
    ------
    ImageFileError
        If the file is broken, or has an index or a colour that the legend does not.
    """
    coloured = _read_colours(path, legend)
    if coloured is not None:
        return coloured
    values = read_values(path).values
    if void_index is not None:
        values = np.where(values == void_index, VOID, values)
    odd = np.unique(values[(values >= legend.n_classes) & (values != VOID)])
    if odd.size:
        shown = ", ".join(map(str, odd[:MOST_SHOWN])) + (", …" if odd.size > MOST_SHOWN else "")
        advice = (
            LOSSY if odd.size > MOST_SHOWN else "add them to the legend, or make them 255 (void)"
        )
        raise ImageFileError(
            f"{path}: mask values {shown} are not among the classes 0 … {legend.n_classes - 1}: "
            f"{advice}"
        )
    return values.astype(np.uint8)


def count_classes(paths: Iterable[Path]) -> int:
    """Return the number of classes of a set of index masks: the largest index plus one.

    At least two; 255 is void and does not count. Reads all masks. If there are grey masks with
    only 0 and 255, these are taken as binary and the set has two classes, unless another mask
    holds both 255 and a class.

    Raises
    ------
    ImageFileError
        If the values look like those of a lossy file, or if there are more classes than can be
        told apart without a legend.
    """
    largest, seen_both, seen_binary = (1, Path()), False, False
    lossy: tuple[Path, AnyArray] | None = None
    for path in paths:
        raw = read_values(path)
        found = np.unique(raw.values)
        indices = found[found != VOID]
        if indices.size == 0:
            continue
        has_class, has_void = indices[-1] > 0, found.size > indices.size
        seen_both |= has_class and has_void
        seen_binary |= has_void and not has_class and not raw.palette
        if indices.size > MOST_SHOWN + 2 and indices[0] < 16 and indices[-1] > 239:
            lossy = path, indices
        largest = max(largest, (int(indices[-1]), path))
    if largest[0] < 2 or (seen_binary and not seen_both):
        return 2
    if lossy is not None:
        path, indices = lossy
        raise ImageFileError(
            f"{path}: {indices.size} mask values from {indices[0]} to {indices[-1]}: {LOSSY}"
        )
    if largest[0] >= len(DEFAULT_COLOURS):
        raise ImageFileError(
            f"{largest[1]}: the mask value {largest[0]} would mean {largest[0] + 1} classes: list "
            "the classes in a legend (--classes FILE), or choose one with --foreground N"
        )
    return largest[0] + 1


def _read_colours(path: str | PathLike[str], legend: ClassLegend) -> ByteArray | None:
    """Return the mask of an image in colours; None if it holds indices."""
    with open_image(path) as image:
        if image.mode not in ("RGB", "RGBA"):
            return None
        pixels = np.array(image.convert("RGB"))
        try:
            return mask_of_colours(pixels, legend.colours, legend.void)
        except UnknownColoursError:
            if (pixels == pixels[..., :1]).all():
                return None  # grey: the values are indices
            raise
