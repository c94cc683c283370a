"""Pages and crops of scientific images and of their masks, as sources of labelled images."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np

from segboost._types import AnyArray, ByteArray
from segboost.io.errors import ImageFileError
from segboost.io.formats.annotations import AnnotatedImage
from segboost.io.formats.coco import CocoFile, read_coco
from segboost.io.formats.labelme import read_labelme
from segboost.io.formats.masks import mask_of_colours, mask_of_labels
from segboost.io.legend import VOID, ClassLegend
from segboost.io.scientific.image_info import CHANNEL_AXES, ImageInfo
from segboost.io.scientific.intensities import IntensityScale
from segboost.io.scientific.sources import ImageSource, open_source, read_info
from segboost.io.scientific.window import Window

MaskKind = Literal["binary", "classes", "labels", "colours", "coco", "labelme"]
MOST_CROPS = 24
"""Maximum number of crops of an image to learn from, evenly spread over those with labels."""


@dataclass(frozen=True)
class Crop(Window):
    """A part of one of several pages."""

    page: int = 0


@dataclass(frozen=True)
class CropReader:
    """Reads a crop of an image in the form that models expect.

    Parameters
    ----------
    crop : Crop
    scale : IntensityScale
    axes : str, optional
    """

    crop: Crop
    scale: IntensityScale
    axes: str | None = None

    def __call__(self, paths: tuple[Path, ...]) -> ByteArray:
        """Return the pixels, shape (h, w, 3 + further channels)."""
        crop = self.crop
        with open_source(paths[0], self.axes) as source:
            return self.scale(source.read(crop.page, crop.rows, crop.columns))


@dataclass(frozen=True)
class CropMask:
    """Reads a crop of a mask.

    Parameters
    ----------
    crop : Crop
    kind : str
        How the classes are stored.
    legend : ClassLegend
    image : str
        Name of the image file, to find it in a COCO file.
    foreground : int, optional
        The class to segment, in masks of several classes.
    pages : int
        Number of pages of the image.
    """

    crop: Crop
    kind: MaskKind
    legend: ClassLegend
    image: str = ""
    foreground: int | None = None
    pages: int = 1

    def __call__(self, paths: tuple[Path, ...]) -> ByteArray:
        """Return the mask, shape (h, w): class indices, and 255 for void."""
        crop, path = self.crop, paths[0]
        if self.kind in ("coco", "labelme"):
            found = read_annotated(path, self.kind, self.legend.names, self.image)
            return found.mask(crop.page)[crop.rows, crop.columns]
        with open_mask(path, self.pages) as source:
            return self._decoded(source.read(crop.page, crop.rows, crop.columns))

    def _decoded(self, values: AnyArray) -> ByteArray:
        if self.kind == "colours":
            return mask_of_colours(values[..., :3], self.legend.colours, self.legend.void)
        plane = values[..., 0]
        if values.shape[2] > 1 and (values != values[..., :1]).any():
            raise ImageFileError("a mask in colours needs a legend: give --classes")
        if self.kind == "labels":
            return mask_of_labels(plane)
        if self.kind == "binary":
            return (plane == VOID).astype(np.uint8)
        if self.foreground is not None:
            return np.where(plane == VOID, VOID, plane == self.foreground).astype(np.uint8)
        odd = np.unique(plane[(plane >= self.legend.n_classes) & (plane != VOID)])
        if odd.size or plane.min() < 0:
            raise ImageFileError(
                f"mask value {odd[0] if odd.size else plane.min()} is not among the classes "
                f"0 … {self.legend.n_classes - 1}: see --classes and --mask-kind"
            )
        return plane.astype(np.uint8)


@contextmanager
def open_mask(path: Path, pages: int) -> Iterator[ImageSource]:
    """Open a mask image with the number of pages of its image.

    Some writers store the pages of a small stack as the samples of a colour image: if there are as
    many samples as the image has pages, they are read as pages.
    """
    info = read_info(path, indices=True)
    axes = None
    if info.pages == 1 and info.channels == pages > 1:
        axes = "".join("Z" if letter in CHANNEL_AXES else letter for letter in info.axes)
    with open_source(path, axes, indices=True) as source:
        yield source


def read_annotated(
    path: Path, kind: MaskKind, class_names: tuple[str, ...], image: str
) -> AnnotatedImage:
    """Return the annotations of an image in a LabelMe or COCO file.

    Parameters
    ----------
    path : Path
    kind : {"coco", "labelme"}
    class_names : tuple of str
    image : str
        Name of the image file.
    """
    if kind == "labelme":
        return read_labelme(path, class_names)
    stat = path.stat()
    images = _read_coco(path, class_names, stat.st_mtime_ns, stat.st_size).images
    if image not in images:
        raise ImageFileError(f"{path} has no image {image}")
    return images[image]


@lru_cache(maxsize=2)
def _read_coco(path: Path, class_names: tuple[str, ...], modified: int, size: int) -> CocoFile:
    """Return a COCO file, cached until it changes, as it is needed for each of its images."""
    return read_coco(path, class_names)


def cut_crops(info: ImageInfo, side: int, largest: int) -> list[Crop]:
    """Return the pages of an image or, if they are large, their crops.

    Parameters
    ----------
    info : ImageInfo
    side : int
        Largest side of the crops.
    largest : int
        Pages of at most this many pixels stay whole.
    """
    crops = []
    for page in range(info.pages):
        if info.n_pixels <= largest:
            crops.append(Crop(0, info.height, 0, info.width, page))
            continue
        for top, bottom in pairwise(_even_edges(info.height, side)):
            for left, right in pairwise(_even_edges(info.width, side)):
                crops.append(Crop(top, bottom, left, right, page))
    return crops


def _even_edges(length: int, side: int) -> list[int]:
    """Return the edges of parts of at most `side` pixels, all of nearly the same size."""
    count = -(-length // side)
    return [n * length // count for n in range(count + 1)]


def spread_crops(labelled: list[Crop]) -> list[Crop]:
    """Return the crops to learn from: all, or at most `MOST_CROPS` spread over them."""
    return labelled[:: max(1, -(-len(labelled) // MOST_CROPS))]
