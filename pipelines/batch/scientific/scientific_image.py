"""Segment one scientific or large image tile by tile, and write its files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from segboost._interrupt import is_interrupt
from segboost.io.errors import ImageFileError
from segboost.io.opening import MAX_PIXELS
from segboost.io.scientific.sources import is_photograph, open_source
from segboost.pipelines.batch.image_result import NO_ROOM, ImageResult, explain
from segboost.pipelines.batch.scientific.image_outputs import ImageJob, write_outputs
from segboost.pipelines.batch.scientific.intensity_scale import choose_scale
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.page_surveys import survey_pages
from segboost.pipelines.batch.scientific.tile import TileReader, TileResult
from segboost.pipelines.batch.scientific.tile_store import TileStore
from segboost.pipelines.runtime.artefact_key import file_key
from segboost.pipelines.segmentation.images.tiling import Tile, is_large, plan_tiles
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter
from segboost.storage.folder import DOCUMENT

VERSION = 3
"""Increased when tiles are segmented differently, so that older tiles are not reused."""

TileMap = Callable[[TileReader, list[Tile], bool], Iterator[TileResult]]
"""Segments tiles in order: in this process, in several, or on a cluster."""


def segment_scientific(
    model: Segmenter,
    model_folder: Path,
    path: Path,
    output: Path,
    options: ScientificOptions,
    probabilities: bool,
    map_tiles: TileMap,
) -> ImageResult:
    """Segment all pages of an image; any failure is returned as a result.

    Finished tiles are kept in the output folder until the image is done, so that the next run
    continues with the remaining ones.

    Parameters
    ----------
    model : Segmenter
    model_folder : Path
    path : Path
    output : Path
        The mask is ``<stem>.tif`` for TIFF files, otherwise ``<stem>.png``, or
        ``<stem>.ome.zarr`` if wanted; the objects are in ``objects/<stem>.csv``, their label
        image in ``labels/<stem>.tif``.
    options : ScientificOptions
    probabilities : bool
        Whether to write ``probabilities/<stem>.tif``, or ``.png``.
    map_tiles : callable
    """
    start, cpu = time.perf_counter(), time.thread_time()
    spent, found, status = 0.0, {}, "done"
    try:
        job, reader, notes = _prepare(model, model_folder, path, output, options, probabilities)
        todo = [tile for tile in job.tiles if tile not in job.store]
        for tile, result in zip(todo, map_tiles(reader, todo, job.with_probability), strict=True):
            job.store.put(tile, result)
            spent += result.cpu_seconds
        found = write_outputs(job, probabilities)
        left = job.store.remove(list(job.tiles))
        found["notes"] = "; ".join(filter(None, [*notes, found.get("notes", ""), left]))
    except Exception as error:  # no failure may stop the remaining images
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        status = explain(error).removeprefix(f"{path}: ")
    own = time.thread_time() - cpu
    return ImageResult(
        path.name,
        **found,
        seconds=time.perf_counter() - start,
        cpu_seconds=max(own, spent),
        status=status,
    )


def is_scientific(path: Path, model: Segmenter, options: ScientificOptions) -> bool:
    """Whether an image is, or is to be processed as, a scientific or large image.

    Files that cannot be opened here are left to the reader of photographs, which reports them.
    """
    if options.all_images or model.preset.intensities is not None:
        return True
    try:
        return not is_photograph(path, MAX_PIXELS)
    except (ImageFileError, OSError):
        return False


def _prepare(
    model: Segmenter,
    model_folder: Path,
    path: Path,
    output: Path,
    options: ScientificOptions,
    probabilities: bool,
) -> tuple[ImageJob, TileReader, list[str]]:
    with open_source(path, options.axes) as source:
        info = source.info
        scale, notes = choose_scale(source, model.preset, options)
    large = is_large(info.height, info.width, options.tile)
    if large and model.config.longest_side is not None:
        raise ImageFileError(
            f"{info.width}×{info.height} pixels need tiles, but the model scales images down to "
            f"{model.config.longest_side} pixels: scale the image down, or train without "
            "longest_side"
        )
    tiles = plan_tiles(info.pages, info.height, info.width, options.tile, options.overlap)
    wants = probabilities or (options.object_settings is not None and _is_calibrated(model))
    stat = path.stat()
    key: dict[str, Any] = {
        "model": file_key(model_folder / DOCUMENT),
        "options": options.to_key(),
        "scale": scale.to_dict(),
        "image": [os.path.realpath(path), stat.st_size, stat.st_mtime_ns],
        "probabilities": wants,
        "version": VERSION,
    }
    store = TileStore(output, path.stem, key)
    store.refuse_foreign(tiles)
    job = ImageJob(model, path, output, options, info, tiles, store, wants)
    reader = TileReader(path, scale, options.axes)
    if large:
        pages = sorted({tile.page for tile in tiles if tile not in store})
        reader = survey_pages(model, reader, pages, 2 * options.overlap)
    return job, reader, [*info.notes, *notes]


def _is_calibrated(model: Segmenter) -> bool:
    try:
        model.probabilities(np.zeros((1, 1) if model.n_classes == 2 else (1, 1, model.n_classes)))
    except ValueError:
        return False
    return True
