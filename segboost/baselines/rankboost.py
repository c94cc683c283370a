"""RankBoost: boosting for ranking with decision stumps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from segboost._types import FloatArray
from segboost.baselines.rank_rounds import boost_ranks, ordered_share
from segboost.baselines.stump_sum import StumpSum
from segboost.baselines.training_table import check_prediction_table, check_rounds
from segboost.storage.savable import Savable
from segboost.table_cells.label_values import refuse_odd_labels
from segboost.table_cells.time_values import refuse_time_columns
from segboost.weak.binning import bin_features


class RankBoost(Savable, BaseEstimator):
    """RankBoost: scores that rank rows of higher level above rows of lower level.

    Minimises ``Σ exp(F(x_i) − F(x_j))`` over the pairs with y_j > y_i. A round chooses the stump
    h ∈ {0, 1} that maximises ``r = Σ D(i, j) (h(x_j) − h(x_i))`` and adds it with the weight
    ``α = ½ log((1 + r)/(1 − r))``. The pair weights D factor by level, so that a round takes
    time linear in the rows, with two levels (RankBoost.B) or more; pairs are never listed.

    Parameters
    ----------
    n_estimators : int
        The number of rounds.
    max_bins : int
        Maximum number of bins per feature, from 2 to 256.

    Attributes
    ----------
    levels_ : ndarray
        The distinct values of y in ascending order.
    stumps_ : StumpSum
        The model as arrays.
    estimator_weights_ : ndarray of float64, shape (n_estimators_,)
        α_t.
    n_estimators_ : int
        Number of rounds done; fewer than requested if the fit ended early.
    feature_importances_ : ndarray of float64, shape (d,)
    n_features_in_ : int

    References
    ----------
    Y. Freund, R. Iyer, R. E. Schapire and Y. Singer, "An efficient boosting algorithm for
    combining preferences", Journal of Machine Learning Research, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> RankBoost(n_estimators=50).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.98
    True
    """

    def __init__(self, n_estimators: int = 500, *, max_bins: int = 255) -> None:
        self.n_estimators = n_estimators
        self.max_bins = max_bins

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RankBoost:
        """Learn from features X, shape (N, d), and levels y; a pair has the weight w_i w_j."""
        check_rounds(self.n_estimators)
        refuse_time_columns(X)
        refuse_odd_labels(y)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        weights = _check_sample_weight(sample_weight, X, dtype=float, ensure_non_negative=True)
        if not weights.all():
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        self.levels_, level = np.unique(y, return_inverse=True)
        if self.levels_.size < 2:
            raise ValueError("RankBoost needs at least 2 levels, but y has only one class")
        binned = bin_features(X, self.max_bins)
        rounds = boost_ranks(binned, level, weights / weights.sum(), self.n_estimators)
        votes = rounds.alpha[:, None]
        positive = rounds.polarity[:, None] > 0
        above, below = np.where(positive, votes, 0.0), np.where(positive, 0.0, votes)
        self.stumps_ = StumpSum.from_cuts(binned, rounds.feature, rounds.cut, above, below)
        self.estimator_weights_ = rounds.alpha
        self.n_estimators_ = self.stumps_.n_stumps
        self.feature_importances_ = self.stumps_.importances(self.n_features_in_)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores F, shape (N,)."""
        check_is_fitted(self)
        return self.stumps_.scores(check_prediction_table(self, X))[:, 0]

    def predict(self, X: Any) -> FloatArray:
        """Return the scores F, shape (N,), whose order is the prediction."""
        return self.decision_function(X)

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield F after every round."""
        check_is_fitted(self)
        for scores in self.stumps_.staged_scores(check_prediction_table(self, X)):
            yield scores[:, 0]

    def staged_predict(self, X: Any) -> Iterator[FloatArray]:
        """Yield the scores after every round."""
        return self.staged_decision_function(X)

    def score(self, X: Any, y: Any) -> float:
        """Return the fraction of pairs ordered correctly, ties ½: the AUC for two levels."""
        return ordered_share(self.decision_function(X), np.asarray(y))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
