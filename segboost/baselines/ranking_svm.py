"""The linear ranking SVM, trained without listing pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from segboost._types import FloatArray, Slack
from segboost.baselines.cutting_plane import SVMCertificate, SVMCuttingPlane, SVMStep, drain
from segboost.baselines.rank_rounds import ordered_share
from segboost.storage.savable import Savable
from segboost.table_cells.label_values import refuse_odd_labels
from segboost.table_cells.time_values import refuse_time_columns
from segboost.tasks.ranking import RankingTask


class RankingSVM(Savable, BaseEstimator):
    """Linear scores that rank rows of higher level above rows of lower level.

    ``min ½‖θ‖² + C/|S| Σ_{(i,j)∈S} max(0, 1 − θ·(x_i − x_j))`` over all pairs S with y_i > y_j, to
    a certified gap. With two levels this is the SVM for the AUC. A round costs O(n log n + n d).
    Features are not scaled; scale them beforehand.

    Parameters
    ----------
    C : float
        Price of the mean loss per pair.
    gap : float
        Relative gap between the objective and its lower bound at which to stop.
    max_iterations : int
        Maximum number of cutting-plane rounds; a ConvergenceWarning is issued if they do not
        suffice.
    slack : "one", "each" or int
        Slack variables: a single one, one per pair, or that many blocks of pairs.
    callback : callable, optional
        Called with every SVMStep.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
    history_ : list of SVMStep
    certificate_ : SVMCertificate
    n_features_in_, n_iter_ : int

    References
    ----------
    T. Joachims, "A support vector method for multivariate performance measures", ICML 2005.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> RankingSVM(C=100).fit(X, [0, 0, 1, 1]).score(X, [0, 0, 1, 1])
    1.0
    """

    def __init__(
        self,
        C: float = 1.0,
        gap: float = 1e-3,
        max_iterations: int = 1000,
        slack: Slack = "one",
        callback: Callable[[SVMStep], object] | None = None,
    ) -> None:
        self.C = C
        self.gap = gap
        self.max_iterations = max_iterations
        self.slack = slack
        self.callback = callback

    def fit(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Learn from X, shape (n, d), and levels y, shape (n,); a pair has the weight w_i w_j."""
        refuse_time_columns(X)
        refuse_odd_labels(y)
        features, levels = validate_data(self, X, y, dtype=np.float64)
        _, ranks = np.unique(levels, return_inverse=True)
        task = RankingTask(features, ranks.astype(np.intp), sample_weight)
        solver = SVMCuttingPlane(
            task, self.C, self.gap, self.max_iterations, self.slack, centre=0.7
        )
        try:
            drain(solver, self.callback)
        finally:
            self.coef_: FloatArray = solver.theta.copy()
            self.history_: list[SVMStep] = solver.history
            self.certificate_: SVMCertificate = solver.certificate()
            self.n_iter_ = max(1, len(solver.history))
        return self

    def decision_function(self, X: npt.ArrayLike) -> FloatArray:
        """Return the score of every row, shape (n,); higher scores come first."""
        check_is_fitted(self)
        refuse_time_columns(X)
        features: FloatArray = validate_data(self, X, dtype=np.float64, reset=False)
        return features @ self.coef_

    def predict(self, X: npt.ArrayLike) -> FloatArray:
        """Return the scores, shape (n,), whose order is the prediction."""
        return self.decision_function(X)

    def score(self, X: npt.ArrayLike, y: npt.ArrayLike) -> float:
        """Return the fraction of pairs ordered correctly, ties ½: the AUC for two levels."""
        return ordered_share(self.decision_function(X), np.asarray(y))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
