"""The structured SVM for a CRF: linear weights of given potentials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from segboost._types import FloatArray, Slack
from segboost.baselines.cutting_plane import SVMCertificate, SVMCuttingPlane, SVMStep, drain
from segboost.storage.savable import Savable
from segboost.tasks.crf import CRFInstance, CRFTask
from segboost.tasks.crf_classes import MulticlassCRFTask
from segboost.tasks.crf_instance import check_instances
from segboost.tasks.crf_label_costs import learn_label_costs
from segboost.tasks.crf_partial import learning_rounds
from segboost.tasks.crf_prediction import (
    CRFPrediction,
    check_potentials,
    class_labels,
    numbered,
)
from segboost.tasks.crf_unary import Unary
from segboost.tasks.labelling_cache import CachedTask


class CRFStructuredSVM(CRFPrediction, Savable, BaseEstimator):
    """Linear weights for the potentials of a CRF, learned by a max-margin criterion.

    Two classes: ``E(y) = Σ_p y_p (u·U(x^p) + b) + Σ_(p,q) (v·V(x^p, x^q) + c) [y_p ≠ y_q]`` with
    y = ±1. The unary weights u and b have any sign; the pairwise weights v and c are non-negative,
    so that the energy stays submodular and a minimum cut decodes it exactly. The criterion is
    ``min ½‖θ‖² + (C/m) Σ_i max_y [Δ(y_i, y) + E(y_i) − E(y)]`` with the Hamming loss.

    With more than two classes, each class has its own unary weights,
    ``Σ_p u_{y_p}·U(x^p) + b_{y_p}``, and α-expansion decodes the energy approximately; the gap is
    then an estimate, and `certificate_.exact` is False.

    Parameters
    ----------
    C : float
        Price of the mean loss per instance.
    gap : float
        Relative gap between the objective and its lower bound at which to stop.
    max_iterations : int
        Maximum number of cutting-plane rounds; a ConvergenceWarning is issued if they do not
        suffice.
    slack : "one", "each" or int
        Slack variables: a single one, one per instance, or that many blocks. The optimum is the
        same; one per instance needs the fewest passes over the graphs.
    fit_intercept : bool
        Whether to append constant potentials: the bias b of the nodes and the Potts term c of
        the edges. Both are regularised like the others. If there are no pairwise potentials, the
        Potts term is always added.
    label_costs : array-like of shape (K, K) or "learned", optional
        The cost factor of each pair of neighbouring classes, as in `CRFStructBoost`.
    unary, n_classes, labelling_cache
        As in `CRFStructBoost`: whether the classes share weights, and a cache of labellings.
    callback : callable, optional
        Called with every SVMStep.

    Attributes
    ----------
    classes_ : ndarray of int, shape (K,)
        0 and 1, or, if there are other labels, those that occur in the training data.
    label_costs_ : ndarray of shape (K, K) or None
        The cost factors, if they were learned.
    unary_coef_ : ndarray of shape (D,), or (K, D) for more than two classes
    unary_intercept_ : float, or ndarray of shape (K,)
    pairwise_coef_ : ndarray of shape (L,)
    pairwise_intercept_ : float
    history_ : list of SVMStep
    certificate_ : SVMCertificate
    n_iter_ : int
    """

    def __init__(
        self,
        C: float = 1.0,
        gap: float = 1e-2,
        max_iterations: int = 500,
        slack: Slack = "each",
        fit_intercept: bool = True,
        callback: Callable[[SVMStep], object] | None = None,
        label_costs: npt.ArrayLike | Literal["learned"] | None = None,
        unary: Unary = "classwise",
        n_classes: int | None = None,
        labelling_cache: int | None = None,
    ) -> None:
        self.C = C
        self.gap = gap
        self.max_iterations = max_iterations
        self.slack = slack
        self.fit_intercept = fit_intercept
        self.callback = callback
        self.label_costs = label_costs
        self.unary = unary
        self.n_classes = n_classes
        self.labelling_cache = labelling_cache

    def fit(
        self,
        instances: Sequence[CRFInstance],
        y: None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from labelled graphs; an interrupted fit keeps the best weights so far.

        Parameters
        ----------
        instances : sequence of CRFInstance
            With labels 0, 1, 2, … (−1 for unknown ones) and the same numbers of potentials.
        y : None
            Ignored; the labels are part of the instances.
        sample_weight : array-like of shape (m,), optional
            Weights of the instances; only their ratios matter.
        """
        checked = check_instances(instances)
        if any(i.labels is None for i in checked):
            raise ValueError(
                "instances must have labels to be fitted; at least one has labels=None"
            )
        self._n_unary, self._n_pairwise = checked[0].unary.shape[1], checked[0].pairwise.shape[1]
        self.classes_ = class_labels(checked)
        self.label_costs_ = None
        rounds = learning_rounds(
            numbered(checked, self.classes_), sample_weight, self.energy_terms, self._factor()
        )
        for last, last_weight in rounds:
            if self._learn(last, last_weight):
                return self
        if self._costs_to_learn and len(self.classes_) > 2:
            terms = [self.energy_terms(i) for i in last]
            self.label_costs_ = learn_label_costs(last, terms, self.C, last_weight)
            self._learn(last, last_weight)
        return self

    def _learn(self, instances: Sequence[CRFInstance], sample_weight: FloatArray | None) -> bool:
        """Solve one problem and keep its weights; return whether it was interrupted."""
        if self.fit_intercept:
            instances = [_with_potts(i) for i in instances]
        task: CRFTask | MulticlassCRFTask
        if self._binary:
            task = CRFTask(instances, sample_weight, self.fit_intercept)
        else:
            task = MulticlassCRFTask(
                instances,
                len(self.classes_),
                sample_weight,
                self.fit_intercept,
                self._factor(),
                self.unary,
                self.classes_,
                self.n_classes,
            )
        solver = SVMCuttingPlane(
            task if self.labelling_cache is None else CachedTask(task, self.labelling_cache),
            self.C,
            self.gap,
            self.max_iterations,
            self.slack,
            centre=0.6,
        )
        try:
            return drain(solver, self.callback)
        finally:
            self._keep(solver)

    def energy_terms(self, instance: CRFInstance) -> tuple[FloatArray, FloatArray]:
        """Return the learned energy terms: θ, shape (P, K), and the edge costs, shape (E,)."""
        check_is_fitted(self)
        check_potentials(instance, self._n_unary, self._n_pairwise)
        theta = instance.unary @ self.unary_coef_.T + self.unary_intercept_
        if self._binary:
            theta = np.column_stack([-theta, theta])
        return theta, instance.pairwise @ self.pairwise_coef_ + self.pairwise_intercept_

    def _keep(self, solver: SVMCuttingPlane) -> None:
        coef, intercept, pairwise = self._weights(solver)
        L = self._n_pairwise
        self.unary_coef_ = coef[0] if self._binary else coef
        self.unary_intercept_ = float(intercept[0]) if self._binary else intercept
        self.pairwise_coef_ = pairwise[:L].copy()
        self.pairwise_intercept_ = float(pairwise[L:].sum())
        self.history_: list[SVMStep] = solver.history
        self.certificate_: SVMCertificate = solver.certificate()
        self.n_iter_ = max(1, len(solver.history))

    def _weights(self, solver: SVMCuttingPlane) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the unary weights, shape (K, D), the biases, shape (K,), and the edge weights.

        Shared weights appear in the row of every class, at the columns of that class's scores.
        """
        D, K = self._n_unary, 1 if self._binary else len(self.classes_)
        coef, intercept = np.zeros((K, D)), np.zeros(K)
        parts = dict(
            zip(
                [c.name for c in solver.task.channels],
                np.split(solver.theta, solver.map.columns[1:-1]),
                strict=True,
            )
        )
        for k in range(K):
            own = parts.get("unary" if self._binary else f"class {k}", np.zeros(0))
            coef[k, : len(own[:D])] = own[:D]
            intercept[k] = own[D:].sum() + parts.get(f"bias {k}", np.zeros(1)).sum()
        if not self._binary and "unary" in parts:
            coef[1] = parts["unary"]
        if "shared" in parts:
            width = D // len(parts["shared"])
            for k, column in enumerate(self.classes_):
                coef[k, column::width] += parts["shared"]
        return coef, intercept, parts["pairwise"]


def _with_potts(instance: CRFInstance) -> CRFInstance:
    """Return the instance with a constant pairwise potential appended."""
    ones = np.ones((instance.n_edges, 1))
    return replace(instance, pairwise=np.hstack([instance.pairwise, ones]))
