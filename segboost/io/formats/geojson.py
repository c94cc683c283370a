"""GeoJSON as QuPath reads and writes it: one file of outlined objects per image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from segboost.io.errors import ImageFileError
from segboost.io.formats.annotations import AnnotatedImage, Annotation, check_names
from segboost.io.formats.documents import read_document, read_ring, rounded, write_document
from segboost.io.formats.polygons import Polygon

KIND = "GeoJSON"
Colour = tuple[int, int, int]
Plane = tuple[int, int]
"""Position in z and t."""


def write_geojson(
    path: Path,
    image: AnnotatedImage,
    class_names: Sequence[str],
    colours: Sequence[Colour] | None = None,
) -> Path:
    """Write the annotations of an image as a GeoJSON file for QuPath; return its path.

    Parameters
    ----------
    path : Path
    image : AnnotatedImage
    class_names : sequence of str
        By class index.
    colours : sequence of (red, green, blue), optional
        By class index.
    """
    return write_document(path, geojson_document(image, class_names, colours))


def geojson_document(
    image: AnnotatedImage, class_names: Sequence[str], colours: Sequence[Colour] | None = None
) -> dict[str, Any]:
    """Return the JSON object that `write_geojson` writes."""
    check_names([image], class_names)
    return {
        "type": "FeatureCollection",
        "features": [_feature(a, image.planes, class_names, colours) for a in image.annotations],
    }


def read_geojson(
    path: str | PathLike[str],
    name: str,
    width: int,
    height: int,
    class_names: Sequence[str],
    planes: Sequence[Plane] = (),
) -> AnnotatedImage:
    """Read a GeoJSON file of QuPath.

    Parameters
    ----------
    path : path
    name : str
        Name of the image file, which GeoJSON does not store.
    width, height : int
    class_names : sequence of str
        The classes by index, to which the classifications are matched by name.
    planes : sequence of (int, int)
        Positions in z and t of the pages of a stack, which GeoJSON does not store. Without them,
        the page of an object is its position on the one axis that the file uses.

    Raises
    ------
    ImageFileError
        If the file is not valid, a classification is not among the classes, or an object is on
        a plane that is not a page.
    """
    document = read_document(path, KIND)
    features = document.get("features")
    if document.get("type") != "FeatureCollection" or not isinstance(features, list):
        raise ImageFileError(f"{path}: not a GeoJSON file: expected a FeatureCollection")
    index = {known: n for n, known in enumerate(class_names)}
    found: list[tuple[Annotation, Plane]] = []
    notes = []
    for n, feature in enumerate(features):
        where = f"{path}: feature {n}"
        if not isinstance(feature, dict) or not isinstance(feature.get("geometry"), dict):
            raise ImageFileError(f"{where}: it has no geometry")
        kind = feature["geometry"].get("type")
        if kind not in ("Polygon", "MultiPolygon"):
            notes.append(f"{where}: left out, a {kind} has no area")
            continue
        label = _classification(feature)
        if label not in index:
            listed = ", ".join(class_names)
            raise ImageFileError(f"{where}: class {label!r} is not one of {listed}")
        parts = feature["geometry"].get("coordinates")
        parts = [parts] if kind == "Polygon" else parts
        plane = _plane(feature["geometry"].get("plane"), where)
        found.append((Annotation(index[label], _polygons(parts, where)), plane))
    pages = _pages([plane for _, plane in found], planes, str(path))
    annotations = (replace(a, page=page) for (a, _), page in zip(found, pages, strict=True))
    return AnnotatedImage(name, width, height, tuple(annotations), tuple(notes), tuple(planes))


def _feature(
    annotation: Annotation,
    planes: Sequence[Plane],
    class_names: Sequence[str],
    colours: Sequence[Colour] | None,
) -> dict[str, Any]:
    parts = [[_closed(ring) for ring in polygon] for polygon in annotation.polygons]
    geometry: dict[str, Any] = (
        {"type": "Polygon", "coordinates": parts[0]}
        if len(parts) == 1
        else {"type": "MultiPolygon", "coordinates": parts}
    )
    if planes or annotation.page:
        z, t = planes[annotation.page] if planes else (annotation.page, 0)
        geometry["plane"] = {"c": -1, "z": z, "t": t}
    classification: dict[str, Any] = {"name": class_names[annotation.class_index]}
    if colours is not None:
        classification["color"] = list(colours[annotation.class_index])
    properties: dict[str, Any] = {"objectType": "annotation", "classification": classification}
    measurements = dict(annotation.measurements)
    if annotation.score is not None:
        measurements["probability"] = round(annotation.score, 6)
    if measurements:
        properties["measurements"] = measurements
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _plane(plane: Any, where: str) -> Plane:
    """Return the position of an object in z and t, by default 0."""
    given = plane if isinstance(plane, dict) else {}
    z, t = given.get("z", 0), given.get("t", 0)
    if type(z) is not int or type(t) is not int or min(z, t) < 0:
        raise ImageFileError(f"{where}: its plane must have whole numbers as z and t")
    return z, t


def _pages(used: Sequence[Plane], planes: Sequence[Plane], where: str) -> list[int]:
    """Return the page of every plane in use."""
    if not planes:
        if any(z for z, _ in used) and any(t for _, t in used):
            raise ImageFileError(
                f"{where}: its objects lie along z and t: give the planes of the image's pages"
            )
        return [max(plane) for plane in used]
    page_of = {plane: page for page, plane in enumerate(planes)}
    for z, t in used:
        if (z, t) not in page_of:
            raise ImageFileError(f"{where}: the image has no page at z = {z}, t = {t}")
    return [page_of[plane] for plane in used]


def _closed(ring: Any) -> list[list[float]]:
    points = rounded(ring)
    return [*points, points[0]]


def _classification(feature: dict[str, Any]) -> Any:
    properties = feature.get("properties")
    found = properties.get("classification") if isinstance(properties, dict) else None
    return found.get("name") if isinstance(found, dict) else None


def _polygons(parts: Any, where: str) -> tuple[Polygon, ...]:
    if not isinstance(parts, list) or not parts:
        raise ImageFileError(f"{where}: it has no coordinates")
    polygons = []
    for part in parts:
        if not isinstance(part, list) or not part:
            raise ImageFileError(f"{where}: it has no coordinates")
        polygons.append(tuple(read_ring(ring, where) for ring in part))
    return tuple(polygons)
