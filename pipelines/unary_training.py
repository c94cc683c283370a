"""First-stage unaries: one AdaBoost of stumps a feature group, with out-of-fold scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost.baselines.adaboost_stumps import AdaBoostStumps
from segboost.baselines.stump_sum import StumpSum

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class UnarySettings:
    """How the first-stage classifiers are trained.

    Parameters
    ----------
    n_stumps : int
        Rounds of AdaBoost; 1000 in the paper.
    most_foreground, most_background : int
        Superpixels of either class that one classifier sees at most; drawn at random, and
        weighted so that the classes keep their shares.
    n_folds : int
        Contiguous blocks of training images that the out-of-fold scores leave out in turn.
    """

    n_stumps: int = 1000
    most_foreground: int = 15_000
    most_background: int = 30_000
    n_folds: int = 5


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


def fold_of_image(n_images: int, n_folds: int) -> IntArray:
    """Return the fold of every image: contiguous blocks, as neighbours often show one scene."""
    return np.arange(n_images) * min(n_folds, n_images) // max(n_images, 1)


def train_unary(
    features: npt.NDArray[Any],
    labels: IntArray,
    labelled: npt.NDArray[np.bool_],
    fold: IntArray,
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
    scores = np.zeros(len(labels))
    folds = np.unique(fold)
    for k in folds if len(folds) > 1 else []:
        outside = np.flatnonzero((fold != k) & labelled)
        model = fit_stumps(features, labels, outside, settings, np.random.default_rng([seed, k]))
        inside = np.flatnonzero(fold == k)
        scores[inside] = model.scores(features[inside])[:, 0]
    everything = np.flatnonzero(labelled)
    rng = np.random.default_rng([seed, len(folds)])
    final = fit_stumps(features, labels, everything, settings, rng)
    if len(folds) == 1:
        scores = final.scores(features)[:, 0]
    return TrainedUnary(final, scores)


def fit_stumps(
    features: npt.NDArray[Any],
    labels: IntArray,
    rows: IntArray,
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
