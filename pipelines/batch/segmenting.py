"""Segment many image files in parallel with bounded memory."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from segboost.io.errors import ImageFileError
from segboost.io.image_files import decode_image, read_image
from segboost.pipelines.batch.image_result import (
    OVERLAYS,
    PROBABILITIES,
    SCORES,
    ImageResult,
    SegmentedImage,
    explain,
    segment_image,
)
from segboost.pipelines.batch.inputs import check_names
from segboost.pipelines.runtime.parallel_map import active_cluster
from segboost.pipelines.runtime.shared_pool import map_shared
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.segmentation.model.files import load_segmenter
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.storage.whole_file import write_whole

if TYPE_CHECKING:
    from distributed import Client

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


class FullDiskError(OSError):
    """The disk of the output folder is full or cannot be written."""


@dataclass(frozen=True)
class BatchOptions:
    """What to write, and where.

    Parameters
    ----------
    output : Path
        Masks are ``<output>/<name>.png``: 255 where foreground, else 0.
    overlay : bool
        Also ``<output>/overlays/<name>.png``: the contour over the image.
    scores : bool
        Also ``<output>/scores/<name>.png``: the score map, 16 bits; see `encode_scores`.
    probabilities : bool
        Also ``<output>/probabilities/<name>.png``: 65535 times the calibrated probability of
        foreground, 16 bits.
    overwrite : bool
        Whether `run_batch` may replace files that segboost did not write.
    allow_import : tuple of str
        Functions and folders that the model may use; see `load_segmenter`.
    """

    output: Path
    overlay: bool = False
    scores: bool = False
    probabilities: bool = False
    overwrite: bool = False
    allow_import: tuple[str, ...] = ()

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
        mask_probability(model_folder, options.allow_import)  # raises if there is none


def mask_probability(model_folder: Path, allow_import: tuple[str, ...] = ()) -> float:
    """Return the probability at which the masks of a model are thresholded."""
    return load_once(model_folder, allow_import).probability_cut


def _results(
    model_folder: Path,
    images: Sequence[Path],
    options: BatchOptions,
    n_jobs: int,
    executor: Executor | None,
) -> Iterator[ImageResult]:
    client = active_cluster()
    if client is not None:
        model = load_once(model_folder, options.allow_import)
        yield from _segment_remotely(client, model, images, options)
        return
    with single_threaded():
        yield from map_shared(partial(_segment, model_folder, options), images, n_jobs, executor)


@lru_cache(maxsize=1)
def load_once(folder: Path, allow_import: tuple[str, ...] = ()) -> SegmentationModel:
    """Return the segmenter of a folder; the last one loaded is kept in memory."""
    return load_segmenter(folder, allow_import)


def _segment(model_folder: Path, options: BatchOptions, path: Path) -> ImageResult:
    """Segment one file in a process of this machine."""
    model = load_once(model_folder, options.allow_import)
    made = segment_image(model, path.name, partial(_read, path), options.wanted)
    return _keep(made, options.output)


def _read(path: Path) -> npt.NDArray[np.uint8]:
    try:
        return read_image(path)
    except ImageFileError as error:
        # The result already names the file.
        raise ImageFileError(str(error).removeprefix(f"{path}: ")) from None


@contextmanager
def full_disk_named(output: Path) -> Iterator[None]:
    """Turn the error of a full or read-only disk into one that says what to do."""
    try:
        yield
    except FullDiskError:
        raise
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        message = f"{output}: {error.strerror}: free some space, then run the command again"
        raise FullDiskError(error.errno, message) from None


def _keep(made: SegmentedImage, output: Path) -> ImageResult:
    """Write the files of an image, the mask last.

    A full disk stops the batch: the remaining results could not be saved either.
    """
    try:
        with full_disk_named(output):
            for name, data in made.files.items():
                write_whole(output / name, data)
    except FullDiskError:
        raise
    except OSError as error:
        return replace(made.result, status=explain(error))
    return made.result


def _segment_remotely(
    client: Client, model: SegmentationModel, images: Sequence[Path], options: BatchOptions
) -> Iterator[ImageResult]:
    """Send files to the workers of a cluster and write the results on this machine."""
    from segboost.pipelines.runtime.cluster import map_cluster

    def lost(reason: str) -> SegmentedImage:
        return SegmentedImage(ImageResult("", status=reason))

    sent = map(_send, images)
    made = map_cluster(client, segment_bytes, (model, options.wanted), sent, lost)
    for path, found in zip(images, made, strict=True):
        yield replace(_keep(found, options.output), name=path.name)


def _send(path: Path) -> tuple[str, bytes | str]:
    """Return a file's name and bytes, or why it cannot be read."""
    try:
        return path.name, path.read_bytes()
    except OSError as error:
        return path.name, (error.strerror or str(error)).lower()


def segment_bytes(
    shared: tuple[SegmentationModel, frozenset[str]], item: tuple[str, bytes | str]
) -> SegmentedImage:
    """Segment an image file given by name and bytes, or by name and the reason it is unreadable."""
    (model, wanted), (name, data) = shared, item
    if isinstance(data, str):
        return SegmentedImage(ImageResult(name, status=data))
    return segment_image(model, name, partial(decode_image, data), wanted)
