"""Segmenting many image files: several at a time, with memory for a few."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from segboost.datasets.reading import read_image
from segboost.pipelines.files import write_whole
from segboost.pipelines.overlay import draw_overlay
from segboost.pipelines.segment_inputs import check_names
from segboost.pipelines.segmentation_files import load_segmenter
from segboost.pipelines.segmentation_model import SegmentationModel
from segboost.pipelines.shared_work import map_shared
from segboost.pipelines.single_thread import single_threaded

DONE = "done"
OVERLAYS, SCORES, PROBABILITIES = "overlays", "scores", "probabilities"
MIDDLE, LARGEST = 32767.5, 65535


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
    """

    output: Path
    overlay: bool = False
    scores: bool = False
    probabilities: bool = False


@dataclass(frozen=True)
class ImageResult:
    """What became of one image.

    Parameters
    ----------
    name : str
        Of the file.
    width, height, superpixels : int
    foreground_share : float
        Of the pixels.
    seconds, cpu_seconds : float
        Wall and processor time of reading, segmenting and writing.
    status : str
        "done", or the reason why it could not be segmented.
    """

    name: str
    width: int = 0
    height: int = 0
    superpixels: int = 0
    foreground_share: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    status: str = DONE

    @property
    def failed(self) -> bool:
        """Whether there is no mask."""
        return self.status != DONE


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
        Workers that are started already; see `segboost.pipelines.shared_work`.

    Raises
    ------
    ValueError
        Before any work, where masks would overwrite each other or an image, or where
        probabilities are wanted of a model that has none.
    ModelFileError
        Before any work, where the folder does not hold a segmenter.
    """
    check_names(images, options.output)
    load_once(model_folder)
    if options.probabilities:
        mask_probability(model_folder)  # complains where there is none
    for folder in _folders(options):
        folder.mkdir(parents=True, exist_ok=True)
    return _results(model_folder, images, options, n_jobs, executor)


def mask_probability(model_folder: Path) -> float:
    """Return the probability at which the masks of a model are cut."""
    return load_once(model_folder).probability_cut


def _results(
    model_folder: Path,
    images: Sequence[Path],
    options: BatchOptions,
    n_jobs: int,
    executor: Executor | None,
) -> Iterator[ImageResult]:
    with single_threaded():
        yield from map_shared(partial(_segment, model_folder, options), images, n_jobs, executor)


def encode_scores(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.uint16]:
    """Return a score map as 16-bit values: ``v = 32767.5 (1 + s / (1 + |s|))``, rounded outward.

    v ≥ 32768 where the score is positive, which is foreground. Back to scores:
    ``t = v / 32767.5 − 1``, ``s = t / (1 − |t|)``.

    Examples
    --------
    >>> encode_scores(np.array([-1.0, 0.0, 1e-9, 1.0])).tolist()
    [16383, 32767, 32768, 49152]
    """
    soft = MIDDLE * (1 + scores / (1 + np.abs(scores)))
    return np.where(scores > 0, np.ceil(soft), np.floor(soft)).astype(np.uint16)


def encode_probabilities(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.uint16]:
    """Return a map of probabilities as 16-bit values, ``v = 65535 p`` rounded.

    Examples
    --------
    >>> encode_probabilities(np.array([0.0, 0.5, 1.0])).tolist()
    [0, 32768, 65535]
    """
    return np.rint(LARGEST * probabilities).astype(np.uint16)


def _folders(options: BatchOptions) -> list[Path]:
    wanted = (
        (OVERLAYS, options.overlay),
        (SCORES, options.scores),
        (PROBABILITIES, options.probabilities),
    )
    return [options.output, *(options.output / name for name, asked in wanted if asked)]


@lru_cache(maxsize=1)
def load_once(folder: Path) -> SegmentationModel:
    """Return the segmenter of a folder; the last one is kept in memory."""
    return load_segmenter(folder)


def _segment(model_folder: Path, options: BatchOptions, path: Path) -> ImageResult:
    """Segment one file in a worker; a failure of any kind is a result."""
    start, cpu = time.perf_counter(), time.process_time()

    def result(status: str, **found: Any) -> ImageResult:
        spent = time.perf_counter() - start, time.process_time() - cpu
        return ImageResult(
            path.name, **found, seconds=spent[0], cpu_seconds=spent[1], status=status
        )

    try:
        image = read_image(path)
        model = load_once(model_folder)
        found = model.predict(image, path.stem)
        name = f"{path.stem}.png"
        if options.overlay:
            _write_png(options.output / OVERLAYS / name, draw_overlay(image, found.mask))
        if options.scores:
            _write_png(options.output / SCORES / name, encode_scores(found.scores))
        if options.probabilities:
            coded = encode_probabilities(model.probabilities(found.scores))
            _write_png(options.output / PROBABILITIES / name, coded)
        _write_png(options.output / name, found.mask * np.uint8(255))
    except Exception as error:  # whatever it is, the other images must be done
        reason = " ".join(str(error).removeprefix(f"{path}: ").split()) or type(error).__name__
        return result(reason)
    height, width = found.mask.shape
    count = int(found.superpixels.max()) + 1
    share = float(found.mask.mean())
    return result(DONE, width=width, height=height, superpixels=count, foreground_share=share)


def _write_png(path: Path, pixels: npt.NDArray[Any]) -> None:
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, format="PNG")
    write_whole(path, data.getvalue())
