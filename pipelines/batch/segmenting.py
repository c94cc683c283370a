"""Segment many image files in parallel with bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from segboost.io.errors import ImageFileError
from segboost.io.image_files import decode_image
from segboost.io.opening import read_content, read_header
from segboost.pipelines.batch.image_result import (
    NO_ROOM,
    ImageResult,
    SegmentedImage,
    explain,
    segment_image,
)
from segboost.pipelines.batch.inputs import check_names
from segboost.pipelines.batch.output_names import OVERLAYS, PROBABILITIES, SCORES
from segboost.pipelines.batch.scientific.image_overlay import write_overlay
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.scientific_image import is_scientific, segment_scientific
from segboost.pipelines.batch.scientific.tile import (
    Tile,
    TilePixels,
    TileReader,
    TileResult,
    segment_tile,
)
from segboost.pipelines.runtime.parallel_map import map_loaded
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter, load_segmenter
from segboost.storage.whole_file import write_whole

Options = TypeVar("Options")


class FullDiskError(OSError):
    """The disk of the output folder is full or cannot be written."""


@dataclass(frozen=True)
class BatchOptions:
    """What to write, and where.

    Parameters
    ----------
    output : Path
        Masks are ``<output>/<name>.png``: 255 where foreground, else 0; with several
        classes their indices, with their colours as the palette.
    overlay : bool
        Also ``<output>/overlays/<name>.png``: tints and borders of the classes over the image.
    scores : bool
        Also ``<output>/scores/<name>.png``: the score map, 16 bits; see `encode_scores`. With
        several classes, one map for each: ``<name>.<class>.png``.
    probabilities : bool
        Also ``<output>/probabilities/<name>.png``: 65535 times the calibrated probability of
        foreground, 16 bits. With several classes, one map for each: ``<name>.<class>.png``.
    overwrite : bool
        Whether `run_batch` may replace files that segboost did not write.
    allow_import : tuple of str
        Functions and folders that the model may use; see `load_segmenter`.
    scientific : ScientificOptions
        How scientific and large images are read and segmented.
    """

    output: Path
    overlay: bool = False
    scores: bool = False
    probabilities: bool = False
    overwrite: bool = False
    allow_import: tuple[str, ...] = ()
    scientific: ScientificOptions = field(default_factory=ScientificOptions)

    @property
    def wanted(self) -> frozenset[str]:
        """The folders written in addition to the masks."""
        asked = {OVERLAYS: self.overlay, SCORES: self.scores, PROBABILITIES: self.probabilities}
        return frozenset(name for name, yes in asked.items() if yes)


def segment_files(
    model_folder: Path,
    images: Sequence[Path],
    options: BatchOptions,
    n_jobs: int = 1,
    executor: Executor | None = None,
) -> Iterator[ImageResult]:
    """Segment image files; yield a result for each, in order.

    Only a few images are in memory at a time, however many there are. For an image that cannot be
    segmented, the result holds the reason, and the remaining images are still processed.

    Parameters
    ----------
    model_folder : Path
    images : sequence of Path
    options : BatchOptions
    n_jobs : int
        Number of processes, including this one; each loads the model once.
    executor : Executor, optional
        Workers that have already been started; see `segboost.pipelines.runtime.shared_pool`.

    Raises
    ------
    ValueError
        Before any work, if masks would overwrite each other or an image, or if probabilities
        are wanted but the model has none.
    ModelFileError
        Before any work, if the folder does not hold a segmenter.
    """
    check_batch(model_folder, images, options)
    for name in ("", *options.wanted):
        (options.output / name).mkdir(parents=True, exist_ok=True)
    return _results(model_folder, images, options, n_jobs, executor)


def check_batch(model_folder: Path, images: Sequence[Path], options: BatchOptions) -> None:
    """Raise the errors of `segment_files` without segmenting anything."""
    check_names(images, options.output)
    load_once(model_folder, options.allow_import)
    if options.probabilities:
        foreground_threshold(model_folder, options.allow_import)  # raises if there is none


def foreground_threshold(model_folder: Path, allow_import: tuple[str, ...] = ()) -> float | None:
    """Return the probability at which the masks of a model are thresholded.

    None with several classes, which have no threshold.
    """
    model = load_once(model_folder, allow_import)
    return model.probability_cut if isinstance(model, SegmentationModel) else None


def _results(
    model_folder: Path,
    images: Sequence[Path],
    options: BatchOptions,
    n_jobs: int,
    executor: Executor | None,
) -> Iterator[ImageResult]:
    """Yield the results of photographs, several at a time, and of other images, by tiles."""
    model = load_once(model_folder, options.allow_import)
    tiles = partial(_map_tiles, model_folder, options.allow_import, n_jobs, executor)
    for scientific, group in groupby(
        images, lambda path: is_scientific(path, model, options.scientific)
    ):
        if not scientific:
            yield from _photographs(model_folder, list(group), options, n_jobs, executor)
            continue
        for path in group:
            with single_threaded():
                found = segment_scientific(
                    model,
                    model_folder,
                    path,
                    options.output,
                    options.scientific,
                    options.probabilities,
                    tiles,
                )
            if not found.failed:
                said = write_overlay(
                    model, path, options.output, options.scientific, options.wanted
                )
                found = replace(found, notes="; ".join(filter(None, [found.notes, said])))
            yield found


def _map_tiles(
    model_folder: Path,
    allow_import: tuple[str, ...],
    n_jobs: int,
    executor: Executor | None,
    reader: TileReader,
    tiles: list[Tile],
    with_probability: bool,
) -> Iterator[TileResult]:
    """Segment tiles in several processes, or on the cluster with pixels read on this machine."""
    load = partial(_load_with, model_folder, allow_import, with_probability)
    return map_loaded(
        segment_pixels, load, tiles, n_jobs, executor, prepare=partial(_read_tile, reader)
    )


def _read_tile(reader: TileReader, tile: Tile) -> tuple[Tile, TilePixels]:
    return tile, reader(tile)


def segment_pixels(shared: tuple[Segmenter, bool], item: tuple[Tile, TilePixels]) -> TileResult:
    """Segment a tile that has been read."""
    return segment_tile(shared[0], item[0], item[1], shared[1])


def _photographs(
    model_folder: Path,
    images: Sequence[Path],
    options: BatchOptions,
    n_jobs: int,
    executor: Executor | None,
) -> Iterator[ImageResult]:
    """Segment photographs here or on the cluster; files are read and written on this machine."""
    load = partial(_load_with, model_folder, options.allow_import, options.wanted)
    keep = partial(_keep, options.output)
    with single_threaded():
        yield from map_loaded(
            segment_bytes, load, images, n_jobs, executor, prepare=_read, keep=keep, on_lost=_lost
        )


def _load_with(
    folder: Path, allow_import: tuple[str, ...], options: Options
) -> tuple[Segmenter, Options]:
    return load_once(folder, allow_import), options


@lru_cache(maxsize=1)
def load_once(folder: Path, allow_import: tuple[str, ...] = ()) -> Segmenter:
    """Return the segmenter of a folder; the last one loaded is kept in memory."""
    return load_segmenter(folder, allow_import)


def _read(path: Path) -> tuple[str, bytes | str]:
    """Return a file's name and bytes, or why it cannot be read."""
    try:
        return path.name, read_content(path)
    except ImageFileError as error:
        # The result already names the file.
        return path.name, str(error).removeprefix(f"{path}: ")


def segment_bytes(
    shared: tuple[Segmenter, frozenset[str]], item: tuple[str, bytes | str]
) -> SegmentedImage:
    """Segment an image file given by name and bytes, or by name and the reason it is unreadable."""
    (model, wanted), (name, data) = shared, item
    if isinstance(data, str):
        return SegmentedImage(ImageResult(name, status=data))
    made = segment_image(model, name, partial(decode_image, data), wanted)
    if made.result.failed:
        return made
    return replace(made, result=replace(made.result, notes="; ".join(read_header(data).notes)))


def _lost(reason: str) -> SegmentedImage:
    return SegmentedImage(ImageResult("", status=reason))


@contextmanager
def explain_full_disk(output: Path) -> Iterator[None]:
    """Turn the error of a full or read-only disk into one that says what to do."""
    try:
        yield
    except FullDiskError:
        raise
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        message = (
            f"{output}: {error.strerror}: free some space or choose another folder, then run the "
            "command again"
        )
        raise FullDiskError(error.errno, message) from None


def _keep(output: Path, path: Path, made: SegmentedImage) -> ImageResult:
    """Write the files of an image, the mask last.

    A full disk stops the batch: the remaining results could not be saved either.
    """
    result = replace(made.result, name=path.name)  # a lost worker does not report it
    try:
        with explain_full_disk(output):
            for name, data in made.files.items():
                write_whole(output / name, data)
    except FullDiskError:
        raise
    except OSError as error:
        return replace(result, status=explain(error))
    return result
