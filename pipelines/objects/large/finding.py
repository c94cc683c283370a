"""Find the connected parts of a large mask as numbered objects, band by band."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import BoolArray, ByteArray, Int32Array, Int64Array
from segboost.io.legend import VOID
from segboost.io.scientific.window import Window
from segboost.pipelines.objects.finding import ObjectSettings
from segboost.pipelines.objects.large.label_runs import find_extents
from segboost.pipelines.objects.large.page_file import LargeLimits, PageFile, cut_bands
from segboost.pipelines.objects.large.part_joiner import PartJoiner
from segboost.pipelines.objects.large.splitting import split_parts

CLASSES = 256


@dataclass(frozen=True, eq=False)
class LargeObjects:
    """Numbered objects of a large page.

    Parameters
    ----------
    labels : PageFile
        int32, 1 … n; 0 where there is no object.
    classes : ndarray of uint8, shape (n,)
    boxes : ndarray of int64, shape (n, 4)
        Top, bottom, left and right, from inclusive to exclusive.
    not_split : int
        How many parts were too large to be split.
    """

    labels: PageFile
    classes: ByteArray
    boxes: Int64Array
    not_split: int = 0

    @property
    def count(self) -> int:
        """The number of objects n."""
        return len(self.classes)


@dataclass(frozen=True, eq=False)
class _Pages:
    """The pages on disk, and the settings, of one search."""

    mask: PageFile
    labels: PageFile
    scratch: PageFile
    settings: ObjectSettings
    limits: LargeLimits


def find_large_objects(
    mask: PageFile,
    labels: PageFile,
    scratch: PageFile,
    settings: ObjectSettings,
    limits: LargeLimits,
) -> LargeObjects:
    """Return the same objects as `find_objects`, with a few bands in memory at a time.

    Parameters
    ----------
    mask : PageFile
        Class indices, uint8; 255 is void.
    labels : PageFile
        int32, all zero; becomes the label image.
    scratch : PageFile
        int32; for intermediate results.
    settings : ObjectSettings
    limits : LargeLimits
    """
    pages = _Pages(mask, labels, scratch, settings, limits)
    classes: list[ByteArray] = []
    total = not_split = 0
    for index, window in _class_windows(mask, limits.band).items():
        if index in (settings.background, VOID):
            continue
        numbers, n_not_split = _label_class(pages, index, window)
        not_split += n_not_split
        count = int(numbers.max())
        for band in cut_bands(window, limits.band):
            found = numbers[scratch.read(band)]
            where = found > 0
            merged = labels.read(band)
            merged[where] = found[where] + total
            labels.write(band, merged)
        classes.append(np.full(count, index, dtype=np.uint8))
        total += count
    return _drop_hidden(pages, np.concatenate([np.zeros(0, np.uint8), *classes]), not_split)


def _class_windows(mask: PageFile, height: int) -> dict[int, Window]:
    """Return the bands from the first to the last one with pixels of a class, by class."""
    found: dict[int, Window] = {}
    for band in cut_bands(mask.whole, height):
        seen = np.bincount(mask.read(band).ravel(), minlength=CLASSES)
        for index in np.flatnonzero(seen).tolist():
            top = found[index].top if index in found else band.top
            found[index] = Window(top, band.bottom, band.left, band.right)
    return dict(sorted(found.items()))


def _label_class(pages: _Pages, index: int, window: Window) -> tuple[Int32Array, int]:
    """Write the parts of a class into the scratch page.

    Returns
    -------
    ndarray of int32
        The number 0 … n in the class of each value of the scratch page.
    int
        How many parts were too large to be split.
    """
    settings, limits, n_not_split = pages.settings, pages.limits, 0
    outside = _outside(pages, index, window) if settings.fill_holes else None
    joiner = PartJoiner(diagonal=True)
    for band in cut_bands(window, limits.band):
        values = pages.mask.read(band)
        inside = values == index
        if outside is not None:
            inside |= ~outside[pages.scratch.read(band)] & (values == settings.background)
        pages.scratch.write(band, joiner.add(inside))
    numbers = joiner.numbers()
    if settings.touching == "split" and len(numbers) > 1:
        split = split_parts(pages.scratch, window, numbers, settings.split_depth, limits)
        numbers, n_not_split = split.numbers, split.n_not_split
    if settings.min_area > 1:
        count = int(numbers.max())
        areas = find_extents(pages.scratch, window, count, limits.band, numbers).areas
        numbers = _renumbered(areas >= settings.min_area)[numbers]
    return numbers, n_not_split


def _outside(pages: _Pages, index: int, window: Window) -> BoolArray:
    """Write the parts of everything but a class into the scratch page.

    Holes are those that do not reach the border of the page. All bands with pixels of the class
    are in the window, so that its first and last rows are outside all holes, too.

    Returns
    -------
    ndarray of bool
        Whether each value of the scratch page is outside all holes.
    """
    joiner = PartJoiner(diagonal=False)  # as `binary_fill_holes`
    reached = []
    for band in cut_bands(window, pages.limits.band):
        parts = joiner.add(pages.mask.read(band) != index)
        pages.scratch.write(band, parts)
        reached += [np.unique(parts[:, 0]), np.unique(parts[:, -1])]
        if band.top == window.top:
            reached.append(np.unique(parts[0]))
        if band.bottom == window.bottom:
            reached.append(np.unique(parts[-1]))
    numbers = joiner.numbers()
    is_outside = np.zeros(int(numbers.max()) + 1, dtype=bool)
    is_outside[numbers[np.concatenate(reached)]] = True
    is_outside[0] = True  # pixels of the class itself
    return is_outside[numbers]


def _drop_hidden(pages: _Pages, classes: ByteArray, not_split: int) -> LargeObjects:
    """Return the objects that have pixels.

    A hole enclosed by two classes belongs to the later one; in the earlier one it may have been an
    object of its own, which is dropped.
    """
    page, band = pages.labels, pages.limits.band
    found = find_extents(page, page.whole, len(classes), band)
    keep = found.areas > 0
    if not keep.all():
        numbers = _renumbered(keep)
        for part in cut_bands(page.whole, band):
            page.write(part, numbers[page.read(part)])
    return LargeObjects(page, classes[keep], found.boxes[keep], not_split)


def _renumbered(keep: BoolArray) -> Int32Array:
    """Return the new number of each of the labels 0 … n; 0 for those that are not kept."""
    numbers = np.concatenate([[0], np.where(keep, np.cumsum(keep), 0)])
    return numbers.astype(np.int32)
