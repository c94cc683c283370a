"""Demonstration, part three: ordering rare cases first, the area under the ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

from segboost._types import IntArray
from segboost.baselines.adaboost_stumps import AdaBoostStumps
from segboost.estimators.ranking import StructBoostRanker

REPEATS = 10
RARITY = 4
"""Benign cases for one malignant case in the training part."""
ROUNDS = 100


@dataclass(frozen=True)
class RankingDemo:
    """AUC and number of weak learners of every method on every split."""

    n_positive: int
    n_negative: int
    auc: dict[str, list[float]]
    learners: dict[str, list[int]]

    def mean(self, name: str) -> float:
        """Return the mean AUC of a method."""
        return float(np.mean(self.auc[name]))

    def figures(self) -> dict[str, Any]:
        """Return the numbers for ``demo.json``."""
        return {
            "train_positive": self.n_positive,
            "train_negative": self.n_negative,
            "splits": REPEATS,
            "auc": self.auc,
            "mean_auc": {name: self.mean(name) for name in self.auc},
            "mean_learners": {name: float(np.mean(n)) for name, n in self.learners.items()},
        }


def fit_ranking(rng: np.random.Generator) -> RankingDemo:
    """Compare on random splits in which the malignant cases are rare."""
    X, benign = load_breast_cancer(return_X_y=True)
    y = 1 - benign
    auc: dict[str, list[float]] = {"StructBoostRanker": [], "AdaBoostStumps": []}
    learners: dict[str, list[int]] = {name: [] for name in auc}
    for _ in range(REPEATS):
        train, test = rare_split(y, rng)
        ranker = StructBoostRanker(C=20, n_iterations=ROUNDS, random_state=0)
        ranker.fit(X[train], y[train])
        booster = AdaBoostStumps(n_estimators=ROUNDS).fit(X[train], y[train])
        scores = (ranker.decision_function(X[test]), booster.decision_function(X[test]))
        used = (int(np.count_nonzero(ranker.ensemble_.weights)), booster.n_estimators_)
        for name, score, count in zip(auc, scores, used, strict=True):
            auc[name].append(float(roc_auc_score(y[test], score)))
            learners[name].append(count)
    n_positive = int(y[train].sum())
    return RankingDemo(n_positive, len(train) - n_positive, auc, learners)


def rare_split(y: npt.NDArray[Any], rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return rows to train on (half of the zeros, a quarter as many ones) and the rest."""
    ones, zeros = (rng.permutation(np.flatnonzero(y == value)) for value in (1, 0))
    n_zeros = len(zeros) // 2
    n_ones = n_zeros // RARITY
    train = np.concatenate([ones[:n_ones], zeros[:n_zeros]])
    return train, np.concatenate([ones[n_ones:], zeros[n_zeros:]])
