"""Split touching objects of a large page, in windows around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import Int32Array
from segboost.io.scientific.window import Window
from segboost.pipelines.objects.finding import split_touching
from segboost.pipelines.objects.large.grouping import group_boxes
from segboost.pipelines.objects.large.label_runs import find_extents
from segboost.pipelines.objects.large.page_file import LargeLimits, PageFile, cut_bands


@dataclass(frozen=True, eq=False)
class SplitParts:
    """The result of splitting.

    Parameters
    ----------
    numbers : ndarray of int32
        The number 0 … n of each value that the page holds.
    n_not_split : int
        How many parts were too large to be split.
    """

    numbers: Int32Array
    n_not_split: int


def split_parts(
    page: PageFile,
    window: Window,
    numbers: Int32Array,
    depth: float,
    limits: LargeLimits,
) -> SplitParts:
    """Cut the parts of a page at their necks; see `split_touching`.

    The watershed needs a whole part in memory, so parts above ``limits.largest`` are not cut.

    Parameters
    ----------
    page : PageFile
        Preliminary numbers of parts; changed in place to those of their pieces.
    window : Window
        Contains all parts.
    numbers : ndarray of int32
        The part 0 … n of each preliminary number.
    depth : float
    limits : LargeLimits
    """
    count = int(numbers.max())
    for band in cut_bands(window, limits.band):
        page.write(band, numbers[page.read(band)])
    found = find_extents(page, window, count, limits.band)
    grouping = group_boxes(found.boxes, limits)
    # Pieces are numbered after the parts, since windows overlap and hold both.
    owners = [np.arange(count + 1)]
    first = count + 1
    for group, values, own in grouping.windows(page, count):
        pieces = split_touching(own, depth)
        inside = pieces > 0
        owner = np.zeros(int(pieces.max()) + 1, dtype=np.int64)
        owner[pieces[inside]] = group.members[own[inside] - 1] + 1
        values[inside] = pieces[inside] + (first - 1)
        page.write(group.window, values)
        owners.append(owner[1:])
        first += len(owner) - 1
    owner = np.concatenate(owners)
    is_used = np.arange(first) > count
    is_used[grouping.huge + 1] = True
    order = np.argsort(owner, kind="stable")
    order = order[is_used[order]]
    ranks = np.zeros(first, dtype=np.int32)
    ranks[order] = np.arange(1, len(order) + 1)
    return SplitParts(ranks, len(grouping.huge))
