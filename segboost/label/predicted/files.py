"""The files of an export of all images: masks, probabilities, overlays and objects."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from segboost._types import FloatArray
from segboost.io.formats.annotations import AnnotatedImage, annotate_labels
from segboost.io.formats.coco import write_coco
from segboost.label.classes import ClassList
from segboost.label.images import FolderImage
from segboost.label.masks import UNPAINTED, MaskFolder, encode_mask
from segboost.label.predicted.running import OBJECTS, PICTURES
from segboost.label.predicted.source import PredictedImage, PredictionSource
from segboost.label.reading import read_pixels
from segboost.pipelines.batch.overlay import draw_overlay
from segboost.pipelines.objects.finding import find_objects
from segboost.pipelines.objects.measuring import measure_objects
from segboost.pipelines.objects.table_file import PageObjects, write_object_table
from segboost.storage.output_record import OutputRecord, Outputs
from segboost.storage.whole_file import write_whole

MASKS, PROBABILITIES, OVERLAYS = "masks", "probabilities", "overlays"
LEGEND, TABLE, COCO = "classes.json", "objects.csv", "objects.coco.json"
OUTPUTS = Outputs((LEGEND, TABLE, COCO), (MASKS, PROBABILITIES, OVERLAYS))


def export_predictions(
    folder: Path,
    images: Sequence[FolderImage],
    masks: MaskFolder,
    source: PredictionSource,
    what: Sequence[str],
    report: Callable[[int], Any] = lambda done: None,
) -> None:
    """Write the files of all images; painted pixels keep their painted class.

    Parameters
    ----------
    folder : Path
        Files of an earlier export in it are replaced.
    images : sequence of FolderImage
    masks : MaskFolder
    source : PredictionSource
    what : sequence of "predictions" and "objects"
    report : callable
        Called with the number of finished images.

    Raises
    ------
    ValueError
        If the folder holds files that are not part of an earlier export.
    """
    classes = masks.classes()
    names = [c.name for c in classes.ordered]
    tables: list[PageObjects] = []
    annotated: list[AnnotatedImage] = []
    with _replaced(folder):
        write_whole(folder / LEGEND, classes.legend_file())
        for done, image in enumerate(images, start=1):
            found = source(image)
            if masks.version(image) != UNPAINTED:
                found = found.with_paint(classes.index_table()[masks.read(image)])
            if PICTURES in what:
                _write_pictures(folder, image, found, classes)
            if OBJECTS in what:
                objects = find_objects(found.mask)
                shares = np.stack([found.probability(k) for k in range(len(names))], axis=-1)
                table = measure_objects(objects, names, shares)
                tables.append(PageObjects(image.path.name, 0, table))
                annotated.append(annotate_labels(image.name, objects.labels, objects.classes))
            report(done)
        if OBJECTS in what:
            write_object_table(tables, folder / TABLE)
            write_coco(folder / COCO, annotated, names)


def _write_pictures(
    folder: Path, image: FolderImage, found: PredictedImage, classes: ClassList
) -> None:
    name = f"{image.path.stem}.png"
    numbered = classes.numbered
    for k, file in probability_files(image.path.stem, classes):
        write_whole(folder / PROBABILITIES / file, encode_share(found.probability(k)))
    overlay = draw_overlay(read_pixels(image.path), found.mask, classes.legend)
    write_whole(folder / OVERLAYS / name, _png(Image.fromarray(overlay)))
    write_whole(folder / MASKS / name, encode_mask(found.mask, numbered))


def probability_files(stem: str, classes: ClassList) -> list[tuple[int, str]]:
    """Return the classes that have a probability file, with its name.

    With two classes, only the second has one, as in the output of `segboost segment`.
    """
    if len(classes.classes) == 2:
        return [(1, f"{stem}.png")]
    return [(k, f"{stem}.{k}.png") for k in range(len(classes.classes))]


def encode_share(share: FloatArray) -> bytes:
    """Return probabilities as a PNG of 16 bits: 65535 is 1."""
    values = np.rint(np.clip(share, 0.0, 1.0) * 65535).astype(np.uint16)
    return _png(Image.fromarray(values))


@contextmanager
def _replaced(folder: Path) -> Iterator[None]:
    """Remove an earlier export, and record the files that replace it."""
    foreign = OutputRecord.read(folder).foreign(OUTPUTS)
    if foreign:
        raise ValueError(
            f"{folder / foreign[0]} was not written by the export, or changed since: move it out "
            f"of {folder}"
        )
    for name in OUTPUTS.present(folder):
        (folder / name).unlink()
    for name in OUTPUTS.folders:
        (folder / name).mkdir(parents=True, exist_ok=True)
    record = OutputRecord.read(folder)
    record.claim(OUTPUTS)
    yield
    record.settle()


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
