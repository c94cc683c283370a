"""The structured SVM for chains: linear emissions and free transitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from segboost._types import FloatArray, Slack
from segboost.baselines.cutting_plane import SVMCertificate, SVMCuttingPlane, SVMStep, drain
from segboost.storage.savable import Savable
from segboost.tasks.chain import ChainTask
from segboost.tasks.chain_prediction import ChainPrediction


class ChainStructuredSVM(ChainPrediction, Savable, BaseEstimator):
    """Linear sequence labelling, learned by a max-margin criterion.

    ``F(x, y) = Σ_t (u_{y_t}·x_t + b_{y_t}) + Σ_{t>1} r[y_{t−1}, y_t]``, decoded by Viterbi. The
    criterion is ``min ½‖θ‖² + (C/m) Σ_i max_y [Δ(y_i, y) + F(x_i, y) − F(x_i, y_i)]``, where Δ
    counts wrong tokens.

    Parameters
    ----------
    C : float
        Price of the mean number of wrong tokens per sequence.
    gap : float
        Relative gap between the objective and its lower bound at which to stop.
    max_iterations : int
        Maximum number of cutting-plane rounds; a ConvergenceWarning is issued if they do not
        suffice.
    slack : "one", "each" or int
        Slack variables: a single one, one per sequence, or that many blocks.
    callback : callable, optional
        Called with every SVMStep.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Sorted.
    class_order_ : ndarray of int, shape (K,)
        Index into `classes_` of each label, in the order of first appearance in training.
    coef_ : ndarray of shape (K, d)
    intercept_ : ndarray of shape (K,)
        Regularised like the other weights.
    transition_ : ndarray of shape (K, K)
        r, from row to column, of any sign.
    history_ : list of SVMStep
    certificate_ : SVMCertificate
    n_features_in_, n_iter_ : int
    """

    def __init__(
        self,
        C: float = 1.0,
        gap: float = 1e-2,
        max_iterations: int = 500,
        slack: Slack = "each",
        callback: Callable[[SVMStep], object] | None = None,
    ) -> None:
        self.C = C
        self.gap = gap
        self.max_iterations = max_iterations
        self.slack = slack
        self.callback = callback

    def fit(
        self,
        X: Sequence[npt.ArrayLike],
        y: Sequence[npt.ArrayLike],
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from labelled sequences; see `ChainStructBoost.fit`."""
        arrays, labels = self._start_fit(X, y)
        k = len(self.classes_)
        task = ChainTask(arrays, labels, k, sample_weight, fit_intercept=True)
        solver = SVMCuttingPlane(
            task, self.C, self.gap, self.max_iterations, self.slack, nonnegative_binary=False
        )
        try:
            drain(solver, self.callback)
        finally:
            self._keep(solver, k)
        return self

    def _ordered_scores(self, sequence: FloatArray) -> tuple[FloatArray, FloatArray]:
        order = self.class_order_
        # Reorder before the product, whose last bits may depend on the column order.
        emission = sequence @ self.coef_[order].T + self.intercept_[order]
        return emission, self.transition_[np.ix_(order, order)]

    def _keep(self, solver: SVMCuttingPlane, n_classes: int) -> None:
        *emission, transition = np.split(solver.theta, solver.map.columns[1:-1])
        place = np.argsort(self.class_order_)
        self.coef_ = np.array([part[:-1] for part in emission])[place]
        self.intercept_ = np.array([part[-1] for part in emission])[place]
        self.transition_ = transition.reshape(n_classes, n_classes)[np.ix_(place, place)]
        self.history_: list[SVMStep] = solver.history
        self.certificate_: SVMCertificate = solver.certificate()
        self.n_iter_ = max(1, len(solver.history))
