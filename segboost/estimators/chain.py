"""Sequence labelling with StructBoost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy.typing as npt

from segboost._types import FloatArray, IntArray
from segboost.estimators.base import BaseStructBoost
from segboost.solver.atoms import Task
from segboost.tasks.chain import ChainTask
from segboost.tasks.chain_prediction import ChainPrediction
from segboost.weak.base import WeakLearner
from segboost.weak.registry import with_jobs


class ChainStructBoost(ChainPrediction, BaseStructBoost):
    """Label the tokens of sequences, with learned transitions between labels.

    ``F(x, y) = Σ_t Σ_j w_j^{y_t} φ_j(x_t) + Σ_{t>1} r[y_{t−1}, y_t]``: every label has its own weak
    learners, and r is learned with them. Viterbi decodes F exactly, with and without the loss, so
    that the certificate is a proof if the weak learners are exact.

    Parameters
    ----------
    C : float
        Price of the mean number of wrong tokens per sequence.
    n_iterations : int
        Maximum number of rounds; each adds at most one learner per label (sampled trees: several)
        and one transition.
    weak_learner : str or WeakLearner
        For the emissions, as in `StructBoostClassifier`. Transitions are always stumps on pairs of
        labels.
    slack, gap, epsilon_cg, epsilon_cp, method, n_jobs, warm_start : various
        As in `StructBoostClassifier`; an example is a sequence.
    random_state, callback, checkpoint : various
        As in `StructBoostClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Sorted.
    class_order_ : ndarray of int, shape (K,)
        Index into `classes_` of each label, in the order of first appearance in training.
    ensemble_ : Ensemble
        One channel per label, in the order of `class_order_`, then one for the transitions.
    history_ : list of Step
    certificate_ : Certificate
    n_features_in_, n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = [np.cumsum(rng.random(30) < 0.1) % 2 for _ in range(20)]
    >>> X = [labels[:, None] + rng.normal(0, 0.8, (30, 1)) for labels in y]
    >>> model = ChainStructBoost(C=5, n_iterations=10, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    """

    def fit(
        self,
        X: Sequence[npt.ArrayLike],
        y: Sequence[npt.ArrayLike],
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from labelled sequences.

        Parameters
        ----------
        X : sequence of array-like of shape (T_i, d)
        y : sequence of array-like of shape (T_i,)
        sample_weight : array-like of shape (m,), optional
            Weights of the sequences; only their ratios matter.
        """
        arrays, labels = self._start_fit(X, y)
        return self._fit_task(ChainTask(arrays, labels, len(self.classes_), sample_weight))

    def _ordered_scores(self, sequence: FloatArray) -> tuple[FloatArray, FloatArray]:
        task = ChainTask([sequence], None, len(self.classes_))
        return task.split(self._atom_scores(task))

    def _known_order(self) -> IntArray | None:
        # The channels of the earlier fit follow its label order.
        return self.class_order_ if self.warm_start and hasattr(self, "ensemble_") else None

    def _learners(self, task: Task) -> list[WeakLearner]:
        emission = with_jobs(self.weak_learner, self.n_jobs)
        return [*[emission] * (len(task.channels) - 1), with_jobs("stump", None)]
