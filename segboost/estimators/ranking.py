"""Ranking estimators: the AUC (and any ranking) and ordinal regression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self, cast

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from segboost._types import AnyArray, FloatArray, IntArray, Slack
from segboost.estimators.table_input import TableInput
from segboost.estimators.thresholds import rank_thresholds
from segboost.solver.atoms import Task
from segboost.tasks.ranking import RankingTask

AUTO_BLOCKS = 10


class _PairwiseEstimator(TableInput):
    """Base of the ranker and the ordinal regressor: one score, learned from ordered pairs."""

    def _scores(self, X: Any) -> FloatArray:
        """Return f(x) of every row, shape (n,)."""
        X = self._new_rows(X)
        return self.ensemble_.scores([X])[0]

    def _staged_scores(self, X: Any) -> Iterator[FloatArray]:
        """Yield the scores of the model after every round."""
        X = self._new_rows(X)
        for (scores,) in self.ensemble_.staged_scores([X]):
            yield scores

    @property
    def feature_importances_(self) -> FloatArray:
        """Each feature's share of the total weight w, shape (d,); sums to 1 unless w = 0."""
        check_is_fitted(self)
        total = self._by_column(self.ensemble_.importances(0, self._n_codes))
        return total / total.sum() if total.sum() > 0 else total

    def _auto_slack(self, task: Task) -> Slack:
        """Return a few blocks: as cheap to separate as one, and far more informative."""
        return min(AUTO_BLOCKS, cast(RankingTask, task).n_upper)


class StructBoostRanker(_PairwiseEstimator):
    """Boosting that optimises the order of pairs: the area under the ROC curve for two classes.

    ``min 1ᵀw + C/|S| Σ_{(i,j)∈S} max(0, 1 − (f(x_i) − f(x_j)))`` over all pairs S with y_i > y_j.
    A call of the separation oracle costs O(n log n): the pairs are not listed unless `slack` is
    "each".

    Parameters
    ----------
    C : float
        Price of slack; larger values fit the training data more closely.
    n_iterations : int
        Maximum number of rounds; each adds at most one weak learner (sampled trees: several).
    weak_learner : "stump", "tree", "perceptron", "svm", "ramp", "sigmoid", "sampled trees" or \
WeakLearner
    slack : "auto", "one", "each" or int
        Slack variables: a single one, one per pair, or that many blocks of pairs (by their upper
        example). The optimum is the same; "auto" uses at most 10 blocks.
    gap, epsilon_cg, epsilon_cp, method, n_jobs, warm_start, random_state, callback, checkpoint
        As in `StructBoostClassifier`.

    Attributes
    ----------
    ensemble_ : Ensemble
    history_ : list of Step
    certificate_ : Certificate
    feature_importances_ : ndarray of shape (d,)
    n_features_in_, n_iter_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import roc_auc_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = StructBoostRanker(C=30, n_iterations=20, random_state=0).fit(X[::2], y[::2])
    >>> roc_auc_score(y[1::2], model.predict(X[1::2])) > 0.97
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn to order the rows of X, shape (n, d), by y, shape (n,), highest first.

        y holds numbers, or two class names of any type (the second in sorted order ranks
        higher). The weight of a pair is the product of its two sample weights.
        """
        X, y = self._training_rows(X, y)
        _, ranks = np.unique(y, return_inverse=True)
        return self._fit_task(RankingTask(X, ranks.astype(np.intp), sample_weight))

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score of every row, shape (n,); higher scores come first."""
        return self._scores(X)

    def predict(self, X: Any) -> FloatArray:
        """Return the score of every row, shape (n,); higher scores come first."""
        return self._scores(X)

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the scores of the model after every round."""
        yield from self._staged_scores(X)

    def staged_predict(self, X: Any) -> Iterator[FloatArray]:
        """Yield the scores of the model after every round."""
        yield from self._staged_scores(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the fraction of pairs ordered correctly (the AUC for two classes), ties half."""
        scores = self._scores(X)
        _, ranks = np.unique(np.asarray(y), return_inverse=True)
        weight = np.ones(len(scores)) if sample_weight is None else np.asarray(sample_weight)
        return pair_accuracy(scores, ranks, weight)


class StructBoostOrdinal(ClassifierMixin, _PairwiseEstimator):
    """Ordinal regression: classes in sorted order are ranks, learned from all pairs of ranks.

    The score orders the examples. Thresholds between the ranks, chosen afterwards to minimise the
    mean absolute rank error on the training data, turn it into a class.

    Parameters
    ----------
    C, n_iterations, weak_learner, slack, gap, epsilon_cg, epsilon_cp, method, n_jobs, warm_start, \
random_state, callback, checkpoint
        As in `StructBoostRanker`.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The ranks, lowest first.
    thresholds_ : ndarray of shape (k − 1,)
        A score above thresholds_[r] means a rank above r.
    ensemble_, history_, certificate_, feature_importances_, n_features_in_, n_iter_
        As in `StructBoostRanker`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(12.0).reshape(-1, 1)
    >>> y = np.repeat([1, 2, 3], 4)
    >>> StructBoostOrdinal(C=100, random_state=0).fit(X, y).predict([[1.0], [5.0], [10.0]])
    array([1, 2, 3])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from X, shape (n, d), and the ranks y, shape (n,): any sortable classes."""
        X, y = self._training_rows(X, y)
        check_classification_targets(y)
        self.classes_, ranks = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has only one class ({self.classes_[0]!r}); there must be at least two ranks"
            )
        self._fit_task(RankingTask(X, ranks.astype(np.intp), sample_weight))
        scores = self.ensemble_.scores([X])[0]
        self.thresholds_ = rank_thresholds(scores, ranks, len(self.classes_), sample_weight)
        return self

    def score_samples(self, X: Any) -> FloatArray:
        """Return the score f(x) that orders the rows, shape (n,); higher means a higher rank."""
        return self._scores(X)

    def decision_function(self, X: Any) -> FloatArray:
        """Return a value for every rank, shape (n, k), the largest for the predicted rank.

        ``F(x, r) = Σ_{t<r} (f(x) − θ_t)``; for two ranks f(x) − θ_0, shape (n,).
        """
        return self._by_rank(self._scores(X))

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield `decision_function` after every round, with the final thresholds."""
        for scores in self._staged_scores(X):
            yield self._by_rank(scores)

    def predict(self, X: Any) -> AnyArray:
        """Return the rank of every row, shape (n,)."""
        return self._ranks(self._scores(X))

    def staged_predict(self, X: Any) -> Iterator[AnyArray]:
        """Yield `predict` after every round, with the final thresholds."""
        for scores in self._staged_scores(X):
            yield self._ranks(scores)

    def _by_rank(self, scores: FloatArray) -> FloatArray:
        # Scores lie within ±1ᵀw, so that thresholds beyond that are equivalent to infinity.
        reach = 1.0 + float(self.ensemble_.weights.sum())
        above = scores[:, None] - np.clip(self.thresholds_, -reach, reach)
        if len(self.classes_) == 2:
            return above[:, 0]
        return np.cumsum(np.column_stack([np.zeros(len(scores)), above]), axis=1)

    def _ranks(self, scores: FloatArray) -> AnyArray:
        return self.classes_[np.searchsorted(self.thresholds_, scores, side="left")]


def pair_accuracy(scores: FloatArray, ranks: IntArray, weight: FloatArray) -> float:
    """Return the weighted fraction of pairs r_i > r_j with f_i > f_j, counting ties half."""
    order = np.argsort(scores, kind="stable")
    n_ranks = int(ranks.max()) + 1
    _, tied = np.unique(scores[order], return_inverse=True)
    by_value = np.zeros((tied[-1] + 1, n_ranks))
    np.add.at(by_value, (tied, ranks[order]), weight[order])
    below = np.cumsum(by_value, axis=0) - by_value
    lower_rank = np.cumsum(below + 0.5 * by_value, axis=1) - (below + 0.5 * by_value)
    total = by_value.sum(axis=0)
    pairs = (total * (np.cumsum(total) - total)).sum()
    if pairs <= 0:
        raise ValueError("y has only one rank: there is no pair to order")
    return float((by_value * lower_rank).sum() / pairs)
