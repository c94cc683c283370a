"""Graz-02 with the INRIA annotations (IG02): bikes, cars and people."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from segboost._types import ByteArray
from segboost.datasets.base import DatasetError, FileSource, LabelledImage, SegmentationDataset
from segboost.datasets.images.graz02_files import CATEGORIES, Graz02Files, find_graz02
from segboost.datasets.images.masks import read_values
from segboost.datasets.reading import image_source
from segboost.io.errors import ImageFileError

VISIBLE, OCCLUDED = 1, 2
"""Palette indices of the instance masks."""

LEAKS = {"bike": frozenset({202})}
"""Test images whose photograph is also a training image (bike_165 is bike_202)."""


def load_graz02(
    root: str | PathLike[str], category: str, *, leak_free: bool = False, partial: bool = False
) -> SegmentationDataset:
    """Return a category under the usual protocol: odd numbers train, even numbers test.

    A mask is the union of index 1 over the instances; the occluded parts (index 2) are
    background. Images without annotation are left out.

    Parameters
    ----------
    root : path
        The folder of bikes, cars and people, the one above it, or that of the category itself.
    category : {"bike", "car", "people"}
    leak_free : bool
        Drop the test images whose photograph is also a training image: bike_202.
    partial : bool
        If files are missing, use the others and add a note instead of raising an error.

    Raises
    ------
    DatasetError
        If the folder, images or masks are missing.
    """
    files = find_graz02(root, category)
    return complete_images(files, leak_free=leak_free, notes=_check_complete(files, partial))


def complete_images(
    files: Graz02Files, *, leak_free: bool = False, notes: Sequence[str] = ()
) -> SegmentationDataset:
    """Return the images of a category that have both files; see `load_graz02`.

    Parameters
    ----------
    files : Graz02Files
    leak_free : bool
    notes : sequence of str
        Notes of the data set before those on the category.
    """
    category = files.category
    usable = sorted(n for n in files.images if n in files.masks)
    leaks = LEAKS.get(category, frozenset()) & set(usable)
    dropped = leaks if leak_free else frozenset()
    return SegmentationDataset(
        name=f"graz02/{category}",
        train=tuple(_item(files, n) for n in usable if n % 2 == 1),
        test=tuple(_item(files, n) for n in usable if n % 2 == 0 and n not in dropped),
        notes=(*notes, *_known_facts(files, leak_free)),
        leaks=tuple(_item(files, n).name for n in sorted(leaks - dropped)),
    )


def read_instances(paths: tuple[Path, ...]) -> ByteArray:
    """Return the union of the visible parts over the instance masks of one image."""
    union = read_indices(paths[0]) == VISIBLE
    for path in paths[1:]:
        indices = read_indices(path)
        if indices.shape != union.shape:
            raise ImageFileError(f"{path}: its size differs from that of {paths[0].name}")
        union |= indices == VISIBLE
    return union.astype(np.uint8)


def read_indices(path: Path) -> ByteArray:
    """Return one instance mask: 0 background, 1 visible, 2 occluded."""
    values = read_values(path).values
    if values.max() > OCCLUDED:
        raise ImageFileError(f"{path}: expected the indices 0, 1 and 2, got {values.max()}")
    return values.astype(np.uint8)


def _item(files: Graz02Files, number: int) -> LabelledImage:
    return LabelledImage(
        files.name(number),
        image_source(files.images[number]),
        FileSource(files.masks[number], read_instances, rule="graz02 union of index 1"),
    )


def _check_complete(files: Graz02Files, partial: bool) -> list[str]:
    """Raise DatasetError for missing files; with `partial`, return notes instead."""
    said = []
    for numbers, what in (
        (files.missing_images(), "image"),
        (files.missing_masks(), "mask"),
    ):
        if numbers:
            names = ", ".join(files.name(n) for n in numbers[:5])
            more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
            said.append(f"no {what} of {names}{more}")
    if said and not partial:
        raise DatasetError(
            f"{files.folder} is incomplete: {'; '.join(said)}. Unpack the distribution again; "
            f"segboost datasets verify graz02 --category {files.category} lists every file"
        )
    return [f"incomplete: {line}" for line in said]


def _known_facts(files: Graz02Files, leak_free: bool) -> list[str]:
    notes = ["the first 300 images, odd numbers train, even numbers test"]
    left_out = sorted(CATEGORIES[files.category].unannotated - set(files.masks))
    if left_out:
        names = ", ".join(files.name(n) for n in left_out)
        notes.append(f"left out, as they have no annotation: {names}")
    for number in sorted(LEAKS.get(files.category, ())):
        end = "dropped from test" if leak_free else "kept in test; leak_free drops it"
        notes.append(f"{files.name(number)} is also a training photograph: {end}")
    return notes
