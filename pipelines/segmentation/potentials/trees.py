"""The tree potential: one booster over the raw features of all groups at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from segboost._types import AnyArray, BoolArray, FloatArray, Int64Array
from segboost.boosting.ensemble import TreeBooster
from segboost.boosting.growing import boost_trees
from segboost.boosting.settings import BoosterSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.byte_table import ByteTable, read_byte_table
from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
from segboost.pipelines.segmentation.potentials.out_of_fold import (
    Learned,
    in_threads,
    learn_out_of_fold,
)


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
class TreeLearner:
    """Learns the trees over all raw features; see `learn_out_of_fold`.

    Parameters
    ----------
    reader : FeatureReader
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

    reader: FeatureReader
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
    reader: FeatureReader,
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
    reader : FeatureReader
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
