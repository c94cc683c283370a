"""The structured SVM for a binary CRF: linear weights of given potentials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from segboost._types import FloatArray, IntArray, Slack
from segboost.baselines.cutting_plane import CuttingPlane, SVMCertificate, SVMStep, drain
from segboost.graphs.graph import Graph
from segboost.graphs.min_marginals import min_marginals
from segboost.graphs.mincut import minimise
from segboost.storage.savable import Savable
from segboost.tasks.crf import CRFInstance, CRFTask, check_instances
from segboost.tasks.crf_partial import learning_rounds


class CRFStructuredSVM(Savable, BaseEstimator):
    """Linear weights for the potentials of a binary CRF, learned by a max-margin criterion.

    ``E(y) = Σ_p y_p (u·U(x^p) + b) + Σ_(p,q) (v·V(x^p, x^q) + c) [y_p ≠ y_q]`` with y = ±1. The
    unary weights u and b have any sign; the pairwise weights v and c are non-negative, so that
    the energy stays submodular and a minimum cut decodes it exactly. The criterion is
    ``min ½‖θ‖² + (C/m) Σ_i max_y [Δ(y_i, y) + E(y_i) − E(y)]`` with the Hamming loss.

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
    callback : callable, optional
        Called with every SVMStep.

    Attributes
    ----------
    unary_coef_ : ndarray of shape (K,)
    unary_intercept_ : float
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
    ) -> None:
        self.C = C
        self.gap = gap
        self.max_iterations = max_iterations
        self.slack = slack
        self.fit_intercept = fit_intercept
        self.callback = callback

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
            With labels, −1 for unknown ones, and the same numbers of potentials.
        y : None
            Ignored; the labels are part of the instances.
        sample_weight : array-like of shape (m,), optional
            Weights of the instances; only their ratios matter.
        """
        checked = check_instances(instances)
        if any(i.labels is None for i in checked):
            raise ValueError("fit needs labels for every instance")
        self._n_unary, self._n_pairwise = checked[0].unary.shape[1], checked[0].pairwise.shape[1]
        for part, weight in learning_rounds(checked, sample_weight, self.energy_terms):
            self._learn(part, weight)
        return self

    def _learn(self, instances: Sequence[CRFInstance], sample_weight: FloatArray | None) -> None:
        if self.fit_intercept:
            instances = [_with_potts(i) for i in instances]
        task = CRFTask(instances, sample_weight, self.fit_intercept)
        solver = CuttingPlane(task, self.C, self.gap, self.max_iterations, self.slack, centre=0.6)
        try:
            drain(solver, self.callback)
        finally:
            self._keep(solver)

    def predict(self, instance: CRFInstance) -> IntArray:
        """Return the labels of minimum energy, shape (P,); ties go to label 0."""
        return minimise(*self._energy(instance)).astype(np.intp)

    def score_nodes(self, instance: CRFInstance) -> FloatArray:
        """Return the foreground score of every node, shape (P,): its exact min-marginal.

        ``min_{y: y_p = 0} E(y) − min_{y: y_p = 1} E(y)``; positive if the prediction is 1.
        """
        return min_marginals(*self._energy(instance))

    def energy_terms(self, instance: CRFInstance) -> tuple[FloatArray, FloatArray]:
        """Return the learned energy terms: θ, shape (P, 2), and the edge costs, shape (E,)."""
        _, theta, capacity = self._energy(instance)
        return theta, capacity

    def _energy(self, instance: CRFInstance) -> tuple[Graph, FloatArray, FloatArray]:
        check_is_fitted(self)
        for name, expected in (("unary", self._n_unary), ("pairwise", self._n_pairwise)):
            found = getattr(instance, name).shape[1]
            if found != expected:
                raise ValueError(
                    f"instance has {found} {name} potentials, the model was fitted with {expected}"
                )
        positive = instance.unary @ self.unary_coef_ + self.unary_intercept_
        capacity = instance.pairwise @ self.pairwise_coef_ + self.pairwise_intercept_
        graph = Graph(instance.n_nodes, instance.edges)
        return graph, np.column_stack([-positive, positive]), capacity

    def _keep(self, solver: CuttingPlane) -> None:
        unary, pairwise = np.split(solver.theta, solver.map.columns[1:-1])
        K, L = self._n_unary, self._n_pairwise
        self.unary_coef_, self.pairwise_coef_ = unary[:K].copy(), pairwise[:L].copy()
        self.unary_intercept_ = float(unary[K:].sum())
        self.pairwise_intercept_ = float(pairwise[L:].sum())
        self.history_: list[SVMStep] = solver.history
        self.certificate_: SVMCertificate = solver.certificate()
        self.n_iter_ = max(1, len(solver.history))


def _with_potts(instance: CRFInstance) -> CRFInstance:
    """Return the instance with a constant pairwise potential appended."""
    ones = np.ones((instance.n_edges, 1))
    return replace(instance, pairwise=np.hstack([instance.pairwise, ones]))
