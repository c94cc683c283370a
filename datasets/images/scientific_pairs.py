"""Pairs of scientific images and their masks: image files, COCO files or LabelMe files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from segboost.datasets.base import DatasetError
from segboost.datasets.images.folders import pair_files, summarise
from segboost.io.formats.coco import read_coco
from segboost.io.image_files import list_images

MaskStorage = Literal["coco", "labelme", "image"]


@dataclass(frozen=True)
class ScientificPairs:
    """The files of a set.

    Parameters
    ----------
    pairs : dict of str to (Path, Path)
        Image and mask by name.
    storage : {"coco", "labelme", "image"}
        The kind of file that holds the masks.
    notes : tuple of str
        Notes on images that are left out.
    """

    pairs: dict[str, tuple[Path, Path]]
    storage: MaskStorage
    notes: tuple[str, ...] = ()


def pair_scientific_files(images: Path, masks: Path, mask_suffix: str) -> ScientificPairs:
    """Return the images of a folder with their masks; see `load_scientific`.

    Raises
    ------
    DatasetError
        If an image file has no mask file, or no image has annotations.
    """
    if masks.suffix.lower() == ".json":
        return _pair_with_coco(images, masks)
    labelme = labelme_files(masks)
    if labelme:
        return _pair_with_labelme(images, masks, labelme)
    found = pair_files(images, masks, mask_suffix)
    if found.problems:
        raise DatasetError(summarise(found.problems))
    return ScientificPairs(found.pairs, "image", tuple(found.notes))


def labelme_files(masks: Path) -> dict[str, Path]:
    """Return the LabelMe files of a folder by name; empty if it holds image files."""
    if not masks.is_dir() or list_images(masks)[0]:
        return {}
    return {path.stem: path for path in sorted(masks.glob("*.json"))}


def _pair_with_coco(images: Path, masks: Path) -> ScientificPairs:
    annotated = read_coco(masks).images
    files = {path.stem: path for path in list_images(images)[0]}
    missing = [path.name for path in files.values() if path.name not in annotated]
    notes = (f"not in {masks.name} and left out: {', '.join(missing)}",) if missing else ()
    pairs = {name: (path, masks) for name, path in files.items() if path.name in annotated}
    if not pairs:
        raise DatasetError(f"{masks} lists no image of {images}: the file names must match")
    return ScientificPairs(pairs, "coco", notes)


def _pair_with_labelme(images: Path, masks: Path, labelme: dict[str, Path]) -> ScientificPairs:
    files = {path.stem: path for path in list_images(images)[0]}
    missing = sorted(set(files) - set(labelme))
    notes = (f"without a LabelMe file and left out: {', '.join(missing)}",) if missing else ()
    both = sorted(set(files) & set(labelme))
    if not both:
        raise DatasetError(f"{masks} has no LabelMe file named like an image in {images}")
    return ScientificPairs({name: (files[name], labelme[name]) for name in both}, "labelme", notes)
