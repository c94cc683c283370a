"""Write the results of a scientific image: masks, probabilities, objects, annotations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import AnyArray, ByteArray
from segboost.io.scientific.image_info import ImageInfo
from segboost.io.scientific.sources import open_source
from segboost.io.scientific.tiff_output import write_tiff_stack
from segboost.io.scientific.window import Window
from segboost.pipelines.batch.output_names import PROBABILITIES
from segboost.pipelines.batch.scientific.annotation_files import write_annotations
from segboost.pipelines.batch.scientific.image_objects import ObjectCollector
from segboost.pipelines.batch.scientific.mask_file import write_mask, write_probabilities
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.output_names import LABELS, OBJECTS
from segboost.pipelines.batch.scientific.tile_store import PROBABILITY, TileStore
from segboost.pipelines.objects.table_file import write_object_table
from segboost.pipelines.segmentation.images.tiling import Tile
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter


@dataclass(frozen=True, eq=False)
class ImageJob:
    """An image with its tiles, their store, the model and the options."""

    model: Segmenter
    path: Path
    output: Path
    options: ScientificOptions
    info: ImageInfo
    tiles: list[Tile]
    store: TileStore
    with_probability: bool


def write_outputs(job: ImageJob, probabilities: bool) -> dict[str, Any]:
    """Write the files of an image whose tiles are done; return the fields of its result.

    Parameters
    ----------
    job : ImageJob
    probabilities : bool
        Whether to write the probabilities.
    """
    info = job.info
    found: dict[str, Any] = {"width": info.width, "height": info.height, "pages": info.pages}
    if job.options.object_settings is not None:
        found |= _write_objects(job)
    if probabilities:
        pages = (_bands(job, page, PROBABILITY) for page in range(info.pages))
        write_probabilities(job.path, job.output / PROBABILITIES, pages, info)
    counts = np.zeros(256, dtype=np.int64)

    def masks(page: int) -> Iterator[ByteArray]:
        for band in _bands(job, page):
            counts[:] += np.bincount(band.ravel(), minlength=256)
            yield band

    bands = (masks(page) for page in range(info.pages))
    write_mask(job.path, job.output, bands, info, job.model.legend, job.options.zarr)
    shares = counts[: job.model.n_classes] / max(int(counts.sum()), 1)
    if job.model.n_classes == 2:
        found["foreground_share"] = float(shares[1])
    else:
        found["class_shares"] = tuple(shares.tolist())
    found["superpixels"] = sum(job.store.counts(tile)[0] for tile in job.tiles)
    return found


def _bands(job: ImageJob, page: int, what: str = "mask") -> Iterator[ByteArray]:
    tiles = [tile for tile in job.tiles if tile.page == page]
    return job.store.bands(tiles, job.info.width, what)


def _write_objects(job: ImageJob) -> dict[str, Any]:
    info, options, stem = job.info, job.options, job.path.stem
    settings = options.object_settings
    assert settings is not None
    tolerance = options.tolerance if options.formats else None
    collector = ObjectCollector(job.path.name, info, settings, job.model.legend, tolerance)
    for name in (OBJECTS, LABELS):
        (job.output / name).mkdir(exist_ok=True)

    with closing(collector):
        write_tiff_stack(
            job.output / LABELS / f"{stem}.tif",
            (_labels(job, collector, page) for page in range(info.pages)),
            (info.pages, info.height, info.width),
            np.int32,
            info.tags,
        )
    write_object_table(collector.tables, job.output / OBJECTS / f"{stem}.csv")
    if options.formats:
        image, legend = collector.annotated(), job.model.legend
        write_annotations(job.output, stem, image, legend, options.formats)
    notes = "; ".join(collector.notes)
    return {"objects": collector.count, "object_area": collector.area, "notes": notes}


def _labels(job: ImageJob, collector: ObjectCollector, page: int) -> Iterator[AnyArray]:
    """Measure the objects of a page; return its label image as bands."""
    height, width = job.info.shape
    mask = _bands(job, page)
    unit = _bands(job, page, PROBABILITY) if job.with_probability else None

    def values(window: Window) -> AnyArray:
        with open_source(job.path, job.options.axes) as source:
            return source.read(page, window.rows, window.columns)

    if collector.is_large:
        return collector.add_large(page, mask, unit, values, job.output)
    return collector.add(
        page,
        np.concatenate(list(mask)),
        None if unit is None else np.concatenate(list(unit)),
        values(Window(0, height, 0, width)),
    )
