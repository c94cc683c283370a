"""COCO instance annotations: one JSON file for many images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from segboost._version import __version__
from segboost.io.errors import ImageFileError
from segboost.io.formats.annotations import AnnotatedImage, Annotation, check_names
from segboost.io.formats.documents import (
    plane_list,
    read_document,
    read_extent,
    read_page,
    read_planes,
    read_ring,
    write_document,
)
from segboost.io.formats.polygon_runs import encode_polygons
from segboost.io.formats.run_lengths import decode_runs, encode_runs, expand_counts
from segboost.io.opening import MAX_PIXELS, check_size

KIND, BACKGROUND = "COCO", "background"


@dataclass(frozen=True)
class CocoFile:
    """The content of a COCO file.

    Parameters
    ----------
    images : dict of str to AnnotatedImage
        By the name of the image file, without folders.
    class_names : tuple of str
        "background" and the categories of the file.
    """

    images: dict[str, AnnotatedImage]
    class_names: tuple[str, ...]


def write_coco(path: Path, images: Sequence[AnnotatedImage], class_names: Sequence[str]) -> Path:
    """Write annotations as a COCO file; return its path.

    Objects are stored as polygons; those with holes, which COCO polygons cannot have, as exact run
    lengths. The category number is the class index.

    Parameters
    ----------
    path : Path
    images : sequence of AnnotatedImage
    class_names : sequence of str
        By class index; the first one is the background.
    """
    return write_document(path, coco_document(images, class_names))


def coco_document(images: Sequence[AnnotatedImage], class_names: Sequence[str]) -> dict[str, Any]:
    """Return the JSON object that `write_coco` writes."""
    check_names(images, class_names)
    annotations: list[dict[str, Any]] = []
    for number, image in enumerate(images, start=1):
        for annotation in image.annotations:
            entry = _entry(annotation, (image.height, image.width))
            if image.pages > 1:  # COCO has no stacks; other tools ignore the field
                entry["page"] = annotation.page
            annotations.append({"id": len(annotations) + 1, "image_id": number, **entry})
    return {
        "info": {"description": f"segboost {__version__}"},
        "images": [
            {"id": n, "file_name": i.name, "width": i.width, "height": i.height, **plane_list(i)}
            for n, i in enumerate(images, start=1)
        ],
        "categories": [
            {"id": n, "name": name, "supercategory": ""}
            for n, name in enumerate(class_names)
            if n > 0 or _is_used(0, images)
        ],
        "annotations": annotations,
    }


def merge_coco(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge documents of `coco_document`, all with the same classes, into one."""
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    categories: dict[int, Any] = {}
    for document in documents:
        first = len(images)
        images += [{**image, "id": first + image["id"]} for image in document["images"]]
        for entry in document["annotations"]:
            number = len(annotations) + 1
            annotations.append({**entry, "id": number, "image_id": first + entry["image_id"]})
        categories |= {category["id"]: category for category in document["categories"]}
    return {
        "info": {"description": f"segboost {__version__}"},
        "images": images,
        "categories": [categories[number] for number in sorted(categories)],
        "annotations": annotations,
    }


def read_coco(path: str | PathLike[str], class_names: Sequence[str] | None = None) -> CocoFile:
    """Read a COCO file.

    Parameters
    ----------
    path : path
    class_names : sequence of str, optional
        The classes by index, to which categories are matched by name; otherwise 0 is the
        background and the categories follow in the order of their numbers.

    Raises
    ------
    ImageFileError
        If the file is not valid, or a category is not among the given classes.
    """
    document = read_document(path, KIND)
    parts = {key: document.get(key) for key in ("images", "categories", "annotations")}
    for key, value in parts.items():
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise ImageFileError(f"{path}: not a COCO file: {key} is missing or not a list")
    images, categories, annotations = (list(value or []) for value in parts.values())
    names, index = _classes(path, categories, class_names)
    sizes = {}
    for entry in images:
        name = str(entry.get("file_name"))
        extent = [read_extent(entry.get(key), f"{path}: {name}") for key in ("width", "height")]
        number = _number(entry.get("id"), f"{path}: {name}")
        planes = read_planes(entry, f"{path}: {name}")
        sizes[number] = (Path(name).name, extent[0], extent[1], planes)
    found: dict[Any, list[Annotation]] = {number: [] for number in sizes}
    for n, entry in enumerate(annotations):
        where = f"{path}: annotation {entry.get('id', n)}"
        number = _number(entry.get("image_id"), where)
        category = _number(entry.get("category_id"), where)
        if number not in sizes:
            raise ImageFileError(f"{where}: its image {number} is not listed")
        if category not in index:
            raise ImageFileError(f"{where}: its category {category} is not listed")
        _, width, height, planes = sizes[number]
        made = _annotation(entry, index[category], (height, width), where)
        found[number].append(replace(made, page=read_page(entry, planes, where)))
    by_name = {
        name: AnnotatedImage(name, width, height, tuple(found[number]), planes=planes)
        for number, (name, width, height, planes) in sizes.items()
    }
    if len(by_name) < len(sizes):
        raise ImageFileError(f"{path}: two images have the same file name: rename one")
    return CocoFile(by_name, names)


def _entry(annotation: Annotation, shape: tuple[int, int]) -> dict[str, Any]:
    """Return the fields of an annotation except its numbers."""
    holed = any(len(polygon) > 1 for polygon in annotation.polygons)
    segmentation: Any
    if holed or annotation.pixels is not None:
        if annotation.pixels is None:
            runs = encode_polygons(annotation.polygons, shape)
        else:
            runs = encode_runs(annotation.pixels)
        segmentation = {"counts": runs, "size": list(shape)}
    else:
        segmentation = [
            [round(float(v), 3) for v in polygon[0].ravel()] for polygon in annotation.polygons
        ]
    entry = {
        "category_id": annotation.class_index,
        "segmentation": segmentation,
        "area": round(annotation.area, 3),
        "bbox": [round(v, 3) for v in annotation.box],
        "iscrowd": 0,
    }
    if annotation.score is not None:
        entry["score"] = round(annotation.score, 6)
    return entry


def _annotation(
    entry: Mapping[str, Any], class_index: int, shape: tuple[int, int], where: str
) -> Annotation:
    segmentation = entry.get("segmentation")
    if isinstance(segmentation, dict):
        return Annotation(class_index, pixels=_pixels(segmentation, shape, where))
    if not isinstance(segmentation, list) or not segmentation:
        raise ImageFileError(f"{where}: it has no outline: add one or remove the annotation")
    polygons = []
    for flat in segmentation:
        if not isinstance(flat, list) or len(flat) % 2:
            raise ImageFileError(f"{where}: a polygon must be a list of alternating x and y")
        polygons.append((read_ring(list(zip(flat[::2], flat[1::2], strict=True)), where),))
    return Annotation(class_index, tuple(polygons))


def _pixels(code: Mapping[str, Any], shape: tuple[int, int], where: str) -> Any:
    counts, size = code.get("counts"), code.get("size")
    if size != list(shape):
        raise ImageFileError(f"{where}: run lengths of size {size}, expected {list(shape)}")
    check_size(shape[1], shape[0], MAX_PIXELS)
    try:
        return decode_runs(expand_counts(counts) if isinstance(counts, str) else counts, shape)  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError) as error:
        raise ImageFileError(f"{where}: {error}") from None


def _classes(
    path: Any, categories: Sequence[Mapping[str, Any]], class_names: Sequence[str] | None
) -> tuple[tuple[str, ...], dict[Any, int]]:
    """Return the class names and the class index of every category number."""
    ordered = sorted(
        (_number(entry.get("id"), f"{path}: a category"), str(entry.get("name")))
        for entry in categories
    )
    if class_names is None:
        others = [name for _, name in ordered if name != BACKGROUND]
        class_names = (BACKGROUND, *dict.fromkeys(others))
    known = {name: n for n, name in enumerate(class_names)}
    for _, name in ordered:
        if name not in known:
            listed = ", ".join(class_names)
            raise ImageFileError(f"{path}: category {name!r} is not one of the classes {listed}")
    return tuple(class_names), {number: known[name] for number, name in ordered}


def _number(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ImageFileError(f"{where}: expected a whole number as its id, got {value!r}")
    return value


def _is_used(class_index: int, images: Sequence[AnnotatedImage]) -> bool:
    return any(a.class_index == class_index for image in images for a in image.annotations)
