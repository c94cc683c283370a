"""The painted superpixels of all images, kept in memory between strokes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from segboost._types import AnyArray, ByteArray, FloatArray, Int32Array, Int64Array
from segboost.io.legend import VOID
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage

KEPT_IMAGES = 60
"""Number of images whose features stay in memory; about 1 MB each."""


@dataclass(frozen=True, eq=False)
class DescribedImage:
    """An image with its features as one table.

    Parameters
    ----------
    image : SuperpixelImage
        Without groups.
    table : ndarray of uint8 or float32, shape (P, D)
        The columns of all groups.
    """

    image: SuperpixelImage
    table: AnyArray


@dataclass(frozen=True, eq=False)
class PaintedRows:
    """The painted superpixels of an image.

    Parameters
    ----------
    node : ndarray of int, shape (N,)
        Their numbers.
    table : ndarray of shape (N, D)
    counts : ndarray of int, shape (N, K)
        Painted pixels of each class.
    area : float
        Mean number of pixels of the image's superpixels.
    total, squares : ndarray of shape (D,)
        Sums over all superpixels of the image, for mean and deviation.
    n_superpixels : int
    """

    node: Int64Array
    table: AnyArray
    counts: Int64Array
    area: float
    total: FloatArray
    squares: FloatArray
    n_superpixels: int

    @property
    def labels(self) -> Int64Array:
        """The class with the most painted pixels, shape (N,)."""
        return self.counts.argmax(axis=1)

    @property
    def weight(self) -> FloatArray:
        """Painted pixels, in mean superpixels, shape (N,)."""
        found: FloatArray = self.counts.sum(axis=1) / self.area
        return found


def painted_rows(found: DescribedImage, mask: ByteArray, n_classes: int) -> PaintedRows:
    """Return the painted superpixels of an image.

    Parameters
    ----------
    found : DescribedImage
    mask : ndarray of uint8, shape (H, W)
        At the size of the superpixel map: 0 … K−1, and 255 for void.
    n_classes : int
        K.
    """
    counts = class_counts(found.image.superpixels, mask, n_classes, len(found.image.area))
    node = np.flatnonzero(counts.sum(axis=1))
    values = found.table.astype(np.float64)
    return PaintedRows(
        node,
        found.table[node],
        counts[node],
        float(found.image.area.mean()),
        values.sum(axis=0),
        (values**2).sum(axis=0),
        len(values),
    )


def class_counts(
    superpixels: Int32Array, mask: ByteArray, n_classes: int, n_superpixels: int
) -> Int64Array:
    """Return the pixels of every class in every superpixel, shape (P, K), without void."""
    known = mask != VOID
    flat = superpixels[known].astype(np.int64) * n_classes + mask[known]
    found = np.bincount(flat, minlength=n_superpixels * n_classes)
    return found.reshape(n_superpixels, n_classes).astype(np.int64)


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentCache(Generic[Key, Value]):
    """A cache that drops the least recently used entries."""

    def __init__(self, most: int = KEPT_IMAGES) -> None:
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        self._most = most

    def get(self, key: Key, make: Callable[[], Value | None]) -> Value | None:
        """Return the value of a key, made by `make` if it is not cached; None is not cached."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        made = make()
        if made is not None:
            self._kept[key] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made


def image_counts(rows: Mapping[str, PaintedRows], n_classes: int) -> Int64Array:
    """Return the number of images on which each class is painted, shape (K,)."""
    found = np.zeros(n_classes, np.int64)
    for part in rows.values():
        found += part.counts.any(axis=0)
    return found
