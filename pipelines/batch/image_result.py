"""Segment one image in memory into a result and the bytes of its files."""

from __future__ import annotations

import errno
import io
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np
from PIL import Image

from segboost._interrupt import is_interrupt
from segboost._types import AnyArray, ByteArray, FloatArray, UInt16Array
from segboost.io.legend import ClassLegend
from segboost.pipelines.batch.output_names import (
    OVERLAYS,
    PROBABILITIES,
    SCORES,
    folder_names,
)
from segboost.pipelines.batch.overlay import draw_overlay
from segboost.pipelines.segmentation.model.large_image import segment_parts
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter

DONE = "done"
MIDDLE, LARGEST = 32767.5, 65535
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
"""Errors of a full or read-only disk: they stop the batch, not only the image."""


@dataclass(frozen=True)
class ImageResult:
    """The result of segmenting one image.

    Parameters
    ----------
    name : str
        Name of the file.
    width, height, superpixels : int
    foreground_share : float
        Share of the pixels that are foreground; 0 with more than two classes.
    seconds, cpu_seconds : float
        Wall and processor time of decoding, segmenting and encoding.
    status : str
        "done", or the reason why the image could not be segmented.
    class_shares : tuple of float
        Shares of the pixels of each class; empty for two classes.
    pages : int
    objects : int or None
        Number of objects; None if objects were not requested.
    object_area : float or None
        Their total area, in the unit of objects.csv.
    notes : str
        Anything skipped or guessed while reading the image.
    """

    name: str
    width: int = 0
    height: int = 0
    superpixels: int = 0
    foreground_share: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    status: str = DONE
    class_shares: tuple[float, ...] = ()
    pages: int = 1
    objects: int | None = None
    object_area: float | None = None
    notes: str = ""

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
    model: Segmenter,
    name: str,
    read: Callable[[], ByteArray],
    wanted: frozenset[str],
) -> SegmentedImage:
    """Segment one image; any failure is returned as a result.

    Parameters
    ----------
    model : SegmentationModel or ClassSegmentationModel
    name : str
        Name of the image file.
    read : callable
        Returns the image.
    wanted : frozenset of str
        Outputs in addition to the mask: any of "overlays", "scores" and "probabilities".
    """
    start, cpu = time.perf_counter(), time.thread_time()

    def result(status: str, **found: Any) -> ImageResult:
        spent = time.perf_counter() - start, time.thread_time() - cpu
        return ImageResult(name, **found, seconds=spent[0], cpu_seconds=spent[1], status=status)

    try:
        image = read()
        stem = PurePath(name).stem
        found = _segment(model, image, stem, wanted)
        files = _files(model, stem, image, found, wanted)
    except Exception as error:  # no failure may stop the remaining images
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        return SegmentedImage(result(explain(error)))
    height, width = found.mask.shape
    shares = np.bincount(found.mask.ravel(), minlength=model.legend.n_classes) / found.mask.size
    several = model.legend.n_classes > 2
    done = result(
        DONE,
        width=width,
        height=height,
        superpixels=found.superpixels,
        foreground_share=0.0 if several else float(found.mask.mean()),
        class_shares=tuple(shares.tolist()) if several else (),
    )
    return SegmentedImage(done, files)


@dataclass(frozen=True, eq=False)
class _Found:
    """The mask, the encoded maps and the number of superpixels of an image."""

    mask: ByteArray
    maps: dict[str, UInt16Array]
    superpixels: int


def _segment(model: Segmenter, image: ByteArray, stem: str, wanted: frozenset[str]) -> _Found:
    """Segment an image part by part, keeping only what will be written."""
    encoders = {
        SCORES: encode_scores,
        PROBABILITIES: lambda scores: encode_probabilities(model.probabilities(scores)),
    }
    shape = image.shape[:2]
    mask = np.empty(shape, dtype=np.uint8)
    maps: dict[str, UInt16Array] = {}
    superpixels = 0
    for window, found in segment_parts(model, image, stem):
        place = window.rows, window.columns
        mask[place] = found.mask
        superpixels += int(found.superpixels.max()) + 1
        for folder, encode in encoders.items():
            if folder in wanted:
                values = encode(found.scores)
                whole = maps.setdefault(folder, np.empty((*shape, *values.shape[2:]), np.uint16))
                whole[place] = values
    return _Found(mask, maps, superpixels)


def _files(
    model: Segmenter,
    stem: str,
    image: ByteArray,
    found: _Found,
    wanted: frozenset[str],
) -> dict[str, bytes]:
    """Return the bytes of the files of an image, the mask last."""
    legend = model.legend
    files = {}
    if OVERLAYS in wanted:
        files[f"{OVERLAYS}/{stem}.png"] = encode_png(draw_overlay(image, found.mask, legend))
    for folder, values in found.maps.items():
        layers = [values] if values.ndim == 2 else np.moveaxis(values, 2, 0)
        names = folder_names(folder, stem, legend.n_classes)
        for name, layer in zip(names, layers, strict=True):
            files[f"{folder}/{name}"] = encode_png(np.ascontiguousarray(layer))
    files[f"{stem}.png"] = encode_mask(found.mask, legend)
    return files


def encode_mask(mask: ByteArray, legend: ClassLegend) -> bytes:
    """Return a mask as PNG: grey 0 and 255 for two classes, else indices with a palette."""
    if legend.n_classes == 2:
        return encode_png(mask * np.uint8(255))
    picture = Image.frombytes("P", (mask.shape[1], mask.shape[0]), mask.tobytes())
    picture.putpalette(legend.palette.tobytes())
    data = io.BytesIO()
    picture.save(data, format="PNG")
    return data.getvalue()


def explain(error: Exception) -> str:
    """Return the error message as one line."""
    return " ".join(str(error).split()) or type(error).__name__


def encode_scores(scores: FloatArray) -> UInt16Array:
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


def encode_probabilities(probabilities: FloatArray) -> UInt16Array:
    """Return a map of probabilities as 16-bit values, ``v = 65535 p`` rounded.

    Examples
    --------
    >>> encode_probabilities(np.array([0.0, 0.5, 1.0])).tolist()
    [0, 32768, 65535]
    """
    return np.rint(LARGEST * probabilities).astype(np.uint16)


def encode_png(pixels: AnyArray) -> bytes:
    """Return pixels as a PNG file: grey of 8 or 16 bits, or RGB."""
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, format="PNG")
    return data.getvalue()
