"""The estimator of each task on tables, and its measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost.estimators.base import BaseStructBoost
from segboost.estimators.hierarchical import HierarchicalStructBoostClassifier
from segboost.estimators.multiclass import StructBoostClassifier
from segboost.estimators.ranking import StructBoostOrdinal, StructBoostRanker
from segboost.pipelines.tables.labels import TaskName
from segboost.tasks.taxonomy import Taxonomy

MEASURES = {"multiclass": "error", "auc": "auc", "ordinal": "mae", "hierarchy": "tree_loss"}
"""The main measure of each task, by which C is chosen; it is reported first."""

TITLES = {
    "error": "error (share of wrong answers)",
    "auc": "AUC",
    "mae": "mean absolute error in ranks",
    "tree_loss": "tree loss",
}


@dataclass(frozen=True)
class EstimatorSettings:
    """All settings of an estimator except C.

    Parameters
    ----------
    task : {"multiclass", "auc", "ordinal", "hierarchy"}
    weak_learner : {"stump", "tree", "perceptron", "svm", "sigmoid"}
    n_iterations : int
    seed : int
    taxonomy : Taxonomy, optional
        Taxonomy of the classes, for the task "hierarchy".
    """

    task: TaskName
    weak_learner: str = "stump"
    n_iterations: int = 200
    seed: int = 0
    taxonomy: Taxonomy | None = None

    def make(self, C: float, n_jobs: int | None = None, callback: Any = None) -> BaseStructBoost:
        """Return the estimator, not fitted yet."""
        shared: dict[str, Any] = {
            "C": C,
            "n_iterations": self.n_iterations,
            "weak_learner": self.weak_learner,
            "n_jobs": n_jobs,
            "random_state": self.seed,
            "callback": callback,
        }
        if self.task == "hierarchy":
            return HierarchicalStructBoostClassifier(self.taxonomy, **shared)
        if self.task == "auc":
            return StructBoostRanker(**shared)
        if self.task == "ordinal":
            return StructBoostOrdinal(**shared)
        return StructBoostClassifier(**shared)


def better(task: TaskName, value: float) -> float:
    """Return the value of the main measure, negated if higher is better."""
    return -value if task == "auc" else value


def measure(model: Any, X: npt.NDArray[Any], y: npt.NDArray[Any]) -> dict[str, float]:
    """Return how well a fitted model answers; the first measure is the one it is chosen by.

    Parameters
    ----------
    model : fitted estimator
    X : ndarray of shape (N, d)
    y : ndarray of shape (N,)
        As `LabelRule.encode` returns it.
    """
    if isinstance(model, StructBoostRanker):
        return {"auc": float(model.score(X, y))}
    answers = model.predict(X)
    error = {"error": float(np.mean(answers != y))}
    if isinstance(model, StructBoostOrdinal):
        return {"mae": float(np.abs(answers.astype(float) - y).mean()), **error}
    if isinstance(model, HierarchicalStructBoostClassifier):
        return {"tree_loss": model.tree_loss(y, answers), **error}
    return error
