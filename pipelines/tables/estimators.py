"""The estimator of each task on tables, and its measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from segboost._types import AnyArray
from segboost.estimators.base import BaseStructBoost
from segboost.estimators.hierarchical import HierarchicalStructBoostClassifier
from segboost.estimators.multiclass import StructBoostClassifier
from segboost.estimators.ranking import StructBoostOrdinal, StructBoostRanker
from segboost.pipelines.tables.labels import TaskName
from segboost.tasks.taxonomy import Taxonomy
from segboost.weak.sigmoid import SigmoidLearner

MEASURES = {"multiclass": "error", "auc": "auc", "ordinal": "mae", "hierarchy": "tree_loss"}
"""The main measure of each task, by which C is chosen; it is reported first."""

TITLES = {
    "error": "error (share of wrong predictions)",
    "auc": "AUC",
    "mae": "mean absolute error in ranks",
    "tree_loss": "tree loss",
}

ROUNDS = 200
AUTO_ROUNDS = 5
AUTO_BLOCKS = 20
MOST_BOOSTED, LEAST_BOOSTED = 100, 20
"""Rounds of boosted trees with up to 20 classes, and with very many, where each costs more."""


@dataclass(frozen=True)
class EstimatorSettings:
    """All settings of an estimator except C.

    Parameters
    ----------
    task : {"multiclass", "auc", "ordinal", "hierarchy"}
    weak_learner : {"stump", "tree", "perceptron", "svm", "sigmoid", "auto"}
        "auto" gives classifiers sigmoids, on dense tables with the scores of boosted trees as
        further features; rankers get stumps.
    n_iterations : int, optional
        200 by default, or 5 for automatic classifiers, which need few.
    seed : int
    taxonomy : Taxonomy, optional
        Taxonomy of the classes, for the task "hierarchy".
    """

    task: TaskName
    weak_learner: str = "stump"
    n_iterations: int | None = None
    seed: int = 0
    taxonomy: Taxonomy | None = None

    @property
    def is_automatic(self) -> bool:
        """Whether the estimator learns sigmoids, on dense tables with scores of boosted trees."""
        return self.weak_learner == "auto" and self.task in ("multiclass", "hierarchy")

    @property
    def rounds(self) -> int:
        """The maximum number of rounds."""
        return self.n_iterations or (AUTO_ROUNDS if self.is_automatic else ROUNDS)

    def make(
        self,
        C: float,
        n_jobs: int | None = None,
        callback: Any = None,
        y: AnyArray | None = None,
        is_sparse: bool = False,
    ) -> BaseStructBoost:
        """Return the estimator, not fitted yet; automatic ones depend on labels and table."""
        shared: dict[str, Any] = {
            "C": C,
            "n_iterations": self.rounds,
            "weak_learner": "stump" if self.weak_learner == "auto" else self.weak_learner,
            "n_jobs": n_jobs,
            "random_state": self.seed,
            "callback": callback,
        }
        if self.is_automatic:
            if y is None:
                raise ValueError("y is needed to set up an automatic estimator")
            n_trees = np.clip(2000 // len(np.unique(y)), LEAST_BOOSTED, MOST_BOOSTED)
            # A gap of 1 % and few blocks suffice: validation errors settle long before that.
            shared |= {
                "weak_learner": SigmoidLearner(max_iter=20),
                "slack": min(AUTO_BLOCKS, len(y)),
                "gap": 1e-2,
                "boosted_trees": 0 if is_sparse else int(n_trees),
            }
        if self.task == "hierarchy":
            return HierarchicalStructBoostClassifier(self.taxonomy, **shared)
        if self.task == "auc":
            return StructBoostRanker(**shared)
        if self.task == "ordinal":
            return StructBoostOrdinal(**shared)
        return StructBoostClassifier(**shared)


def as_loss(task: TaskName, value: float) -> float:
    """Return the value of the main measure, negated if higher is better."""
    return -value if task == "auc" else value


def measure(model: Any, X: AnyArray, y: AnyArray) -> dict[str, float]:
    """Return the measures of a fitted model; the first is the one by which C is chosen.

    Parameters
    ----------
    model : fitted estimator
    X : ndarray of shape (N, d)
    y : ndarray of shape (N,)
        As `LabelRule.encode` returns it.
    """
    if isinstance(model, StructBoostRanker):
        return {"auc": float(model.score(X, y))}
    predictions = model.predict(X)
    error = {"error": float(np.mean(predictions != y))}
    if isinstance(model, StructBoostOrdinal):
        return {"mae": float(np.abs(predictions.astype(float) - y).mean()), **error}
    if isinstance(model, HierarchicalStructBoostClassifier):
        return {"tree_loss": model.tree_loss(y, predictions), **error}
    return error
