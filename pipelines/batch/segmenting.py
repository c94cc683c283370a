"""Segmenting many image files: several at a time, with memory for a few."""

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
    """The disk of the output folder takes no more."""


@dataclass(frozen=True)
class BatchOptions:
    """What is written, and where.

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
        """The folders that are made beside the masks."""
        asked = {OVERLAYS: self.overlay, SCORES: self.scores, PROBABILITIES: self.probabilities}
        return frozenset(name for name, yes in asked.items() if yes)


def segment_files(
    model_folder: Path,
    images: Sequence[Path],
    options: BatchOptions,
    n_jobs: int = 1,
    executor: Executor | None = None,
) -> Iterator[ImageResult]:
    """Segment image files; yield a result for each, in their order.

    No more than a few images are in memory at a time, however many there are. An image that
    cannot be segmented is a result with the reason, and the others go on.

    Parameters
    ----------
    model_folder : Path
    images : sequence of Path
    options : BatchOptions
    n_jobs : int
        Processes, this one included; each loads the model once.
    executor : Executor, optional
        Workers that are started already; see `segboost.pipelines.runtime.shared_pool`.

    Raises
    ------
    ValueError
        Before any work, where masks would overwrite each other or an image, or where
        probabilities are wanted of a model that has none.
    ModelFileError
        Before any work, where the folder does not hold a segmenter.
    """
    check_batch(model_folder, images, options)
    for name in ("", *options.wanted):
        (options.output / name).mkdir(parents=True, exist_ok=True)
    return _results(model_folder, images, options, n_jobs, executor)


def check_batch(model_folder: Path, images: Sequence[Path], options: BatchOptions) -> None:
    """Raise what `segment_files` raises, and do no more."""
    check_names(images, options.output)
    load_once(model_folder, options.allow_import)
    if options.probabilities:
        mask_probability(model_folder, options.allow_import)  # complains where there is none


def mask_probability(model_folder: Path, allow_import: tuple[str, ...] = ()) -> float:
    """Return the probability at which the masks of a model are cut."""
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
    """Return the segmenter of a folder; the last one is kept in memory."""
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
        # The result names the file already.
        raise ImageFileError(str(error).removeprefix(f"{path}: ")) from None


@contextmanager
def full_disk_named(output: Path) -> Iterator[None]:
    """Turn the error of a disk that takes no more into one that says what to do."""
    try:
        yield
    except FullDiskError:
        raise
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        message = f"{output}: {error.strerror}: make room, then go on"
        raise FullDiskError(error.errno, message) from None


def _keep(made: SegmentedImage, output: Path) -> ImageResult:
    """Write the files of an image, the mask last.

    A disk that takes no more is an error: what follows would be computed in vain.
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
    """Send files to the workers of a cluster and write here what they made."""
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
    """Segment an image file that is given by name and bytes, or by name and a reason against."""
    (model, wanted), (name, data) = shared, item
    if isinstance(data, str):
        return SegmentedImage(ImageResult(name, status=data))
    return segment_image(model, name, partial(decode_image, data), wanted)
