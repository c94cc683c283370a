"""First-stage unaries: one AdaBoost of stumps a feature group, with out-of-fold scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray, Int64Array
from segboost.baselines.adaboost_stumps import AdaBoostStumps
from segboost.baselines.stump_sum import StumpSum
from segboost.pipelines.segmentation.config.stage_settings import UnarySettings
from segboost.pipelines.segmentation.potentials.folds import teaches


@dataclass(frozen=True, eq=False)
class TrainedUnary:
    """A group's classifier on all training images, and its scores on images it did not see.

    Parameters
    ----------
    stumps : StumpSum
    out_of_fold : ndarray of shape (N,)
        The score of every training superpixel, by a classifier trained without its image.
    """

    stumps: StumpSum
    out_of_fold: FloatArray


def train_unary(
    features: npt.NDArray[Any],
    labels: Int64Array,
    labelled: npt.NDArray[np.bool_],
    fold: Int64Array,
    settings: UnarySettings,
    seed: int,
) -> TrainedUnary:
    """Train a group's classifiers: one without each fold, and one on everything.

    Parameters
    ----------
    features : ndarray of shape (N, d)
    labels : ndarray of int, shape (N,)
    labelled : ndarray of bool, shape (N,)
        Superpixels without a labelled pixel teach nothing.
    fold : ndarray of int, shape (N,)
    settings : UnarySettings
    seed : int
    """
    table = FoldTable(features, labels, labelled, fold)
    shared = (table, settings, seed)
    return join_folds(table, [train_fold(shared, k) for k in fold_names(fold)])


@dataclass(frozen=True, eq=False)
class FoldTable:
    """What `train_unary` learns from; its parameters say what is what."""

    features: npt.NDArray[Any]
    labels: Int64Array
    labelled: npt.NDArray[np.bool_]
    fold: Int64Array


def fold_names(fold: Int64Array) -> list[int | None]:
    """Return the parts of the work: each fold that is left out in turn, and None for the rest."""
    folds = [int(k) for k in np.unique(fold)]
    return [*(folds if len(folds) > 1 else []), None]


def train_fold(
    shared: tuple[FoldTable, UnarySettings, int], left_out: int | None
) -> tuple[StumpSum | None, FloatArray]:
    """Return the classifier without a fold and its scores there; or that of all, and no scores.

    None and scores of 0 where the other folds lack a class.
    """
    table, settings, seed = shared
    number = len(np.unique(table.fold)) if left_out is None else left_out
    rows = np.flatnonzero(table.labelled & ((left_out is None) | (table.fold != left_out)))
    rng = np.random.default_rng([seed, number])
    if left_out is not None and not teaches(table.labels, rows):
        return None, np.zeros(int((table.fold == left_out).sum()))
    model = fit_stumps(table.features, table.labels, rows, settings, rng)
    if left_out is None:
        return model, np.empty(0)
    return model, model.scores(table.features[table.fold == left_out])[:, 0]


def join_folds(
    table: FoldTable, parts: Sequence[tuple[StumpSum | None, FloatArray]]
) -> TrainedUnary:
    """Return what the parts that `fold_names` lists make together."""
    *by_fold, (final, _) = parts
    assert final is not None
    if not by_fold:
        return TrainedUnary(final, final.scores(table.features)[:, 0])
    scores = np.zeros(len(table.labels))
    for k, (_, found) in zip(np.unique(table.fold), by_fold, strict=True):
        scores[table.fold == k] = found
    return TrainedUnary(final, scores)


def fit_stumps(
    features: npt.NDArray[Any],
    labels: Int64Array,
    rows: Int64Array,
    settings: UnarySettings,
    rng: np.random.Generator,
) -> StumpSum:
    """Fit AdaBoost on a sample of the rows that keeps the weight of either class."""
    chosen, weights = [], []
    for value, most in ((1, settings.most_foreground), (0, settings.most_background)):
        members = rows[labels[rows] == value]
        if len(members) == 0:
            raise ValueError(
                f"the training images have no {'foreground' if value else 'background'} "
                "superpixel; check the masks"
            )
        taken = members
        if len(members) > most:
            taken = np.sort(rng.choice(members, most, replace=False))
        chosen.append(taken)
        weights.append(np.full(len(taken), len(members) / len(taken)))
    sample = np.concatenate(chosen)
    model = AdaBoostStumps(settings.n_stumps)
    return model.fit(features[sample], labels[sample], np.concatenate(weights)).stumps_
