"""LabelMe annotations: one JSON file of outlined shapes per image."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import BoolArray, FloatArray
from segboost.io.errors import ImageFileError
from segboost.io.formats.annotations import AnnotatedImage, Annotation, check_names
from segboost.io.formats.documents import (
    plane_list,
    read_document,
    read_extent,
    read_page,
    read_planes,
    read_ring,
    rounded,
    write_document,
)
from segboost.io.formats.polygons import ring_area
from segboost.io.opening import MAX_PIXELS, check_size, open_image

KIND = "LabelMe"
VERSION = "5.5.0"
"""The version of LabelMe whose format is written."""

CIRCLE_POINTS = 64
NO_AREA = ("point", "points", "line", "linestrip")


def write_labelme(path: Path, image: AnnotatedImage, class_names: Sequence[str]) -> Path:
    """Write the annotations of an image as a LabelMe file; return its path.

    LabelMe has no holes: a hole is written as a shape of the background class right after its
    object, and objects are written from the largest to the smallest, so that painting them in turn
    gives the mask.

    Parameters
    ----------
    path : Path
    image : AnnotatedImage
        Its annotations must have polygons.
    class_names : sequence of str
        By class index; the first one is the background.
    """
    return write_document(path, labelme_document(image, class_names))


def labelme_document(image: AnnotatedImage, class_names: Sequence[str]) -> dict[str, Any]:
    """Return the JSON object that `write_labelme` writes."""
    check_names([image], class_names)
    parts = [
        (annotation.class_index, polygon, group, annotation.page)
        for group, annotation in enumerate(image.annotations, start=1)
        for polygon in annotation.polygons
    ]
    # A part within a hole of another one is smaller than that one.
    parts.sort(key=lambda part: -abs(ring_area(part[1][0])))
    shapes = []
    for class_index, (outer, *holes), group, page in parts:
        place = {"page": page} if image.pages > 1 else {}
        shapes.append(_shape(class_names[class_index], outer, group) | place)
        shapes += [_shape(class_names[0], hole, group) | place for hole in holes]
    return {
        "version": VERSION,
        "flags": {},
        "shapes": shapes,
        "imagePath": image.name,
        "imageData": None,
        "imageHeight": image.height,
        "imageWidth": image.width,
        **plane_list(image),
    }


def labelme_labels(path: str | PathLike[str]) -> set[str]:
    """Return the labels that occur in a LabelMe file."""
    return {str(shape.get("label")) for shape in _shapes(read_document(path, KIND), path)}


def read_labelme(path: str | PathLike[str], class_names: Sequence[str]) -> AnnotatedImage:
    """Read a LabelMe file; shapes without an area are left out and named in the notes.

    Parameters
    ----------
    path : path
    class_names : sequence of str
        The classes by index, to which labels are matched; ``_background_`` is always 0.

    Raises
    ------
    ImageFileError
        If the file is not valid, or a label is not among the classes.
    """
    document = read_document(path, KIND)
    width = read_extent(document.get("imageWidth"), f"{path}: imageWidth")
    height = read_extent(document.get("imageHeight"), f"{path}: imageHeight")
    index = {"_background_": 0} | {name: n for n, name in enumerate(class_names)}
    planes = read_planes(document, str(path))
    found, notes = [], []
    for n, shape in enumerate(_shapes(document, path)):
        where = f"{path}: shape {n}"
        kind = shape.get("shape_type", "polygon")
        if kind in NO_AREA:
            notes.append(f"{where}: left out, a {kind} has no area")
            continue
        label = shape.get("label")
        if label not in index:
            listed = ", ".join(class_names)
            raise ImageFileError(f"{where}: label {label!r} is not one of {listed}")
        page = read_page(shape, planes, where)
        if kind == "mask":
            pixels = _pasted(shape, (height, width), where)
            found.append(Annotation(index[label], pixels=pixels, page=page))
        else:
            outline = ((_outline(shape, kind, where),),)
            found.append(Annotation(index[label], outline, page=page))
    # The name may come from another system; only its last part is used.
    name = str(document.get("imagePath") or Path(path).stem).replace("\\", "/")
    name = name.rpartition("/")[2]
    return AnnotatedImage(name, width, height, tuple(found), tuple(notes), planes)


def _shapes(document: dict[str, Any], path: Any) -> list[dict[str, Any]]:
    shapes = document.get("shapes")
    if not isinstance(shapes, list) or not all(isinstance(shape, dict) for shape in shapes):
        raise ImageFileError(f"{path}: not a LabelMe file: it has no list of shapes")
    return shapes


def _outline(shape: dict[str, Any], kind: Any, where: str) -> FloatArray:
    points = shape.get("points")
    if kind == "polygon":
        return read_ring(points, where)
    if kind not in ("rectangle", "circle"):
        raise ImageFileError(f"{where}: shape type {kind!r} is not known")
    two = _two_points(points, where)
    if kind == "rectangle":
        (left, top), (right, bottom) = two
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    angles = np.linspace(0, 2 * np.pi, CIRCLE_POINTS, endpoint=False)
    radius = float(np.hypot(*(two[1] - two[0])))
    return two[0] + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _two_points(points: Any, where: str) -> FloatArray:
    if not isinstance(points, list) or len(points) != 2:
        raise ImageFileError(f"{where}: expected two points")
    return read_ring([*points, points[0]], where)[:2]


def _pasted(shape: dict[str, Any], size: tuple[int, int], where: str) -> BoolArray:
    """Return the pixels of a shape that is stored as a small mask and its corner."""
    check_size(size[1], size[0], MAX_PIXELS)
    corners = _two_points(shape.get("points"), where)
    try:
        with open_image(base64.b64decode(str(shape.get("mask")), validate=True)) as image:
            small = np.asarray(image.convert("L")) > 0
    except ValueError as error:
        raise ImageFileError(f"{where}: its mask cannot be read: {error}") from None
    left, top = (round(float(v)) for v in corners[0])
    if left < 0 or top < 0 or top + small.shape[0] > size[0] or left + small.shape[1] > size[1]:
        raise ImageFileError(f"{where}: its mask lies outside the image")
    whole = np.zeros(size, dtype=bool)
    whole[top : top + small.shape[0], left : left + small.shape[1]] = small
    return whole


def _shape(label: str, ring: FloatArray, group: int) -> dict[str, Any]:
    return {
        "label": label,
        "points": rounded(ring),
        "group_id": group,
        "shape_type": "polygon",
        "flags": {},
    }
