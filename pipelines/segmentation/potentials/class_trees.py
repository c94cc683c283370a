"""Trees over the raw features of all groups, and over context, with a score per class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from segboost._types import AnyArray, BoolArray, Float32Array, FloatArray, Int64Array
from segboost.boosting.bins import bin_columns
from segboost.boosting.class_ensemble import ClassBooster
from segboost.boosting.class_growing import boost_class_trees
from segboost.boosting.settings import BoosterSettings
from segboost.pipelines.segmentation.potentials.byte_table import ByteTable, read_byte_table
from segboost.pipelines.segmentation.potentials.class_truth import ClassTruth
from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
from segboost.pipelines.segmentation.potentials.out_of_fold import (
    Learned,
    in_threads,
    learn_out_of_fold,
)


@dataclass(frozen=True, eq=False)
class ClassTreePotential:
    """Trees over context columns, if any, and the features of some groups, in this order."""

    groups: tuple[str, ...]
    booster: ClassBooster

    def scores(
        self, groups: Mapping[str, AnyArray], context: Float32Array | None = None
    ) -> FloatArray:
        """Return the log-probabilities of the classes for every superpixel, shape (P, K)."""
        parts = [] if context is None else [context]
        parts += [groups[g].astype(np.float32) for g in self.groups]
        return self.booster.log_probabilities(np.concatenate(parts, axis=1))

    @classmethod
    def mean(cls, potentials: Sequence[Self]) -> Self:
        """Return the potential whose scores are the mean of the potentials' scores, normalised."""
        return cls(potentials[0].groups, ClassBooster.mean([p.booster for p in potentials]))

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays of the trees; the caller keeps the names of the groups."""
        return self.booster.to_arrays()

    @classmethod
    def from_arrays(cls, groups: Sequence[str], arrays: Mapping[str, AnyArray]) -> Self:
        """Return the potential from the arrays of `to_arrays`."""
        return cls(tuple(groups), ClassBooster.from_arrays(arrays))


@dataclass(frozen=True, eq=False)
class ClassTreeLearner:
    """Learns trees over context and raw columns; see `learn_out_of_fold`.

    Parameters
    ----------
    truth : ClassTruth
    reader : FeatureReader
        The raw features of the images.
    table : ByteTable
        Context, then raw columns, of the superpixels that are learned from.
    context : ndarray of float32, shape (N, D)
        Without context D is 0.
    n_raw : int
        Raw columns that a tree may split on in addition to those of the context.
    settings : BoosterSettings
    seed : tuple of int
        The random seed, extended by the part that is learned.
    """

    truth: ClassTruth
    reader: FeatureReader
    table: ByteTable
    context: Float32Array
    n_raw: int
    settings: BoosterSettings
    seed: tuple[int, ...]

    @property
    def fold(self) -> Int64Array:
        """The fold of every superpixel, shape (N,)."""
        return self.truth.fold

    @property
    def labels(self) -> Int64Array:
        """The class of every superpixel, shape (N,)."""
        return self.truth.labels

    @property
    def known(self) -> BoolArray:
        """The superpixels in the table, shape (N,)."""
        return self.table.members(len(self.truth.fold))

    def fit(self, rows: Int64Array, part: int) -> ClassTreePotential:
        """Return trees learned from these rows."""
        weight = self.truth.weights()[rows]
        width = self.context.shape[1]
        baseline, trees = boost_class_trees(
            self.table.columns,
            np.searchsorted(self.table.rows, rows),
            self.labels[rows],
            self.truth.n_classes,
            weight / weight.mean(),
            self.settings,
            np.random.default_rng([*self.seed, part]),
            (width, self.n_raw) if width else None,
        )
        booster = ClassBooster.from_trees(baseline, trees, self.table.thresholds)
        return ClassTreePotential(self.reader.groups, booster)

    def score(self, model: ClassTreePotential, rows: Int64Array) -> FloatArray:
        """Return the log-probabilities of these rows, shape (n, K), reading image by image."""
        found = np.empty((len(rows), self.truth.n_classes))
        starts = np.cumsum([0, *self.truth.sizes])
        for number, (start, stop) in enumerate(pairwise(starts)):
            mine = slice(*np.searchsorted(rows, [start, stop]))
            if mine.stop > mine.start:
                own = rows[mine] - start
                groups = {g: a[own] for g, a in self.reader.image(number).items()}
                found[mine] = model.scores(groups, self.context[rows[mine]])
        return found


def fit_class_trees(
    reader: FeatureReader,
    truth: ClassTruth,
    settings: BoosterSettings,
    seed: tuple[int, ...],
    n_jobs: int = 1,
    context: Float32Array | None = None,
    n_raw: int = 0,
    report: Callable[[int, int], Any] | None = None,
    average: bool = False,
) -> Learned[ClassTreePotential]:
    """Learn trees over the features of all groups, with out-of-fold scores of shape (N, K).

    Parameters
    ----------
    reader : FeatureReader
        The features of the images.
    truth : ClassTruth
    settings : BoosterSettings
    seed : tuple of int
    n_jobs : int
        Number of folds learned in parallel, in threads; the result does not depend on it.
    context : ndarray of float32, shape (N, D), optional
        Further columns, of which a tree draws `settings.n_columns`, and `n_raw` of the raw ones.
    n_raw : int
    report : callable, optional
        As in `learn_out_of_fold`.
    average : bool
        Whether the potential is the mean of the models learned without each fold and of the one
        learned from all images.
    """
    table = read_byte_table(reader, np.flatnonzero(truth.known), seed[0])
    if context is None:
        context = np.empty((len(truth.fold), 0), np.float32)
    else:
        table = table.with_columns_before(bin_columns(context[table.rows]))
    learner = ClassTreeLearner(truth, reader, table, context, n_raw, settings, seed)
    mean = ClassTreePotential.mean if average else None
    return learn_out_of_fold(learner, in_threads(n_jobs), "in sample", report, mean)
