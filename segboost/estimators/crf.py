"""CRF parameter learning with StructBoost."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from segboost._types import FloatArray, IntArray, Slack
from segboost.estimators.base import BaseStructBoost, Method
from segboost.estimators.training import Callback
from segboost.solver.atoms import Task
from segboost.tasks.crf import CRFInstance, CRFTask
from segboost.tasks.crf_classes import MulticlassCRFTask
from segboost.tasks.crf_instance import check_instances
from segboost.tasks.crf_label_costs import learn_label_costs
from segboost.tasks.crf_partial import learning_rounds
from segboost.tasks.crf_prediction import (
    CRFPrediction,
    by_appearance,
    check_potentials,
    class_labels,
    numbered,
    ranks,
)
from segboost.tasks.crf_unary import Unary, renumber_channels
from segboost.tasks.labelling_cache import CachedTask
from segboost.weak.base import WeakLearner
from segboost.weak.registry import with_jobs


class CRFStructBoost(CRFPrediction, BaseStructBoost):
    """Learn non-linear weights of the potentials of a CRF.

    Two classes: ``E(y) = Σ_p w1·Φ1(U(x^p, y_p)) + Σ_(p,q) w2·Φ2(V(x^p, x^q)) [y_p ≠ y_q]`` with
    weak learners Φ1 (in [−1, 1]) and Φ2 (in [0, 1]) and w ≥ 0, so that the energy stays submodular
    and a min-cut decodes it exactly. The criterion is
    ``min 1ᵀw + (C/m) Σ_i max_y [Δ(y_i, y) + E(y_i) − E(y)]`` with the Hamming loss, weighted
    by the instances' `node_weight` if given. Nodes labelled −1 have no loss and their labels are
    free; see `segboost.tasks.crf_partial`.

    With more than two classes, each class has its own unary learners,
    ``E(y) = Σ_p w1^{y_p}·Φ1(U(x^p)) + Σ_(p,q) w2·Φ2(V(x^p, x^q)) μ(y_p, y_q)``, and α-expansion
    decodes the energy approximately. The lower bound remains valid for the learners found, but the
    gap is an estimate, and `certificate_.exact` is False.

    Parameters
    ----------
    C : float
        Price of the mean loss per instance.
    n_iterations : int
        Maximum number of rounds; each adds at most one pairwise learner and, as a rule, at most
        one learner per unary channel (`SampledTrees` may add several).
    weak_learner : "stump", "tree", "ramp" or WeakLearner
        For the unary potentials. Ramps add up to smooth functions, including linear ones.
    pairwise_learner : "stump", "tree", "ramp" or WeakLearner
        For the pairwise potentials; each of them can choose the constant learner (Potts).
    slack : "auto", "one", "each" or int
        Slack variables: a single one, one per instance, or that many blocks. The optimum is the
        same; "auto" uses one per instance up to 5,000, then 5,000 blocks.
    fit_intercept : bool
        Whether the unary learners also get a constant feature: a bias towards one label.
    label_costs : array-like of shape (K, K) or "learned", optional
        μ, the cost factor of each pair of neighbouring classes, in the order of `classes_`: 1 for
        any two different ones by default. Symmetric, non-negative and zero on its diagonal; if it
        is not a metric, αβ-swaps replace the expansions. "learned", for more than two classes:
        after a fit with equal factors the best metric is learned (see
        `segboost.tasks.crf_label_costs`), and the CRF is fitted again with it.
    unary : "classwise", "shared", "both" or "raw"
        For more than two classes. "classwise": every class has its own learners of all unary
        potentials. "shared": the unary potentials are scores of the classes, such as the
        log-probabilities of a classifier; the columns are one or more groups, each with one score
        for class 0, 1, 2, … All classes then share the learners, which see the scores of the
        class in question, and each class has a bias: far fewer learners, for data with few
        examples per class. "both" has both kinds of learners. "raw", also for two classes: the
        unary potentials are raw features, and the learners, usually `SampledTrees`, are functions
        of their values.
    n_classes : int, optional
        Number of scores in a group of "shared" or "both"; the largest label + 1 by default.
    labelling_cache : int, optional
        Number of labellings to keep for every graph and to try before inference. The optimum is
        the same. It saves inference if `slack` is "one" or a few blocks; with one slack per graph
        the master keeps these labellings anyway.
    gap : float
        Final relative gap of the cutting planes.
    epsilon_cg, epsilon_cp, method, n_jobs, warm_start, random_state, callback, checkpoint
        As in `StructBoostClassifier`.

    Attributes
    ----------
    classes_ : ndarray of int, shape (K,)
        0 and 1, or, if there are other labels, those that occur in the training data.
    label_costs_ : ndarray of shape (K, K) or None
        μ, if it was learned.
    ensemble_ : Ensemble
        Channel 0 holds the unary learners, channel 1 the pairwise ones. With more than two
        classes, there is a unary channel per class (see `segboost.tasks.crf_unary` for others),
        and the last channel is the pairwise one.
    history_ : list of Step
    certificate_ : Certificate
    n_unary_in_, n_pairwise_in_, n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> def chain():
    ...     labels = (np.arange(20) >= rng.integers(5, 15)).astype(int)
    ...     unary = np.column_stack([1 - 2 * labels + rng.normal(0, 1.5, 20)])
    ...     edges = np.column_stack([np.arange(19), np.arange(1, 20)])
    ...     return CRFInstance(unary, edges, np.ones((19, 1)), labels)
    >>> model = CRFStructBoost(C=1, random_state=0).fit([chain() for _ in range(30)])
    >>> test = [chain() for _ in range(30)]
    >>> bool(np.mean([np.mean(model.predict(c) == c.labels) for c in test]) > 0.85)
    True
    """

    def __init__(
        self,
        C: float = 10.0,
        n_iterations: int = 50,
        weak_learner: str | WeakLearner = "stump",
        pairwise_learner: str | WeakLearner = "stump",
        slack: Slack | Literal["auto"] = "auto",
        fit_intercept: bool = True,
        gap: float = 1e-2,
        epsilon_cg: float = 1e-3,
        epsilon_cp: float | None = None,
        method: Method = "default",
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        label_costs: npt.ArrayLike | Literal["learned"] | None = None,
        unary: Unary = "classwise",
        n_classes: int | None = None,
        labelling_cache: int | None = None,
    ) -> None:
        super().__init__(
            C=C,
            n_iterations=n_iterations,
            weak_learner=weak_learner,
            slack=slack,
            gap=gap,
            epsilon_cg=epsilon_cg,
            epsilon_cp=epsilon_cp,
            method=method,
            n_jobs=n_jobs,
            warm_start=warm_start,
            random_state=random_state,
            callback=callback,
            checkpoint=checkpoint,
        )
        self.pairwise_learner = pairwise_learner
        self.fit_intercept = fit_intercept
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
        """Learn from labelled graphs.

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
        self.n_unary_in_ = checked[0].unary.shape[1]
        self.n_pairwise_in_ = checked[0].pairwise.shape[1]
        self.label_costs_ = None
        self.classes_ = class_labels(checked)
        self._renumber(by_appearance(checked, self.classes_))
        try:
            self._learn_rounds(numbered(checked, self.classes_), sample_weight)
        finally:
            self._renumber(np.sort(self.classes_))
        return self

    def _learn_rounds(
        self, instances: Sequence[CRFInstance], sample_weight: npt.ArrayLike | None
    ) -> None:
        rounds = learning_rounds(instances, sample_weight, self.energy_terms, self._factor())
        number = 0
        for number, (last, last_weight) in enumerate(rounds):
            self._learn(last, last_weight, number)
            if self.certificate_.reason == "interrupted":
                return
        if self._costs_to_learn and len(self.classes_) > 2:
            terms = [self.energy_terms(i) for i in last]
            self.label_costs_ = learn_label_costs(last, terms, self.C, last_weight)
            self._learn(last, last_weight, number + 1)

    def _renumber(self, classes: IntArray) -> None:
        """Reorder the classes, and the learned parameters with them."""
        if np.array_equal(classes, self.classes_):
            return
        # The new number of each class in the old order.
        rank = np.argsort(classes)[ranks(self.classes_)]
        place = np.argsort(rank)
        if self.label_costs_ is not None:
            self.label_costs_ = self.label_costs_[np.ix_(place, place)]
        if hasattr(self, "ensemble_"):
            old = self.ensemble_
            channel = renumber_channels(old.channel, rank, self.unary, self.fit_intercept)
            self.ensemble_ = replace(old, channel=channel)
        self.classes_ = classes

    def _learn(
        self, instances: Sequence[CRFInstance], sample_weight: FloatArray | None, number: int
    ) -> None:
        task = self._task(instances, sample_weight)
        size = self.labelling_cache
        self._fit_task(task if size is None else CachedTask(task, size), number)

    def energy_terms(self, instance: CRFInstance) -> tuple[FloatArray, FloatArray]:
        """Return the learned energy terms: θ, shape (P, K), and the edge costs, shape (E,)."""
        check_is_fitted(self)
        check_potentials(instance, self.n_unary_in_, self.n_pairwise_in_)
        task = self._task([replace(instance, labels=None)])
        return task.energies(self._atom_scores(task))

    def _task(
        self, instances: Sequence[CRFInstance], sample_weight: npt.ArrayLike | None = None
    ) -> CRFTask | MulticlassCRFTask:
        if self._binary:
            return CRFTask(instances, sample_weight, self.fit_intercept)
        return MulticlassCRFTask(
            instances,
            len(self.classes_),
            sample_weight,
            self.fit_intercept,
            self._factor(),
            self.unary,
            self.classes_,
            self.n_classes,
        )

    def _learners(self, task: Task) -> list[WeakLearner]:
        n_unary = len(task.channels) - 1
        given = (*[self.weak_learner] * n_unary, self.pairwise_learner)
        return [with_jobs(learner, self.n_jobs) for learner in given]
