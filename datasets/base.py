"""Labelled images and data sets: names, lazy sources, and keys of their content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

import numpy as np

from segboost._types import ByteArray
from segboost.io.legend import TWO_CLASSES, ClassLegend
from segboost.io.scientific.intensities import IntensityScale

BACKGROUND, FOREGROUND = 0, 1
"""The values of a mask of two classes; void pixels are ignored."""

SPLITS = ("train", "val", "test", "all")
Split = Literal["train", "val", "test", "all"]


class DatasetError(ValueError):
    """A data set that cannot be used; the message says what to do."""


class Source(Protocol):
    """Source of an array that is read or generated at each call and never kept."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that it reads; empty if the array is generated."""

    def load(self) -> ByteArray:
        """Return the array."""

    def key(self) -> str:
        """Return 64 hexadecimal digits that change with the content."""


@dataclass(frozen=True)
class FileSource:
    """Files and the function that reads them.

    Parameters
    ----------
    paths : tuple of Path
    read : callable
        Called with the paths; a module-level function or a frozen object, so that it pickles.
    rule : str
        Settings that the result depends on in addition to the bytes; part of the key.
    """

    paths: tuple[Path, ...]
    read: Callable[[tuple[Path, ...]], ByteArray]
    rule: str = ""

    def load(self) -> ByteArray:
        """Read the files."""
        return self.read(self.paths)

    def key(self) -> str:
        """Return the SHA-256 of the rule and the bytes of each file; names do not matter."""
        parts = [hashlib.sha256(path.read_bytes()).digest() for path in self.paths]
        return hashlib.sha256(self.rule.encode() + b"\0" + b"".join(parts)).hexdigest()


@dataclass(frozen=True, eq=False)
class ArraySource:
    """An array in memory; `load` returns it read-only."""

    array: ByteArray
    paths: tuple[Path, ...] = field(default=(), init=False)

    def load(self) -> ByteArray:
        """Return a read-only view."""
        view = self.array.view()
        view.flags.writeable = False
        return view

    def key(self) -> str:
        """Return the SHA-256 of shape and values."""
        head = f"{self.array.dtype.str}{self.array.shape}".encode()
        return hashlib.sha256(head + np.ascontiguousarray(self.array).tobytes()).hexdigest()


@dataclass(frozen=True)
class LabelledImage:
    """An image and its mask, loaded on demand and not kept.

    Parameters
    ----------
    name : str
        Unique in its data set.
    image_source, mask_source : Source
    """

    name: str
    image_source: Source
    mask_source: Source

    def image(self) -> ByteArray:
        """Return the image: uint8 RGB, shape (H, W, 3), or with further channels."""
        return self.image_source.load()

    def mask(self) -> ByteArray:
        """Return the mask: uint8, shape (H, W), a class 0 … K−1 or 255 for void.

        With two classes, 0 is background and 1 foreground.
        """
        return self.mask_source.load()

    def load(self) -> tuple[ByteArray, ByteArray]:
        """Return image and mask after checking that they have the same size."""
        image, mask = self.image(), self.mask()
        if image.shape[:2] != mask.shape:
            raise DatasetError(f"{self.name}: {describe_mismatch(image, mask)}")
        return image, mask

    def image_key(self) -> str:
        """Return the key of the image alone, for results that do not depend on the mask."""
        return self.image_source.key()

    def mask_key(self) -> str:
        """Return the key of the mask alone."""
        return self.mask_source.key()

    def key(self) -> str:
        """Return the key of image and mask together."""
        return hashlib.sha256(f"{self.image_key()}{self.mask_key()}".encode()).hexdigest()

    @property
    def image_path(self) -> Path | None:
        """The file of the image, if there is one."""
        return next(iter(self.image_source.paths), None)


@dataclass(frozen=True)
class SegmentationDataset:
    """Labelled images, split into training and test images.

    Parameters
    ----------
    name : str
    train, test : tuple of LabelledImage
    notes : tuple of str
        Remarks that matter for the scores: images left out, duplicates, the protocol.
    leaks : tuple of str
        Names of test images whose photograph is also a training image.
    legend : ClassLegend
        Names and colours of the classes.
    validation : tuple of LabelledImage
        Images for choosing settings, if the data set has such a split.
    intensities : IntensityScale, optional
        Scale by which the values of scientific images were converted to bytes.
    """

    name: str
    train: tuple[LabelledImage, ...]
    test: tuple[LabelledImage, ...]
    notes: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    legend: ClassLegend = TWO_CLASSES
    validation: tuple[LabelledImage, ...] = ()
    intensities: IntensityScale | None = None

    def split(self, name: Split) -> tuple[LabelledImage, ...]:
        """Return the images of ``train``, ``val``, ``test`` or ``all`` (sorted by name)."""
        parts = {"train": self.train, "val": self.validation, "test": self.test}
        if name == "all":
            return tuple(sorted(sum(parts.values(), ()), key=lambda item: item.name))
        if name not in parts:
            raise ValueError(f"split must be one of {', '.join(SPLITS)}, got {name!r}")
        return parts[name]


def describe_mismatch(image: ByteArray, mask: ByteArray) -> str:
    """Return a message about an image and a mask of different sizes."""
    (height, width), (tall, wide) = image.shape[:2], mask.shape
    return f"the image is {width}×{height}, its mask {wide}×{tall}: make them equal"
