"""Scores of gradient-boosted trees as additional features of a table.

Training rows get scores from trees that did not see them; scores of trees on their own training
rows would look far better than they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from segboost._types import AnyArray, FloatArray, IntArray
from segboost.boosting.ensemble import TreeBooster
from segboost.boosting.settings import BoosterSettings
from segboost.boosting.walking import DAMAGED
from segboost.estimators.probabilities import assign_folds
from segboost.weak.binning import BinnedMatrix, bin_features

N_FOLDS = 4
N_BINS = 64
COLUMN_SHARE = 0.3
FEWEST_COLUMNS = 4
"""A tree sees 30 % of the columns, but at least four of them."""


@dataclass(frozen=True, eq=False)
class BoostedScores:
    """The trees of every fold; the score of a new row is the mean over the folds.

    Parameters
    ----------
    folds : tuple of tuples of TreeBooster
        One inner tuple per fold: a booster per class, or a single one for two classes.
    """

    folds: tuple[tuple[TreeBooster, ...], ...]

    @classmethod
    def fit(
        cls,
        X: AnyArray,
        y: IntArray,
        n_classes: int,
        n_trees: int,
        sample_weight: FloatArray | None = None,
    ) -> tuple[Self, FloatArray]:
        """Learn from finite features X, shape (m, d), and class indices y, shape (m,).

        Returns
        -------
        BoostedScores
        ndarray of shape (m, Q)
            The scores of the rows by trees that did not see them.
        """
        from segboost.boosting.class_trees import boost_classes

        binned = bin_features(X, N_BINS)
        n_columns = max(FEWEST_COLUMNS, round(COLUMN_SHARE * binned.n_features))
        settings = BoosterSettings(
            n_trees=n_trees, depth=6, row_share=0.8, n_columns=n_columns, l2=1.0, min_curvature=0.5
        )
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        fold = assign_folds(y, N_FOLDS)
        folds = []
        for number in range(N_FOLDS):
            rows = np.flatnonzero(fold != number)
            used = weight[rows] / (weight[rows].mean() or 1.0)
            rng = np.random.default_rng([number, n_trees])
            part = _rows(binned, rows)
            folds.append(boost_classes(part, y[rows], n_classes, used, settings, rng))
        found = cls(tuple(folds))
        return found, found._out_of_fold(X, fold)

    def scores(self, X: AnyArray) -> FloatArray:
        """Return the scores of new rows X, shape (m, d), as an array of shape (m, Q)."""
        return np.asarray(np.mean([_fold_scores(f, X) for f in self.folds], axis=0))

    @property
    def n_scores(self) -> int:
        """The number Q of scores: one per class, a single one for two classes."""
        return len(self.folds[0])

    def shares(self, n_features: int) -> FloatArray:
        """Return the share of each feature in the splits of each score, shape (Q, d)."""
        from segboost.boosting.class_trees import split_shares

        return np.asarray(np.mean([split_shares(f, n_features) for f in self.folds], axis=0))

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays that `from_arrays` takes."""
        boosters = [booster.to_arrays() for fold in self.folds for booster in fold]
        stacked = {f"boosted_{key}": np.stack([b[key] for b in boosters]) for key in boosters[0]}
        return {**stacked, "boosted_folds": np.array(len(self.folds))}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray], n_features: int) -> Self:
        """Return what `to_arrays` stored; ValueError if the arrays are damaged."""
        n_folds = int(arrays["boosted_folds"])
        feature = arrays["boosted_feature"]
        if n_folds < 1 or feature.ndim != 3 or not len(feature) or len(feature) % n_folds:
            raise ValueError(DAMAGED)
        keys = ("baseline", "feature", "threshold", "value", "n_features")
        boosters = [
            TreeBooster.from_arrays({key: arrays[f"boosted_{key}"][i] for key in keys})
            for i in range(len(feature))
        ]
        if not all(np.isfinite(arrays[f"boosted_{key}"]).all() for key in keys):
            raise ValueError("the trees of the model contain NaN or infinity")
        if any(b.n_features != n_features for b in boosters):
            raise ValueError("the boosted trees of the model have a different number of features")
        n = len(boosters) // n_folds
        return cls(tuple(tuple(boosters[i * n : (i + 1) * n]) for i in range(n_folds)))

    def _out_of_fold(self, X: AnyArray, fold: IntArray) -> FloatArray:
        out = np.empty((len(X), self.n_scores))
        for number, boosters in enumerate(self.folds):
            rows = fold == number
            out[rows] = _fold_scores(boosters, X[rows])
        # The only row of a class is in every training part and has no held-out score.
        out[fold < 0] = self.scores(X[fold < 0])
        return out


def _fold_scores(boosters: tuple[TreeBooster, ...], X: AnyArray) -> FloatArray:
    """Return the scores, shape (m, Q); those of several classes sum to 0."""
    found = np.column_stack([booster.decision_function(X) for booster in boosters])
    return found if len(boosters) == 1 else found - found.mean(axis=1, keepdims=True)


def _rows(binned: BinnedMatrix, rows: IntArray) -> BinnedMatrix:
    codes = np.ascontiguousarray(binned.codes[:, rows])
    return BinnedMatrix(codes, binned.thresholds, binned.n_bins)
