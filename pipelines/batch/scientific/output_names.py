"""The names of the files that segmenting a scientific image writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from segboost.io.errors import ImageFileError
from segboost.io.scientific.sources import is_tiff
from segboost.pipelines.batch.output_names import OVERLAYS, SCORES
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.segmentation.images.tiling import LARGEST_UNTILED

OBJECTS, LABELS = "objects", "labels"
COCO = "coco"
"""Folder for the COCO files of single images, which are merged at the end of a batch."""
OBJECT_TABLE, ANNOTATIONS = "objects.csv", "annotations.json"


def mask_name(path: Path) -> str:
    """Return the name of an image's mask: TIFF if the image is a TIFF file, otherwise PNG."""
    try:
        return f"{path.stem}.tif" if is_tiff(path) else f"{path.stem}.png"
    except (OSError, ImageFileError):  # reported when the image is read
        return f"{path.stem}.png"


def zarr_name(path: Path) -> str:
    """Return the name of an image's mask as OME-Zarr, which is a folder."""
    return f"{path.stem}.ome.zarr"


def has_overlay(pages: int, n_pixels: int, options: ScientificOptions) -> bool:
    """Whether overlays are drawn for images with pages of this many pixels."""
    return pages == 1 and n_pixels <= LARGEST_UNTILED and not options.zarr


def image_file_names(
    path: Path, options: ScientificOptions, wanted: Iterable[str] = ()
) -> list[str]:
    """Return the files that are written for an image, the mask first.

    Parameters
    ----------
    path : Path
    options : ScientificOptions
    wanted : iterable of {"probabilities", "overlays", "scores"}
        Folders in addition to the mask; scores are not written for these images.
    """
    stem, mask = path.stem, mask_name(path)
    names = [zarr_name(path) if options.zarr else mask]
    for folder in sorted(set(wanted) - {SCORES}):
        names.append(f"{folder}/{stem}.png" if folder == OVERLAYS else f"{folder}/{mask}")
    if options.object_settings is not None:
        names += [f"{LABELS}/{stem}.tif", f"{OBJECTS}/{stem}.csv"]
    annotations = {
        "coco": f"{COCO}/{stem}.json",
        "geojson": f"{stem}.geojson",
        "labelme": f"{stem}.json",
    }
    return names + [name for kind, name in annotations.items() if kind in options.formats]


def scientific_outputs(
    images: Sequence[Path], options: ScientificOptions, wanted: Iterable[str] = ()
) -> list[str]:
    """Return the files that may be written for scientific images, and for all of them together.

    Masks in OME-Zarr are not among them: they are folders, which record their own files.

    Parameters
    ----------
    images : sequence of Path
    options : ScientificOptions
    wanted : iterable of {"probabilities", "overlays", "scores"}
        Folders in addition to the masks.
    """
    folders = set(wanted) - ({OVERLAYS} if options.zarr else set())
    names: list[str] = []
    for path in images:
        mask, *others = image_file_names(path, options, folders)
        names += others if options.zarr else [mask, *others]
    if options.object_settings is not None:
        names.append(OBJECT_TABLE)
    return [*names, ANNOTATIONS] if "coco" in options.formats else names
