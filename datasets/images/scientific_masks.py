"""Masks of scientific images: how they store classes, and whether they fit their images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from segboost.datasets.base import DatasetError
from segboost.datasets.images.scientific_pages import (
    MaskKind,
    cut_crops,
    open_mask,
    read_annotated,
)
from segboost.io.formats.coco import read_coco
from segboost.io.formats.labelme import labelme_labels
from segboost.io.legend import TWO_CLASSES, ClassLegend, default_legend
from segboost.io.scientific.image_info import ImageInfo


def find_kind(
    pairs: dict[str, tuple[Path, Path]],
    pages: Mapping[str, int],
    kind: str,
    wanted: tuple[str, ClassLegend | None, int | None],
    sizes: tuple[int, int],
) -> tuple[ClassLegend, MaskKind, list[str]]:
    """Return the classes, how masks store them, and notes on guesses.

    Parameters
    ----------
    pairs : dict of str to (Path, Path)
        Image and mask by name.
    pages : mapping of str to int
        Number of pages of each image.
    kind : {"coco", "labelme", "image"}
    wanted : (str, ClassLegend or None, int or None)
        The kind of mask, the legend and the foreground class that the user chose.
    sizes : (int, int)
        Side of the crops in which large masks are read, and the largest mask that is read whole,
        in pixels; see `cut_crops`.
    """
    named, legend, foreground = wanted
    if kind == "coco":
        names = read_coco(next(iter(pairs.values()))[1]).class_names
        return legend or _named(names), "coco", []
    if kind == "labelme":
        found = {label for _, path in pairs.values() for label in labelme_labels(path)}
        names = ("background", *sorted(found - {"background", "_background_"}))
        return legend or _named(names), "labelme", []
    if named == "labels":
        return TWO_CLASSES, "labels", []
    highest, wide, colours, ones = _survey(
        {path: pages[name] for name, (_, path) in pairs.items()}, sizes
    )
    if colours:
        if legend is None:
            raise DatasetError("masks in colours need a legend: give --classes FILE")
        return legend, "colours", []
    two = legend is None or legend.n_classes == 2
    if two and foreground is None and highest == 0 and not ones:
        return legend or TWO_CLASSES, "binary", []
    if two and foreground is None and wide and highest > 1 and named == "auto":
        note = "masks are taken as label images: every object is foreground"
        return legend or TWO_CLASSES, "labels", [note]
    if legend is not None or foreground is not None:
        return legend or TWO_CLASSES, "classes", []
    return (TWO_CLASSES if highest <= 1 else default_legend(highest + 1)), "classes", []


def check_masks(
    pairs: Mapping[str, tuple[Path, Path]],
    infos: Mapping[str, ImageInfo],
    kind: MaskKind,
    legend: ClassLegend,
) -> list[str]:
    """Check masks against their images; return notes on annotations that are left out.

    Raises
    ------
    DatasetError
        If a mask has another size or number of pages than its image.
    """
    notes: list[str] = []
    for name, (image, mask) in pairs.items():
        if kind in ("coco", "labelme"):
            found = read_annotated(mask, kind, legend.names, image.name)
            own = found.width, found.height, found.pages
            notes += found.notes
        else:
            with open_mask(mask, infos[name].pages) as source:
                own = source.info.width, source.info.height, source.info.pages
        info = infos[name]
        expected = info.width, info.height, info.pages
        if own != expected:
            raise DatasetError(
                f"{mask}: {_extent(own)}, but its image {image.name} has {_extent(expected)}: "
                "make them equal"
            )
    return notes


def _extent(size: tuple[int, int, int]) -> str:
    pages = "1 page" if size[2] == 1 else f"{size[2]} pages"
    return f"{pages} of {size[0]}×{size[1]} pixels"


def _survey(masks: Mapping[Path, int], sizes: tuple[int, int]) -> tuple[int, bool, bool, bool]:
    """Return the highest index, and whether masks exceed 8 bits, have colours, and hold a 1."""
    highest, wide, colours, ones = 0, False, False, False
    for path, pages in masks.items():
        with open_mask(path, pages) as source:
            for crop in cut_crops(source.info, *sizes):
                values = source.read(crop.page, crop.rows, crop.columns)
                colours |= values.shape[2] > 1 and bool((values != values[..., :1]).any())
                ones |= bool((values == 1).any())
                rest = values[values != 255] if values.dtype == np.uint8 else values
                highest = max(highest, int(rest.max(initial=0)))
                wide |= values.dtype.itemsize > 1
    return highest, wide, colours, ones


def _named(names: Sequence[str]) -> ClassLegend:
    if len(names) < 2:
        raise DatasetError("the annotations name no class: give their objects a class")
    if len(names) == 2:
        return TWO_CLASSES if names[1] == "foreground" else replace(
            TWO_CLASSES, names=(str(names[0]), str(names[1])))  # fmt: skip
    return replace(default_legend(len(names)), names=tuple(map(str, names)))
