"""The tree potential: one booster over the raw features of all groups at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from segboost._types import AnyArray, BoolArray, ByteArray, FloatArray, Int64Array
from segboost.boosting.bins import bin_columns, keep_bytes
from segboost.boosting.ensemble import TreeBooster
from segboost.boosting.growing import boost_trees
from segboost.boosting.settings import BoosterSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.out_of_fold import (
    Learned,
    in_threads,
    learn_out_of_fold,
)
from segboost.weak.binning import MAX_BINS, BinnedMatrix

MOST_ROWS = 150_000
"""The largest number of superpixels to learn from: their features are held in memory."""


@dataclass(frozen=True, eq=False)
class TreePotential:
    """Trees over the features of some groups, concatenated in this order."""

    groups: tuple[str, ...]
    trees: TreeBooster

    def scores(self, groups: Mapping[str, AnyArray]) -> FloatArray:
        """Return the log-odds of every superpixel, shape (P,)."""
        table = np.concatenate([groups[g].astype(np.float32) for g in self.groups], axis=1)
        return self.trees.decision_function(table)

    @classmethod
    def mean(cls, potentials: Sequence[Self]) -> Self:
        """Return the potential whose log-odds are the mean of the potentials' log-odds."""
        return cls(potentials[0].groups, TreeBooster.mean([p.trees for p in potentials]))

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays of the trees; the caller keeps the names of the groups."""
        return self.trees.to_arrays()

    @classmethod
    def from_arrays(cls, groups: Sequence[str], arrays: Mapping[str, AnyArray]) -> Self:
        """Return the potential from the arrays of `to_arrays`."""
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
        Indices of these superpixels.
    """

    columns: ByteArray
    thresholds: FloatArray
    rows: Int64Array

    def members(self, n_rows: int) -> BoolArray:
        """Return which of all superpixels are in the table, shape (n_rows,)."""
        found = np.zeros(n_rows, dtype=bool)
        found[self.rows] = True
        return found

    def with_columns_before(self, binned: BinnedMatrix) -> ByteTable:
        """Return the table with other binned columns of the same rows before its own."""
        thresholds = np.full((binned.n_features, MAX_BINS - 1), np.inf)
        thresholds[:, : binned.width - 1] = binned.thresholds
        return ByteTable(
            np.concatenate([binned.codes, self.columns]),
            np.concatenate([thresholds, self.thresholds]),
            self.rows,
        )


class ImageReader:
    """Reads features for training: one group of all images, or all groups of one image."""

    def __init__(
        self, n_images: int, groups: Sequence[str], read: Callable[[int, str], AnyArray]
    ) -> None:
        self.n_images = n_images
        self.groups = tuple(groups)
        self._read = read

    def column_block(self, group: str) -> AnyArray:
        """Return a group of all images, shape (N, d)."""
        return np.concatenate([self._read(i, group) for i in range(self.n_images)])

    def group(self, number: int, group: str) -> AnyArray:
        """Return a group of one image, shape (P, d)."""
        return self._read(number, group)

    def image(self, number: int) -> dict[str, AnyArray]:
        """Return all groups of an image."""
        return {g: self._read(number, g) for g in self.groups}


@dataclass(frozen=True, eq=False)
class TreeLearner:
    """Learns the trees over all raw features; see `learn_out_of_fold`.

    Parameters
    ----------
    reader : ImageReader
        The features of the images.
    table : ByteTable
        The superpixels that are learned from.
    labels : ndarray of int, shape (N,)
    weight : ndarray of shape (N,)
        Labelled pixels.
    fold : ndarray of int, shape (N,)
    sizes : tuple of int
        Superpixels of each image.
    settings : BoosterSettings
    seed : int
    """

    reader: ImageReader
    table: ByteTable
    labels: Int64Array
    weight: FloatArray
    fold: Int64Array
    sizes: tuple[int, ...]
    settings: BoosterSettings
    seed: int

    @property
    def known(self) -> BoolArray:
        """The superpixels in the table, shape (N,)."""
        return self.table.members(len(self.fold))

    def fit(self, rows: Int64Array, part: int) -> TreePotential:
        """Return trees learned from these rows."""
        baseline, trees = boost_trees(
            self.table.columns,
            np.searchsorted(self.table.rows, rows),
            self.labels[rows] == 1,
            self.weight[rows] / self.weight[rows].mean(),
            self.settings,
            np.random.default_rng([self.seed, part]),
        )
        ensemble = TreeBooster.from_trees(baseline, trees, self.table.thresholds)
        return TreePotential(self.reader.groups, ensemble)

    def score(self, model: TreePotential, rows: Int64Array) -> FloatArray:
        """Return the log-odds of these rows, reading one image at a time."""
        wanted = np.zeros(len(self.fold), dtype=bool)
        wanted[rows] = True
        by_image = np.split(wanted, np.cumsum(self.sizes)[:-1])
        found = [model.scores(self.reader.image(i))[m] for i, m in enumerate(by_image) if m.any()]
        return np.concatenate(found)


def fit_tree_potential(
    reader: ImageReader,
    images: Sequence[SuperpixelImage],
    fold: Int64Array,
    settings: BoosterSettings,
    seed: int,
    n_jobs: int = 1,
    report: Callable[[int, int], Any] | None = None,
    average: bool = False,
) -> Learned[TreePotential]:
    """Learn trees over the features of all groups, with out-of-fold scores of shape (N,).

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
        Number of folds learned in parallel, in threads that share the features; the result does
        not depend on it.
    report : callable, optional
        As in `learn_out_of_fold`.
    average : bool
        Whether the potential is the mean of the models learned without each fold and of the one
        learned from all images.
    """
    labels = np.concatenate([i.labels for i in images])
    weight = np.concatenate([i.labelled for i in images]).astype(np.float64)
    table = read_byte_table(reader, np.flatnonzero(weight > 0), seed)
    sizes = tuple(i.n_superpixels for i in images)
    learner = TreeLearner(reader, table, labels, weight, fold, sizes, settings, seed)
    mean = TreePotential.mean if average else None
    return learn_out_of_fold(learner, in_threads(n_jobs), report=report, mean=mean)


def read_byte_table(reader: ImageReader, known: Int64Array, seed: int) -> ByteTable:
    """Return the features of the labelled superpixels, or of a sample if there are too many."""
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
