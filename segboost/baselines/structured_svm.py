"""The multi-class structured SVM of Crammer and Singer, with any cost matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from segboost._types import AnyArray, FloatArray, Slack
from segboost.baselines.class_scores import table_scores
from segboost.baselines.cutting_plane import SVMCertificate, SVMCuttingPlane, SVMStep, drain
from segboost.storage.savable import Savable
from segboost.table_cells.label_values import refuse_odd_labels
from segboost.table_cells.time_values import refuse_time_columns
from segboost.tasks.multiclass import MulticlassTask


class StructuredSVMClassifier(ClassifierMixin, Savable, BaseEstimator):
    """Multi-class linear classifier that minimises the structured hinge loss.

    ``min ½‖θ‖² + (C/m) Σ_i max_y [Δ(y_i, y) + θ_y·x_i − θ_{y_i}·x_i]``, to a certified gap.
    Features are not scaled; scale them beforehand.

    Parameters
    ----------
    C : float
        Price of the mean loss.
    gap : float
        Relative gap between the objective and its lower bound at which to stop.
    max_iterations : int
        Maximum number of cutting-plane rounds; a ConvergenceWarning is issued if they do not
        suffice.
    slack : "one", "each" or int
        Slack variables: a single one, one per example, or that many blocks. The optimum is the
        same; a single one is fastest here.
    fit_intercept : bool
        Whether to append a constant feature. Its weights are regularised like the others.
    cost_matrix : array-like of shape (k, k), optional
        Δ(y, y') in the order of `classes_`; 0/1 by default.
    callback : callable, optional
        Called with every SVMStep.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
    coef_ : ndarray of shape (k, d)
    intercept_ : ndarray of shape (k,)
    history_ : list of SVMStep
    certificate_ : SVMCertificate
    n_iter_ : int

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> StructuredSVMClassifier(C=100).fit(X, list("aabb")).predict([[0.2], [2.9]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        C: float = 1.0,
        gap: float = 1e-3,
        max_iterations: int = 1000,
        slack: Slack = "one",
        fit_intercept: bool = True,
        cost_matrix: npt.ArrayLike | None = None,
        callback: Callable[[SVMStep], object] | None = None,
    ) -> None:
        self.C = C
        self.gap = gap
        self.max_iterations = max_iterations
        self.slack = slack
        self.fit_intercept = fit_intercept
        self.cost_matrix = cost_matrix
        self.callback = callback

    def fit(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Learn from m examples; an interrupted fit keeps the best weights so far.

        Parameters
        ----------
        X : array-like of shape (m, d)
        y : array-like of shape (m,)
            Class names of any type.
        sample_weight : array-like of shape (m,), optional
            Only their ratios matter.
        """
        refuse_time_columns(X)
        refuse_odd_labels(y)
        features, names = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(names)
        self.classes_, codes = np.unique(names, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y has only one class; a classifier needs at least two")
        cost = None if self.cost_matrix is None else np.asarray(self.cost_matrix, np.float64)
        task = MulticlassTask(
            self._design(features), codes, len(self.classes_), cost, sample_weight
        )
        solver = SVMCuttingPlane(
            task, self.C, self.gap, self.max_iterations, self.slack, centre=0.7
        )
        try:
            drain(solver, self.callback)
        finally:
            self._keep(solver)
        return self

    def decision_function(self, X: npt.ArrayLike) -> FloatArray:
        """Return F(x, y), shape (m, k); for two classes the difference, shape (m,)."""
        return table_scores(self._scores(X))

    def predict(self, X: npt.ArrayLike) -> AnyArray:
        """Return the highest-scoring class of every row."""
        scores = self._scores(X)
        return self.classes_[np.argmax(scores, axis=1)]

    def _scores(self, X: npt.ArrayLike) -> FloatArray:
        check_is_fitted(self)
        refuse_time_columns(X)
        features: FloatArray = validate_data(self, X, dtype=np.float64, reset=False)
        return features @ self.coef_.T + self.intercept_

    def _design(self, X: FloatArray) -> FloatArray:
        return np.column_stack([X, np.ones(len(X))]) if self.fit_intercept else X

    def _keep(self, solver: SVMCuttingPlane) -> None:
        theta = solver.theta.reshape(len(self.classes_), -1)
        d = self.n_features_in_
        self.coef_ = theta[:, :d].copy()
        self.intercept_ = theta[:, d].copy() if self.fit_intercept else np.zeros(len(theta))
        self.history_: list[SVMStep] = solver.history
        self.certificate_: SVMCertificate = solver.certificate()
        self.n_iter_ = max(1, len(solver.history))
