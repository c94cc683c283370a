"""Segment one image in memory: its result and the bytes of its files."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from segboost._interrupt import is_interrupt
from segboost.pipelines.batch.overlay import draw_overlay
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel

DONE = "done"
OVERLAYS, SCORES, PROBABILITIES = "overlays", "scores", "probabilities"
MIDDLE, LARGEST = 32767.5, 65535


@dataclass(frozen=True)
class ImageResult:
    """The result of segmenting one image.

    Parameters
    ----------
    name : str
        Name of the file.
    width, height, superpixels : int
    foreground_share : float
        Share of the pixels that are foreground.
    seconds, cpu_seconds : float
        Wall and processor time of reading, segmenting and writing.
    status : str
        "done", or the reason why the image could not be segmented.
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
        """Whether the image could not be segmented."""
        return self.status != DONE


@dataclass(frozen=True)
class SegmentedImage:
    """A result with the bytes of its files, by their paths relative to the output folder."""

    result: ImageResult
    files: dict[str, bytes] = field(default_factory=dict)


def segment_image(
    model: SegmentationModel,
    name: str,
    read: Callable[[], npt.NDArray[np.uint8]],
    wanted: frozenset[str],
) -> SegmentedImage:
    """Segment one image; any failure is returned as a result.

    Parameters
    ----------
    model : SegmentationModel
    name : str
        Name of the image file.
    read : callable
        Returns the image.
    wanted : frozenset of str
        What to make in addition to the mask: any of "overlays", "scores" and "probabilities".
    """
    start, cpu = time.perf_counter(), time.thread_time()

    def result(status: str, **found: Any) -> ImageResult:
        spent = time.perf_counter() - start, time.thread_time() - cpu
        return ImageResult(name, **found, seconds=spent[0], cpu_seconds=spent[1], status=status)

    try:
        image = read()
        stem = PurePath(name).stem
        found = model.predict(image, stem)
        file = f"{stem}.png"
        files = {}
        if OVERLAYS in wanted:
            files[f"{OVERLAYS}/{file}"] = _png(draw_overlay(image, found.mask))
        if SCORES in wanted:
            files[f"{SCORES}/{file}"] = _png(encode_scores(found.scores))
        if PROBABILITIES in wanted:
            coded = encode_probabilities(model.probabilities(found.scores))
            files[f"{PROBABILITIES}/{file}"] = _png(coded)
        files[file] = _png(found.mask * np.uint8(255))
    except Exception as error:  # no failure may stop the remaining images
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        return SegmentedImage(result(explain(error)))
    height, width = found.mask.shape
    count = int(found.superpixels.max()) + 1
    share = float(found.mask.mean())
    done = result(DONE, width=width, height=height, superpixels=count, foreground_share=share)
    return SegmentedImage(done, files)


def explain(error: Exception) -> str:
    """Return the error message as one line."""
    return " ".join(str(error).split()) or type(error).__name__


def encode_scores(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.uint16]:
    """Return a score map as 16-bit values: ``v = 32767.5 (1 + s / (1 + |s|))``, rounded outward.

    v ≥ 32768 where the score is positive, which is foreground. To decode:
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


def _png(pixels: npt.NDArray[Any]) -> bytes:
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, format="PNG")
    return data.getvalue()
