"""Summaries of the scientific images of a batch: table of objects and COCO annotations."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from segboost.io.formats.coco import merge_coco
from segboost.io.formats.documents import write_document
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.output_names import (
    ANNOTATIONS,
    COCO,
    OBJECT_TABLE,
    OBJECTS,
)
from segboost.pipelines.objects.table_file import table_columns, write_rows


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
