"""AdaBoost.MH for multi-class problems with decision stumps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from segboost._types import AnyArray, FloatArray
from segboost.baselines.class_scores import classes_of, table_scores
from segboost.baselines.mh_rounds import boost_votes
from segboost.baselines.stump_sum import StumpSum
from segboost.baselines.training_table import (
    check_prediction_table,
    check_rounds,
    training_table,
)
from segboost.storage.savable import Savable
from segboost.weak.binning import bin_features


class AdaBoostMH(ClassifierMixin, Savable, BaseEstimator):
    """AdaBoost.MH: the k binary problems "class l or not" boosted jointly.

    A round chooses one stump φ for all classes and a vote v_l = ±1 for each class, which maximise
    ``Σ_il w_il Y_il v_l φ(x_i)``, and adds ``α v φ`` to the scores. The prediction is the
    highest-scoring class.

    Parameters
    ----------
    n_estimators : int
        The number of rounds.
    learning_rate : float
        Shrinks every α.
    max_bins : int
        Maximum number of bins per feature, from 2 to 256.

    Attributes
    ----------
    classes_ : ndarray, shape (k,)
    stumps_ : StumpSum
        The model as arrays.
    estimator_weights_, estimator_errors_ : ndarray of float64, shape (n_estimators_,)
        α_t, and the weighted error over the k N binary labels.
    n_estimators_ : int
        Number of rounds done; fewer than requested if the fit ended early.
    feature_importances_ : ndarray of float64, shape (d,)
    n_features_in_ : int

    References
    ----------
    R. E. Schapire and Y. Singer, "Improved boosting algorithms using confidence-rated
    predictions", Machine Learning, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMH(n_estimators=50).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    def __init__(
        self, n_estimators: int = 500, *, learning_rate: float = 1.0, max_bins: int = 255
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_bins = max_bins

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoostMH:
        """Learn from features X, shape (N, d), and labels y of at least two classes."""
        check_rounds(self.n_estimators, self.learning_rate)
        table = training_table(self, X, y, sample_weight)
        binned = bin_features(table.features, self.max_bins)
        own = table.labels[:, None] == np.arange(table.n_classes)
        signed = np.where(own, table.weights[:, None], -table.weights[:, None])
        rounds = boost_votes(binned, signed, self.n_estimators, self.learning_rate)
        votes = rounds.alpha[:, None] * rounds.votes
        self.stumps_ = StumpSum.from_cuts(binned, rounds.feature, rounds.cut, votes, -votes)
        self.classes_ = table.classes
        self.estimator_weights_, self.estimator_errors_ = rounds.alpha, rounds.error
        self.n_estimators_ = self.stumps_.n_stumps
        self.feature_importances_ = self.stumps_.importances(self.n_features_in_)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores, shape (N, k); for two classes their difference, shape (N,)."""
        check_is_fitted(self)
        return table_scores(self.stumps_.scores(check_prediction_table(self, X)))

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the scores after every round."""
        check_is_fitted(self)
        for scores in self.stumps_.staged_scores(check_prediction_table(self, X)):
            yield table_scores(scores)

    def predict(self, X: Any) -> AnyArray:
        """Return the classes, shape (N,)."""
        return classes_of(self.decision_function(X), self.classes_)

    def staged_predict(self, X: Any) -> Iterator[AnyArray]:
        """Yield the predicted classes after every round."""
        for scores in self.staged_decision_function(X):
            yield classes_of(scores, self.classes_)
