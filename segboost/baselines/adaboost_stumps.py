"""AdaBoost for two classes with decision stumps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from segboost._types import AnyArray, FloatArray
from segboost.baselines.boosting_rounds import boost
from segboost.baselines.stump_sum import StumpSum
from segboost.baselines.training_table import (
    check_prediction_table,
    check_rounds,
    training_table,
)
from segboost.storage.savable import Savable
from segboost.weak.binning import bin_features


class AdaBoostStumps(ClassifierMixin, Savable, BaseEstimator):
    """Discrete AdaBoost of decision stumps, for two classes.

    Round t chooses the stump of minimum weighted error ε_t over all binned features, thresholds
    and both polarities, including constants, and adds it with the weight
    ``α_t = ½ learning_rate log((1 − ε_t)/ε_t)``. The fit ends early with a perfect stump, or when
    no stump is better than chance.

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
    classes_ : ndarray, shape (2,)
    stumps_ : StumpSum
        The model as arrays.
    estimator_weights_, estimator_errors_ : ndarray of float64, shape (n_estimators_,)
        α_t and ε_t.
    n_estimators_ : int
        Number of rounds done; fewer than requested if the fit ended early.
    feature_importances_ : ndarray of float64, shape (d,)
        Each feature's share of Σ α.
    n_features_in_ : int

    References
    ----------
    Y. Freund and R. E. Schapire, "A decision-theoretic generalization of on-line learning and an
    application to boosting", Journal of Computer and System Sciences, 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaBoostStumps(n_estimators=100).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.94
    True
    """

    def __init__(
        self, n_estimators: int = 1000, *, learning_rate: float = 1.0, max_bins: int = 255
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_bins = max_bins

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoostStumps:
        """Learn from features X, shape (N, d), and labels y of two classes.

        Ctrl-C ends the fit and keeps the rounds done so far.
        """
        check_rounds(self.n_estimators, self.learning_rate)
        table = training_table(self, X, y, sample_weight, binary=True)
        binned = bin_features(table.features, self.max_bins)
        signed = np.where(table.labels == 1, table.weights, -table.weights)
        rounds = boost(binned, signed, self.n_estimators, self.learning_rate)
        votes = (rounds.polarity * rounds.alpha)[:, None]
        self.stumps_ = StumpSum.from_cuts(binned, rounds.feature, rounds.cut, votes, -votes)
        self.classes_ = table.classes
        self.estimator_weights_, self.estimator_errors_ = rounds.alpha, rounds.error
        self.n_estimators_ = self.stumps_.n_stumps
        self.feature_importances_ = self.stumps_.importances(self.n_features_in_)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return F(x) = Σ α_t h_t(x), shape (N,); positive for `classes_[1]`."""
        check_is_fitted(self)
        return self.stumps_.scores(check_prediction_table(self, X))[:, 0]

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield F after every round."""
        check_is_fitted(self)
        for scores in self.stumps_.staged_scores(check_prediction_table(self, X)):
            yield scores[:, 0]

    def predict(self, X: Any) -> AnyArray:
        """Return the classes, shape (N,)."""
        return self._classes(self.decision_function(X))

    def staged_predict(self, X: Any) -> Iterator[AnyArray]:
        """Yield the predicted classes after every round."""
        for scores in self.staged_decision_function(X):
            yield self._classes(scores)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return ``1 / (1 + exp(−2F))`` for `classes_[1]` and its complement, shape (N, 2).

        This is the probability estimate implied by the exponential loss that AdaBoost minimises.
        """
        positive = expit(2.0 * self.decision_function(X))
        return np.column_stack([1.0 - positive, positive])

    def _classes(self, scores: FloatArray) -> AnyArray:
        return self.classes_[(scores > 0).astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
