"""Files about all scientific images of a batch: the table of objects and COCO annotations."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from segboost.io.formats.coco import merge_coco
from segboost.io.formats.documents import write_document
from segboost.pipelines.batch.output_names import OVERLAYS, SCORES
from segboost.pipelines.batch.scientific.mask_file import mask_name
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.writing import COCO, LABELS, OBJECTS
from segboost.pipelines.objects.table_file import table_text
from segboost.storage.whole_file import write_whole

OBJECT_TABLE, ANNOTATIONS = "objects.csv", "annotations.json"


def scientific_outputs(
    images: Sequence[Path], options: ScientificOptions, wanted: Iterable[str] = ()
) -> list[str]:
    """Return the files that scientific images write.

    Parameters
    ----------
    images : sequence of Path
    options : ScientificOptions
    wanted : iterable of {"probabilities", "overlays", "scores"}
        Folders of files in addition to the masks; there are no scores of these images.
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
        rows: list[dict[str, Any]] = []
        for path in images:
            table = output / OBJECTS / f"{path.stem}.csv"
            if table.is_file():
                with open(table, encoding="utf-8", errors="surrogateescape", newline="") as file:
                    rows += csv.DictReader(file)
        write_whole(output / OBJECT_TABLE, table_text(rows).encode("utf-8", "surrogateescape"))
    if "coco" in options.formats:
        files = [output / COCO / f"{path.stem}.json" for path in images]
        documents = [json.loads(path.read_bytes()) for path in files if path.is_file()]
        write_document(output / ANNOTATIONS, merge_coco(documents))


def _annotation_files(stem: str) -> dict[str, str]:
    return {
        "coco": f"{COCO}/{stem}.json",
        "geojson": f"{stem}.geojson",
        "labelme": f"{stem}.json",
    }
