"""Groups of neighbouring objects that are processed in one window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from segboost._types import Int32Array, Int64Array, IntArray
from segboost.io.scientific.window import Window
from segboost.pipelines.objects.large.page_file import LargeLimits, PageFile


@dataclass(frozen=True, eq=False)
class ObjectGroup:
    """Objects that are processed together.

    Parameters
    ----------
    window : Window
        The box around all of them.
    members : ndarray of intp, shape (m,)
        Their indices, ascending; the label is one more.
    """

    window: Window
    members: IntArray


@dataclass(frozen=True, eq=False)
class Grouping:
    """All objects of a page, in groups that fit into memory.

    Parameters
    ----------
    groups : list of ObjectGroup
    huge : ndarray of intp
        Indices of the objects that do not fit.
    """

    groups: list[ObjectGroup]
    huge: IntArray

    def windows(
        self, page: PageFile, count: int
    ) -> Iterator[tuple[ObjectGroup, Int32Array, Int32Array]]:
        """Yield every group with the values in its window, and its labels as 1 … m.

        Values above `count` are not labels.
        """
        local = np.zeros(count + 1, dtype=np.int32)
        for group in self.groups:
            local[group.members + 1] = np.arange(1, len(group.members) + 1)
            found = page.read(group.window)
            own = local[np.where(found > count, 0, found)]
            local[group.members + 1] = 0
            yield group, found, own


def group_boxes(boxes: Int64Array, limits: LargeLimits) -> Grouping:
    """Group objects by their boxes.

    Parameters
    ----------
    boxes : ndarray of int64, shape (n, 4)
        Top, bottom, left and right.
    limits : LargeLimits
    """
    height, width = boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 2]
    small = (height <= limits.side) & (width <= limits.side)
    huge = ~small & (height * width > limits.largest)
    groups = [_group(boxes, np.array([member])) for member in np.flatnonzero(~small & ~huge)]
    chosen = np.flatnonzero(small)
    cells = boxes[chosen][:, [0, 2]] // limits.side
    order = np.lexsort((chosen, cells[:, 1], cells[:, 0]))
    chosen, cells = chosen[order], cells[order]
    edges = np.flatnonzero((cells[1:] != cells[:-1]).any(axis=1)) + 1
    groups += [_group(boxes, members) for members in np.split(chosen, edges) if len(members)]
    return Grouping(groups, np.flatnonzero(huge))


def _group(boxes: Int64Array, members: IntArray) -> ObjectGroup:
    own = boxes[members]
    low, high = own.min(axis=0), own.max(axis=0)
    return ObjectGroup(Window(int(low[0]), int(high[1]), int(low[2]), int(high[3])), members)
