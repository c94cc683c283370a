"""The multi-class classifier."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from segboost._types import AnyArray, FloatArray, IntArray, Slack
from segboost.estimators.base import Method
from segboost.estimators.boosted_scores import BoostedScores
from segboost.estimators.probabilities import class_probabilities, fit_slope, out_of_fold
from segboost.estimators.table_input import TableInput
from segboost.estimators.training import Callback
from segboost.tasks.label_codes import LabelCodeTask
from segboost.tasks.multiclass import MulticlassTask, binary_task
from segboost.weak.base import WeakLearner


def _wants_probability(model: Any) -> bool:
    if not model.probability:
        raise AttributeError("predict_proba is only available with probability=True")
    return True


class CodedClassifier(ClassifierMixin, TableInput):
    """Base of the flat and the hierarchical classifier, which use label codes.

    Subclasses build the task from their data (`_task`).
    """

    classes_: AnyArray
    slope_: float
    probability: bool
    boosted_trees: int

    def _task(self, X: Any, y: IntArray | None, sample_weight: Any = None) -> Any:
        """Return the task for these rows, with or without labels (class indices)."""
        raise AssertionError("subclasses build the task")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from X, shape (m, d), and class names y, shape (m,).

        Parameters
        ----------
        X : array-like or data frame of shape (m, d)
            Missing values and text categories are encoded, see `TableEncoder`. SciPy sparse
            matrices stay sparse; trees, ramps and `boosted_trees` do not accept them.
        y : array-like of shape (m,)
            Class names: text, numbers or booleans.
        sample_weight : array-like of shape (m,), optional
            Only ratios matter; a weight of 2 is equivalent to two copies of the row.
        """
        rows, codes = self.prepare(X, y, sample_weight)
        return self.fit_prepared(rows, codes, sample_weight)

    def prepare(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[AnyArray, IntArray]:
        """Return the numbers that `fit` learns from, and the classes as codes from 0.

        The first half of `fit`: encodes the table, learns `boosted_trees` and appends their
        scores. Several fits that differ in C or `n_iterations` can share it.
        """
        X, y = self._training_rows(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has only one class ({self.classes_[0]!r}); a classifier needs at least two"
            )
        codes = codes.astype(np.intp)
        return self._with_training_scores(X, codes, sample_weight), codes

    def fit_prepared(self, rows: AnyArray, codes: IntArray, sample_weight: Any) -> Self:
        """Learn from the result of `prepare`: the second half of `fit`."""
        self._fit_task(self._task(rows, codes, sample_weight))
        if self.probability:
            self.slope_ = self._calibrate(rows, codes, sample_weight)
        return self

    def _with_training_scores(self, X: AnyArray, codes: IntArray, sample_weight: Any) -> AnyArray:
        """Append the scores of trees that did not see the rows; keep the trees in `scores_`."""
        self.scores_ = None
        n_trees = self.boosted_trees
        if isinstance(n_trees, bool) or not isinstance(n_trees, (int, np.integer)) or n_trees < 0:
            raise ValueError(f"boosted_trees must be a whole number ≥ 0, got {n_trees!r}")
        if not n_trees:
            return X
        if self.warm_start:
            raise ValueError("warm_start cannot be combined with boosted_trees: set one of them")
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        k = len(self.classes_)
        self.scores_, found = BoostedScores.fit(X, codes, k, int(n_trees), weight)
        return np.hstack([X, found])

    def decision_function(self, X: Any) -> FloatArray:
        """Return F(x, y), shape (m, k); for two classes F(x, 1) − F(x, 0), shape (m,)."""
        task = self._prediction_task(X)
        return self._decision(task, self._atom_scores(task))

    @available_if(_wants_probability)
    def predict_proba(self, X: Any) -> FloatArray:
        """Return class probabilities, shape (m, k); only with ``probability=True``.

        softmax(a·F(x)): the slope a was fitted to the decisions of models that did not see the
        row. The most probable class is the predicted one.
        """
        return class_probabilities(self.decision_function(X), self.slope_)

    def predict(self, X: Any) -> AnyArray:
        """Return the highest-scoring class of every row, shape (m,)."""
        task = self._prediction_task(X)
        return self.classes_[task.decode(self._atom_scores(task))]

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the decision values of the model after every round."""
        task = self._prediction_task(X)
        for scores in self.ensemble_.staged_scores([c.features for c in task.channels]):
            yield self._decision(task, self._atom_scores(task, scores))

    def staged_predict(self, X: Any) -> Iterator[AnyArray]:
        """Yield the predictions of the model after every round."""
        task = self._prediction_task(X)
        for scores in self.ensemble_.staged_scores([c.features for c in task.channels]):
            yield self.classes_[task.decode(self._atom_scores(task, scores))]

    @property
    def feature_importances_(self) -> FloatArray:
        """Each feature's share of the total weight w, shape (d,); sums to 1 unless w = 0."""
        check_is_fitted(self)
        total = np.sum(
            [
                self.ensemble_.importances(c, self._n_codes)
                for c in range(self.ensemble_.n_channels)
            ],
            axis=0,
        )
        total = self._by_column(total)
        return total / total.sum() if total.sum() > 0 else total

    def _calibrate(self, X: AnyArray, codes: IntArray, sample_weight: Any) -> float:
        """Return the slope of the probabilities, from fits without a third of the rows each."""
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        plain = {"probability": False, "callback": None, "checkpoint": None, "warm_start": False}
        # The scores of boosted trees, if any, are columns of X already.
        model = clone(self).set_params(**plain, boosted_trees=0)
        rows, decisions = out_of_fold(lambda: clone(model), X, self.classes_[codes], weight)
        return fit_slope(decisions, codes[rows], None if weight is None else weight[rows])

    def _prediction_task(self, X: Any) -> Any:
        rows = self._new_rows(X)
        if self.scores_ is not None:
            rows = np.hstack([rows, self.scores_.scores(rows)])
        return self._task(rows, None)

    def _decision(self, task: Any, scores: FloatArray) -> FloatArray:
        by_class = task.class_scores(scores)
        return by_class[:, 1] - by_class[:, 0] if by_class.shape[1] == 2 else by_class


class StructBoostClassifier(CodedClassifier):
    """Multi-class boosting with a max-margin criterion and a certificate.

    ``min 1ᵀw + (C/m) Σ_i max_y [Δ(y_i, y) − w·δψ_i(y)]`` with ψ(x, y) = φ(x) ⊗ Γ(y): every class
    has its own weak learners. With two classes this is LPBoost.

    Parameters
    ----------
    C : float
        Price of slack; larger values fit the training data more closely. If C is so small that
        w = 0 is optimal, a warning is issued.
    n_iterations : int
        Maximum number of rounds; each adds at most one weak learner per class (sampled trees:
        several).
    weak_learner : "stump", "tree", "perceptron", "svm", "ramp", "sigmoid", "sampled trees" or \
WeakLearner
    slack : "auto", "one", "each" or int
        Slack variables: a single one, one per example, or that many blocks of examples. The
        optimum is the same; "auto" uses one per example up to 5,000, then 5,000 blocks.
    gap : float
        Final relative gap of the cutting planes.
    epsilon_cg : float
        The fit ends when no new column scores more than 1 + epsilon_cg.
    epsilon_cp : float, optional
        The paper's absolute precision of the cutting planes, instead of the relative gap.
    cost_matrix : array-like of shape (k, k), optional
        Δ(y, y') with the classes in sorted order; 0/1 by default.
    method : "default" or "literal"
        "literal" is the paper's algorithm with its misprints corrected, for reference: it reaches
        the same optimum more slowly.
    n_jobs : int, optional
        Threads used to search for perceptrons, sigmoids and SVMs; it does not affect the model.
    warm_start : bool
        Whether another fit starts with the columns of the last one; `n_iterations` then counts
        the rounds of both.
    random_state : int, RandomState, Generator or None
        Breaks ties in the loss when the first outputs are chosen.
    callback : callable, optional
        Called with the `Step` of every round; returning True ends the fit.
    checkpoint : path, optional
        A folder written after every round. If it exists, the fit resumes from it and ends with
        the same model as an uninterrupted fit.
    probability : bool
        Whether `predict_proba` is available. It takes three more fits, each without a third of
        the rows; the model itself does not change.
    boosted_trees : int
        Rounds of gradient-boosted trees whose class scores become additional features; 0 for
        none. Training rows get scores from trees that did not see them. With
        ``weak_learner="sigmoid"`` and few rounds this is fast and accurate on most tables.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
    ensemble_ : Ensemble
    history_ : list of Step
    certificate_ : Certificate
    feature_importances_ : ndarray of shape (d,)
    n_features_in_, n_iter_ : int

    Notes
    -----
    Margins are not probabilities: ``predict_proba`` needs ``probability=True``, or wrap the
    estimator in scikit-learn's ``CalibratedClassifierCV``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = StructBoostClassifier(C=50, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    def __init__(
        self,
        C: float = 100.0,
        n_iterations: int = 200,
        weak_learner: str | WeakLearner = "stump",
        slack: Slack | Literal["auto"] = "auto",
        gap: float = 1e-3,
        epsilon_cg: float = 1e-3,
        epsilon_cp: float | None = None,
        cost_matrix: npt.ArrayLike | None = None,
        method: Method = "default",
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        probability: bool = False,
        boosted_trees: int = 0,
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
        self.cost_matrix = cost_matrix
        self.probability = probability
        self.boosted_trees = boosted_trees

    def _task(self, X: Any, y: IntArray | None, sample_weight: Any = None) -> LabelCodeTask:
        k = len(self.classes_)
        if k == 2 and self.cost_matrix is None:
            return binary_task(X, y, sample_weight)
        cost = None if self.cost_matrix is None else np.asarray(self.cost_matrix, dtype=np.float64)
        return MulticlassTask(X, y, k, cost, sample_weight)
