"""Masks of scientific images: how they store classes, and whether they fit their images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from segboost.datasets.base import DatasetError
from segboost.datasets.images.scientific_pages import (
    MaskKind,
    cut_crops,
    open_mask,
    read_annotated,
)
from segboost.datasets.images.scientific_pairs import MaskStorage
from segboost.io.formats.coco import read_coco
from segboost.io.formats.labelme import labelme_labels
from segboost.io.legend import TWO_CLASSES, ClassLegend, default_legend
from segboost.io.scientific.image_info import ImageInfo


@dataclass(frozen=True)
class MaskRequest:
    """What the user chose.

    Parameters
    ----------
    kind : {"auto", "classes", "labels"}
    legend : ClassLegend, optional
    foreground : int, optional
        The class to segment, in masks of several classes.
    """

    kind: str = "auto"
    legend: ClassLegend | None = None
    foreground: int | None = None


@dataclass(frozen=True)
class MaskSurvey:
    """What the mask images of a set contain.

    Parameters
    ----------
    highest : int
        The largest value; in masks of 8 bits, 255 does not count.
    wide : bool
        Whether some mask has more than 8 bits.
    coloured : bool
        Whether the channels of some mask differ.
    has_one : bool
        Whether some mask holds a 1.
    """

    highest: int
    wide: bool
    coloured: bool
    has_one: bool


def find_mask_kind(
    pairs: dict[str, tuple[Path, Path]],
    pages: Mapping[str, int],
    storage: MaskStorage,
    request: MaskRequest,
    sizes: tuple[int, int],
) -> tuple[ClassLegend, MaskKind, list[str]]:
    """Return the classes, how masks store them, and notes on guesses.

    Parameters
    ----------
    pairs : dict of str to (Path, Path)
        Image and mask by name.
    pages : mapping of str to int
        Number of pages of each image.
    storage : {"coco", "labelme", "image"}
        The kind of file that holds the masks.
    request : MaskRequest
    sizes : (int, int)
        Side of the crops in which large masks are read, and the largest mask that is read whole,
        in pixels; see `cut_crops`.
    """
    legend = request.legend
    if storage == "coco":
        names = read_coco(next(iter(pairs.values()))[1]).class_names
        return legend or _named(names), "coco", []
    if storage == "labelme":
        found = {label for _, path in pairs.values() for label in labelme_labels(path)}
        names = ("background", *sorted(found - {"background", "_background_"}))
        return legend or _named(names), "labelme", []
    if request.kind == "labels":
        return TWO_CLASSES, "labels", []
    survey = survey_masks({path: pages[name] for name, (_, path) in pairs.items()}, sizes)
    if survey.coloured:
        if legend is None:
            raise DatasetError("masks in colours need a legend: give --classes FILE")
        return legend, "colours", []
    one_kind = (legend is None or legend.n_classes == 2) and request.foreground is None
    if one_kind and survey.highest == 0 and not survey.has_one:
        return legend or TWO_CLASSES, "binary", []
    if one_kind and survey.wide and survey.highest > 1 and request.kind == "auto":
        note = "masks are taken as label images: every object is foreground"
        return legend or TWO_CLASSES, "labels", [note]
    if legend is not None or request.foreground is not None:
        return legend or TWO_CLASSES, "classes", []
    made = TWO_CLASSES if survey.highest <= 1 else default_legend(survey.highest + 1)
    return made, "classes", []


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


def survey_masks(masks: Mapping[Path, int], sizes: tuple[int, int]) -> MaskSurvey:
    """Read all mask images of a set.

    Parameters
    ----------
    masks : mapping of Path to int
        Number of pages by file.
    sizes : (int, int)
        See `find_mask_kind`.
    """
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
    return MaskSurvey(highest, wide, colours, ones)


def _named(names: Sequence[str]) -> ClassLegend:
    if len(names) < 2:
        raise DatasetError("the annotations name no class: give their objects a class")
    if len(names) == 2:
        return TWO_CLASSES if names[1] == "foreground" else replace(
            TWO_CLASSES, names=(str(names[0]), str(names[1])))  # fmt: skip
    return replace(default_legend(len(names)), names=tuple(map(str, names)))
