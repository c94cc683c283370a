"""Find the connected parts of a page that is read in bands of rows."""

from __future__ import annotations

import numpy as np
from scipy import ndimage
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from segboost._types import BoolArray, Int32Array, Int64Array
from segboost.io.errors import ImageFileError

LARGEST = 2**31 - 1
"""Parts are numbered by int32, as in label images."""


class PartJoiner:
    """Numbers the connected parts of bands, and joins those that meet at the borders of bands.

    Every part of a band gets a preliminary number, in the order of first pixels and bands. The
    smallest one of a connected part is therefore that of its first pixel in reading order, by
    which `scipy.ndimage.label` numbers the parts of a whole page.

    Parameters
    ----------
    diagonal : bool
        Whether pixels that meet at a corner are neighbours.
    """

    def __init__(self, diagonal: bool) -> None:
        self._structure = ndimage.generate_binary_structure(2, 2 if diagonal else 1)
        self._shifts = (-1, 0, 1) if diagonal else (0,)
        self._count = 0
        self._last: Int32Array | None = None
        self._pairs: list[Int64Array] = []

    def add(self, inside: BoolArray) -> Int32Array:
        """Return the preliminary numbers of the next band, shape (h, W); 0 outside.

        Raises
        ------
        ImageFileError
            If there are more parts than label images can number.
        """
        labels, count = ndimage.label(inside, structure=self._structure)
        if self._count + count > LARGEST:
            raise ImageFileError(f"the mask has more than {LARGEST} connected parts")
        labels = labels.astype(np.int32, copy=False)
        labels[labels > 0] += self._count
        self._count += count
        if self._last is not None:
            self._pairs.append(_touching(self._last, labels[0], self._shifts))
        self._last = labels[-1].copy()
        return labels

    def numbers(self) -> Int32Array:
        """Return the numbers 1 … n of the parts of the page, by preliminary number; 0 for 0."""
        size = self._count + 1
        above, below = np.concatenate([np.zeros((2, 0), np.int64), *self._pairs], axis=1)
        graph = coo_matrix((np.ones(len(above), np.int8), (above, below)), shape=(size, size))
        count, part = connected_components(graph, directed=False)
        first = np.empty(count, dtype=np.int64)
        first[part[::-1]] = np.arange(self._count, -1, -1)  # the last assignment counts
        rank = np.empty(count, dtype=np.int32)
        rank[np.argsort(first)] = np.arange(count, dtype=np.int32)
        found: Int32Array = rank[part]
        return found


def _touching(above: Int32Array, below: Int32Array, shifts: tuple[int, ...]) -> Int64Array:
    """Return the pairs of numbers that touch between two adjacent rows, shape (2, m)."""
    width = len(above)
    found = []
    for shift in shifts:
        here, there = max(-shift, 0), max(shift, 0)
        length = width - abs(shift)
        pair = np.stack([above[here : here + length], below[there : there + length]])
        found.append(pair[:, (pair > 0).all(axis=0)].astype(np.int64))
    pairs = np.concatenate(found, axis=1)
    codes = np.unique(pairs[0] * (LARGEST + 1) + pairs[1])
    return np.stack(np.divmod(codes, LARGEST + 1))
