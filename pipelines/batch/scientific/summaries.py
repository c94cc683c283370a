"""Summaries of the scientific images of a batch: table of objects and COCO annotations."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from segboost.io.formats.coco import merge_coco
from segboost.io.formats.documents import write_document
from segboost.pipelines.batch.output_names import OVERLAYS, SCORES
from segboost.pipelines.batch.scientific.annotation_files import COCO
from segboost.pipelines.batch.scientific.mask_file import mask_name
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.writing import LABELS, OBJECTS
from segboost.pipelines.objects.table_file import table_columns, write_rows

OBJECT_TABLE, ANNOTATIONS = "objects.csv", "annotations.json"


def scientific_outputs(
    images: Sequence[Path], options: ScientificOptions, wanted: Iterable[str] = ()
) -> list[str]:
    """Return the files that are written for scientific images.

    Parameters
    ----------
    images : sequence of Path
    options : ScientificOptions
    wanted : iterable of {"probabilities", "overlays", "scores"}
        Folders in addition to the masks; scores are not written for these images.
    """
    wanted = [name for name in wanted if name != SCORES]
    names: list[str] = []
    for path in images:
        names.append(mask_name(path))
        for folder in wanted:
            own = f"{path.stem}.png" if folder == OVERLAYS else mask_name(path)
            names.append(f"{folder}/{own}")
        if options.object_settings is not None:
            names += [f"{LABELS}/{path.stem}.tif", f"{OBJECTS}/{path.stem}.csv"]
        for kind, name in _annotation_files(path.stem).items():
            names += [name] if kind in options.formats else []
    if options.object_settings is not None:
        names.append(OBJECT_TABLE)
    return [*names, ANNOTATIONS] if "coco" in options.formats else names


def write_summaries(images: Sequence[Path], output: Path, options: ScientificOptions) -> None:
    """Write the table of the objects of all images, and their annotations in one COCO file."""
    if options.object_settings is not None:
        tables = [output / OBJECTS / f"{path.stem}.csv" for path in images]
        tables = [path for path in tables if path.is_file()]
        names = table_columns(_filled_columns(path) for path in tables)
        rows = (row for path in tables for row in _rows(path))
        write_rows(output / OBJECT_TABLE, names, rows)
    if "coco" in options.formats:
        files = [output / COCO / f"{path.stem}.json" for path in images]
        documents = [json.loads(path.read_bytes()) for path in files if path.is_file()]
        write_document(output / ANNOTATIONS, merge_coco(documents))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        yield from csv.DictReader(file)


def _filled_columns(path: Path) -> list[str]:
    """Return the columns of a table; none if it has no rows."""
    return list(next(_rows(path), {}))


def _annotation_files(stem: str) -> dict[str, str]:
    return {
        "coco": f"{COCO}/{stem}.json",
        "geojson": f"{stem}.geojson",
        "labelme": f"{stem}.json",
    }
