"""Runs of equal labels in rows, and the boxes and areas that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import AnyArray, Int32Array, Int64Array, IntArray
from segboost.io.scientific.window import Window
from segboost.pipelines.objects.large.page_file import PageFile, cut_bands


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of equal labels in the rows of a band, in reading order.

    Parameters
    ----------
    labels, rows : ndarray of shape (m,)
    starts, stops : ndarray of shape (m,)
        Columns, from inclusive to exclusive.
    """

    labels: AnyArray
    rows: IntArray
    starts: IntArray
    stops: IntArray


def find_runs(labels: AnyArray) -> Runs:
    """Return the runs of labels above 0 in a band, shape (h, W).

    Examples
    --------
    >>> runs = find_runs(np.array([[0, 2, 2, 1]]))
    >>> runs.labels.tolist(), runs.starts.tolist(), runs.stops.tolist()
    ([2, 1], [1, 3], [3, 4])
    """
    padded = np.pad(labels, ((0, 0), (1, 1)))
    change = padded[:, 1:] != padded[:, :-1]
    rows, starts = np.nonzero(change & (padded[:, 1:] > 0))
    stops = np.nonzero(change & (padded[:, :-1] > 0))[1]
    return Runs(labels[rows, starts], rows, starts, stops)


@dataclass(frozen=True, eq=False)
class Extents:
    """Boxes and areas of the labels 1 … n.

    Parameters
    ----------
    boxes : ndarray of int64, shape (n, 4)
        Top, bottom, left and right, from inclusive to exclusive.
    areas : ndarray of int64, shape (n,)
        In pixels; the boxes of labels without pixels are meaningless.
    """

    boxes: Int64Array
    areas: Int64Array


def find_extents(
    page: PageFile,
    window: Window,
    count: int,
    band: int,
    numbers: Int32Array | None = None,
) -> Extents:
    """Return the boxes and areas of the labels in a window, which is read by bands.

    Parameters
    ----------
    page : PageFile
    window : Window
    count : int
        The number of labels n.
    band : int
        Rows of a band.
    numbers : ndarray of int32, optional
        The label 0 … n of each number in the page; by default, the numbers are the labels.
    """
    low = np.iinfo(np.int64).max
    top, left = np.full(count + 1, low), np.full(count + 1, low)
    bottom, right = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    areas = np.zeros(count + 1, np.int64)
    for part in cut_bands(window, band):
        found = page.read(part)
        runs = find_runs(found if numbers is None else numbers[found])
        np.minimum.at(top, runs.labels, runs.rows + part.top)
        np.maximum.at(bottom, runs.labels, runs.rows + (part.top + 1))
        np.minimum.at(left, runs.labels, runs.starts + part.left)
        np.maximum.at(right, runs.labels, runs.stops + part.left)
        np.add.at(areas, runs.labels, runs.stops - runs.starts)
    return Extents(np.stack([top, bottom, left, right], axis=1)[1:], areas[1:])
