"""The context potential: a second stage over the first-stage scores around a superpixel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from segboost._types import AnyArray, BoolArray, Float32Array, FloatArray, Int64Array
from segboost.boosting.bins import bin_columns
from segboost.boosting.ensemble import TreeBooster
from segboost.boosting.growing import boost_trees
from segboost.boosting.settings import BoosterSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.byte_table import ByteTable, read_byte_table
from segboost.pipelines.segmentation.potentials.context_features import context_features
from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
from segboost.pipelines.segmentation.potentials.out_of_fold import (
    Learned,
    in_threads,
    learn_out_of_fold,
)
from segboost.pipelines.segmentation.potentials.table_trees import TableLearner


@dataclass(frozen=True, eq=False)
class ContextPotential:
    """Trees over the first-stage scores around a superpixel.

    Parameters
    ----------
    booster : TreeBooster
    groups : tuple of str
        Feature groups whose raw columns follow the context features; may be empty.
    """

    booster: TreeBooster
    groups: tuple[str, ...] = ()

    def scores(self, image: SuperpixelImage, first: FloatArray) -> FloatArray:
        """Return the context score of every superpixel, shape (P,).

        Parameters
        ----------
        image : SuperpixelImage
            With its features.
        first : ndarray of shape (P, T)
            First-stage scores, the best of them last.
        """
        raw = [image.groups[g].astype(np.float32) for g in self.groups]
        table = np.concatenate([context_features(image, first), *raw], axis=1)
        return self.booster.decision_function(table)

    @classmethod
    def mean(cls, potentials: Sequence[Self]) -> Self:
        """Return the potential whose scores are the mean of the potentials' scores."""
        return cls(TreeBooster.mean([p.booster for p in potentials]), potentials[0].groups)

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays of the trees; the caller keeps the names of the groups."""
        return self.booster.to_arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray], groups: Sequence[str] = ()) -> Self:
        """Return the potential from the arrays of `to_arrays`."""
        return cls(TreeBooster.from_arrays(arrays), tuple(groups))


@dataclass(frozen=True)
class RawColumns:
    """Raw features in addition to the context: where to read them, and how many per tree."""

    reader: FeatureReader
    n_columns: int


@dataclass(frozen=True, eq=False)
class WideContextLearner:
    """Learns trees over context features and raw columns; see `learn_out_of_fold`.

    Parameters
    ----------
    context : ndarray of float32, shape (N, D)
    table : ByteTable
        Context features, then raw columns, of the superpixels that are learned from.
    raw : RawColumns
    sizes : tuple of int
        Superpixels of each image.
    labels, weight, fold, settings, seed
        As in `TableLearner`.
    """

    context: Float32Array
    table: ByteTable
    raw: RawColumns
    sizes: tuple[int, ...]
    labels: Int64Array
    weight: FloatArray
    fold: Int64Array
    settings: BoosterSettings
    seed: tuple[int, ...]

    @property
    def known(self) -> BoolArray:
        """The superpixels in the table, shape (N,)."""
        return self.table.members(len(self.fold))

    def fit(self, rows: Int64Array, part: int) -> ContextPotential:
        """Return the potential learned from these rows."""
        baseline, trees = boost_trees(
            self.table.columns,
            np.searchsorted(self.table.rows, rows),
            self.labels[rows] == 1,
            self.weight[rows] / self.weight[rows].mean(),
            self.settings,
            np.random.default_rng([*self.seed, part]),
            (self.context.shape[1], self.raw.n_columns),
        )
        booster = TreeBooster.from_trees(baseline, trees, self.table.thresholds)
        return ContextPotential(booster, self.raw.reader.groups)

    def score(self, model: ContextPotential, rows: Int64Array) -> FloatArray:
        """Return the scores of these rows, reading one image at a time."""
        found = np.empty(len(rows))
        starts = np.cumsum([0, *self.sizes])
        for number, (start, stop) in enumerate(pairwise(starts)):
            mine = slice(*np.searchsorted(rows, [start, stop]))
            if mine.stop > mine.start:
                own = rows[mine]
                groups = self.raw.reader.image(number)
                raw = [groups[g][own - start].astype(np.float32) for g in model.groups]
                table = np.concatenate([self.context[own], *raw], axis=1)
                found[mine] = model.booster.decision_function(table)
        return found


def fit_context(
    images: Sequence[SuperpixelImage],
    first: FloatArray,
    fold: Int64Array,
    settings: BoosterSettings,
    seed: int,
    n_jobs: int = 1,
    raw: RawColumns | None = None,
    report: Callable[[int, int], Any] | None = None,
    average: bool = False,
) -> Learned[ContextPotential]:
    """Learn the second stage, with its out-of-fold scores of shape (N,).

    Parameters
    ----------
    images : sequence of SuperpixelImage
        The training images with their truth and the features that describe their own appearance.
    first : ndarray of shape (N, T)
        Out-of-fold first-stage scores of all their superpixels, the best of them last.
    fold : ndarray of int, shape (N,)
        The folds of the first stage.
    settings : BoosterSettings
    seed : int
    n_jobs : int
        Number of folds learned in parallel, in threads; the result does not depend on it.
    raw : RawColumns, optional
        Raw features that trees may split on in addition to the context.
    report : callable, optional
        As in `learn_out_of_fold`.
    average : bool
        Whether the potential is the mean of the models learned without each fold and of the one
        learned from all images.
    """
    sizes = np.array([image.n_superpixels for image in images])
    if len(first) != sizes.sum():
        raise ValueError(f"first has {len(first)} rows for {sizes.sum()} superpixels")
    parts = np.split(first, np.cumsum(sizes)[:-1])
    table = np.concatenate([context_features(i, f) for i, f in zip(images, parts, strict=True)])
    labels = np.concatenate([image.labels for image in images])
    weight = np.concatenate([image.labelled for image in images]).astype(np.float64)
    if raw is None:
        learner = TableLearner(table, labels, weight, fold, settings, (seed, 2))
        mean = TreeBooster.mean if average else None
        learned = learn_out_of_fold(learner, in_threads(n_jobs), report=report, mean=mean)
        return Learned(ContextPotential(learned.model), learned.out_of_fold)
    columns = read_byte_table(raw.reader, np.flatnonzero(weight > 0), seed)
    columns = columns.with_columns_before(bin_columns(table[columns.rows]))
    wide = WideContextLearner(
        table, columns, raw, tuple(sizes), labels, weight, fold, settings, (seed, 2)
    )
    wide_mean = ContextPotential.mean if average else None
    return learn_out_of_fold(wide, in_threads(n_jobs), report=report, mean=wide_mean)
