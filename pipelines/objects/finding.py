"""Find the connected parts of a mask as numbered objects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import ndimage
from skimage.morphology import local_maxima, reconstruction
from skimage.segmentation import watershed

from segboost._types import AnyArray, BoolArray, ByteArray, Int32Array
from segboost.io.legend import VOID

Touching = Literal["keep", "split"]
TOUCHING = ("keep", "split")
NEIGHBOURS = np.ones((3, 3), dtype=bool)


@dataclass(frozen=True)
class ObjectSettings:
    """Settings for finding objects in a mask.

    Parameters
    ----------
    min_area : float
        Smaller objects are dropped; in pixels.
    fill_holes : bool
        Whether background enclosed by an object belongs to the object.
    touching : {"keep", "split"}
        ``split`` cuts a part at its necks, by a watershed of the distance to its border.
    split_depth : float
        For ``split``: how much narrower a neck must be than the pieces on its two sides, as a
        share of the smaller piece's radius, between 0 and 1.
    background : int
        The class that is not an object.

    Raises
    ------
    ValueError
        Names the setting.
    """

    min_area: float = 0.0
    fill_holes: bool = False
    touching: Touching = "keep"
    split_depth: float = 0.15
    background: int = 0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.min_area) and self.min_area >= 0):
            raise ValueError(f"min_area: expected a number of at least 0, got {self.min_area}")
        if self.touching not in TOUCHING:
            raise ValueError(f"touching: expected keep or split, got {self.touching!r}")
        if not 0 < self.split_depth < 1:
            raise ValueError(f"split_depth: expected between 0 and 1, got {self.split_depth}")


@dataclass(frozen=True, eq=False)
class Objects:
    """Numbered objects.

    Parameters
    ----------
    labels : ndarray of int32, shape (H, W)
        1 … n; 0 where there is no object.
    classes : ndarray of uint8, shape (n,)
        The class of each object.
    """

    labels: Int32Array
    classes: ByteArray

    @property
    def count(self) -> int:
        """The number of objects n."""
        return len(self.classes)


def find_objects(mask: AnyArray, settings: ObjectSettings | None = None) -> Objects:
    """Return the connected parts (8 neighbours) of every class of a mask.

    Parameters
    ----------
    mask : ndarray of integers, shape (H, W)
        Class indices; 255 is void. Not changed.
    settings : ObjectSettings, optional

    Examples
    --------
    >>> found = find_objects(np.array([[1, 0, 2], [1, 0, 1]], np.uint8))
    >>> found.labels.tolist(), found.classes.tolist()
    ([[1, 0, 3], [1, 0, 2]], [1, 1, 2])
    """
    chosen = settings or ObjectSettings()
    mask = np.asarray(mask)
    if mask.ndim != 2 or mask.dtype.kind not in "bui":
        raise ValueError(f"mask: expected integers (H, W), got {mask.dtype} of {mask.shape}")
    whole = np.zeros(mask.shape, dtype=np.int32)
    classes: list[int] = []
    for index in (int(c) for c in np.unique(mask) if c not in (chosen.background, VOID)):
        inside = mask == index
        if chosen.fill_holes:
            inside |= ndimage.binary_fill_holes(inside) & (mask == chosen.background)
        labels, count = _label(inside, chosen)
        labels, count = _drop_small(labels, count, chosen.min_area)
        where = labels > 0
        whole[where] = labels[where] + len(classes)
        classes += [index] * count
    found = Objects(whole, np.array(classes, dtype=np.uint8))
    return _drop_hidden(found) if chosen.fill_holes else found


def _label(inside: BoolArray, settings: ObjectSettings) -> tuple[Int32Array, int]:
    labels, count = ndimage.label(inside, structure=NEIGHBOURS)
    labels = labels.astype(np.int32)
    if settings.touching == "split" and count:
        labels = split_touching(labels, settings.split_depth)
        count = int(labels.max())
    return labels, count


def split_touching(labels: Int32Array, depth: float) -> Int32Array:
    """Return labels where every part is cut at its necks.

    A part gets one seed for each maximum of the distance to its border that stands out by
    `depth` times its height, and the watershed of the distance grows the seeds.

    Parameters
    ----------
    labels : ndarray of int32, shape (H, W)
        1 … n.
    depth : float
    """
    result = np.zeros_like(labels)
    count = 0
    for number, where in enumerate(ndimage.find_objects(labels), start=1):
        part = np.pad(labels[where] == number, 1)
        distance = ndimage.distance_transform_edt(part)
        # Differences below one pixel only reflect the pixel grid.
        lowered = np.maximum(np.minimum(distance - 1, distance * (1 - depth)), 0)
        hills = reconstruction(lowered, distance)
        seeds, found = ndimage.label(local_maxima(hills) & part, structure=NEIGHBOURS)
        cut = part.astype(np.int32)
        if found > 1:
            cut = watershed(-distance, seeds, mask=part, connectivity=2)
        inner = cut[1:-1, 1:-1]
        result[where][inner > 0] = inner[inner > 0] + count
        count += max(found, 1)
    return result


def _drop_hidden(objects: Objects) -> Objects:
    """Return the objects that have pixels.

    A hole enclosed by two classes belongs to the later one; in the earlier one it may have been an
    object of its own, which is dropped.
    """
    area = np.bincount(objects.labels.ravel(), minlength=objects.count + 1)
    keep = area[1:] > 0
    if keep.all():
        return objects
    number = np.concatenate([[0], np.where(keep, np.cumsum(keep), 0)]).astype(np.int32)
    return Objects(number[objects.labels], objects.classes[keep])


def _drop_small(labels: Int32Array, count: int, min_area: float) -> tuple[Int32Array, int]:
    """Return the labels of the objects that are large enough, renumbered in order."""
    area = np.bincount(labels.ravel(), minlength=count + 1)
    keep = (area >= max(min_area, 1)) & (np.arange(count + 1) > 0)
    number = np.where(keep, np.cumsum(keep), 0).astype(np.int32)
    return number[labels], int(keep.sum())
