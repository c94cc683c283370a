"""One booster over the raw features of all groups at once, beside the classifiers of each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from segboost._types import FloatArray, Int64Array
from segboost.boosting.bins import bin_columns, keep_bytes
from segboost.boosting.ensemble import TreeBooster
from segboost.boosting.growing import boost_trees
from segboost.boosting.settings import BoosterSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.folds import teaches
from segboost.weak.binning import MAX_BINS

MOST_ROWS = 150_000
"""Superpixels that the booster learns from at most; it holds their features in memory."""


@dataclass(frozen=True, eq=False)
class RawBooster:
    """Trees over the features of some groups, side by side in this order."""

    groups: tuple[str, ...]
    trees: TreeBooster

    def scores(self, groups: Mapping[str, npt.NDArray[Any]]) -> FloatArray:
        """Return the log-odds of every superpixel, shape (P,)."""
        table = np.concatenate([groups[g].astype(np.float32) for g in self.groups], axis=1)
        return self.trees.decision_function(table)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of the trees; the groups are the caller's to keep."""
        return self.trees.to_arrays()

    @classmethod
    def from_arrays(cls, groups: Sequence[str], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Return the booster that `to_arrays` took apart."""
        return cls(tuple(groups), TreeBooster.from_arrays(arrays))


@dataclass(frozen=True, eq=False)
class ByteTable:
    """The features of the superpixels that are learned from, as bytes.

    Parameters
    ----------
    columns : ndarray of uint8, shape (D, n)
    thresholds : ndarray of float64, shape (D, 255)
        ``x ≤ thresholds[j, k]`` where the byte of column j is at most k; +inf beyond its last.
    rows : ndarray of int64, shape (n,)
        Which superpixels these are.
    """

    columns: npt.NDArray[np.uint8]
    thresholds: FloatArray
    rows: Int64Array


class ImageReader:
    """What training asks of the images: one group of all of them, or all groups of one."""

    def __init__(
        self, n_images: int, groups: Sequence[str], read: Callable[[int, str], npt.NDArray[Any]]
    ) -> None:
        self.n_images = n_images
        self.groups = tuple(groups)
        self._read = read

    def column_block(self, group: str) -> npt.NDArray[Any]:
        """Return a group of all images, shape (N, d)."""
        return np.concatenate([self._read(i, group) for i in range(self.n_images)])

    def group(self, number: int, group: str) -> npt.NDArray[Any]:
        """Return a group of one image, shape (P, d)."""
        return self._read(number, group)

    def image(self, number: int) -> dict[str, npt.NDArray[Any]]:
        """Return all groups of an image."""
        return {g: self._read(number, g) for g in self.groups}


def fit_raw_booster(
    reader: ImageReader,
    images: Sequence[SuperpixelImage],
    fold: Int64Array,
    settings: BoosterSettings,
    seed: int,
    n_jobs: int = 1,
) -> tuple[RawBooster, FloatArray]:
    """Learn from all groups; return the booster and out-of-fold scores, shape (N,).

    Parameters
    ----------
    reader : ImageReader
        The features of the images.
    images : sequence of SuperpixelImage
        With their truth.
    fold : ndarray of int, shape (N,)
    settings : BoosterSettings
    seed : int
    n_jobs : int
        Folds that are learned side by side, in threads that share the features; the result is
        the same.
    """
    sizes = [i.n_superpixels for i in images]
    labels = np.concatenate([i.labels for i in images])
    weight = np.concatenate([i.labelled for i in images]).astype(np.float64)
    folds = np.unique(fold)
    table = _byte_table(reader, np.flatnonzero(weight > 0), seed)

    def fit(left_out: int | None) -> RawBooster:
        known = np.flatnonzero(fold[table.rows] != left_out)
        rows = table.rows[known]
        baseline, trees = boost_trees(
            table.columns,
            known,
            labels[rows] == 1,
            weight[rows] / weight[rows].mean(),
            settings,
            np.random.default_rng([seed, len(folds) if left_out is None else left_out]),
        )
        return RawBooster(reader.groups, TreeBooster.from_trees(baseline, trees, table.thresholds))

    def outside(k: int) -> FloatArray:
        if len(folds) > 1 and not teaches(labels, table.rows[fold[table.rows] != k]):
            return np.zeros(int((fold == k).sum()))
        booster = fit(k if len(folds) > 1 else None)
        mine = np.split(fold == k, np.cumsum(sizes)[:-1])
        found = [booster.scores(reader.image(i))[m] for i, m in enumerate(mine) if m.any()]
        return np.concatenate(found)

    jobs: list[Any] = [delayed(fit)(None), *(delayed(outside)(int(k)) for k in folds)]
    final, *parts = Parallel(n_jobs=n_jobs, require="sharedmem")(jobs)
    scores = np.zeros(len(labels))
    for k, found in zip(folds, parts, strict=True):
        scores[fold == k] = found
    return final, scores


def _byte_table(reader: ImageReader, known: Int64Array, seed: int) -> ByteTable:
    """Return the features of the labelled superpixels, or of a sample where they are many."""
    rows = known
    if len(known) > MOST_ROWS:
        rng = np.random.default_rng([seed, 1])
        rows = np.sort(rng.choice(known, MOST_ROWS, replace=False))
    widths = [reader.image(0)[group].shape[1] for group in reader.groups]
    columns = np.empty((sum(widths), len(rows)), dtype=np.uint8)
    thresholds = np.full((sum(widths), MAX_BINS - 1), np.inf)
    start = 0
    for group, width in zip(reader.groups, widths, strict=True):
        block = reader.column_block(group)[rows]
        binned = keep_bytes(block) if block.dtype == np.uint8 else bin_columns(block)
        columns[start : start + width] = binned.codes
        thresholds[start : start + width, : binned.width - 1] = binned.thresholds
        start += width
    return ByteTable(columns, thresholds, rows)
