"""First-stage potentials: one AdaBoost of stumps per feature group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import AnyArray, BoolArray, FloatArray, Int64Array
from segboost.baselines.adaboost_stumps import AdaBoostStumps
from segboost.baselines.stump_sum import StumpSum
from segboost.pipelines.segmentation.config.stage_settings import UnarySettings


@dataclass(frozen=True, eq=False)
class GroupLearner:
    """Learns the classifier of one feature group; see `learn_out_of_fold`.

    Parameters
    ----------
    features : ndarray of shape (N, d)
    labels : ndarray of int, shape (N,)
    known : ndarray of bool, shape (N,)
        Superpixels with a labelled pixel; the others are ignored.
    fold : ndarray of int, shape (N,)
    settings : UnarySettings
    seed : int
    """

    features: AnyArray
    labels: Int64Array
    known: BoolArray
    fold: Int64Array
    settings: UnarySettings
    seed: int

    def fit(self, rows: Int64Array, part: int) -> StumpSum:
        """Return the classifier learned from these rows."""
        rng = np.random.default_rng([self.seed, part])
        return fit_stumps(self.features, self.labels, rows, self.settings, rng)

    def score(self, model: StumpSum, rows: Int64Array) -> FloatArray:
        """Return the scores of these rows."""
        return model.scores(self.features[rows])[:, 0]


def fit_stumps(
    features: AnyArray,
    labels: Int64Array,
    rows: Int64Array,
    settings: UnarySettings,
    rng: np.random.Generator,
) -> StumpSum:
    """Fit AdaBoost on a sample of the rows, weighted to keep the shares of both classes."""
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
