"""Small tables, graphs and one estimator of every kind, shared by the tests in this folder."""

from __future__ import annotations

from typing import Any

import numpy as np

from segboost import (
    CRFInstance,
    CRFStructBoost,
    HierarchicalStructBoostClassifier,
    StructBoost,
    StructBoostClassifier,
    StructBoostOrdinal,
    StructBoostRanker,
)
from segboost.tasks.multiclass import MulticlassTask

TREE = {"all": {"low": [0, 1], "high": [2]}}


def table(seed: int = 0, m: int = 60, k: int = 3, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return features with noise and classes 0 … k−1."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, m - k)])
    return y[:, None] + rng.normal(0, 1.0, (m, d)), y


def graphs(seed: int = 0, n: int = 8, p: int = 12) -> list[CRFInstance]:
    """Return labelled chains."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        labels = (np.arange(p) >= rng.integers(2, p - 2)).astype(int)
        unary = (1 - 2 * labels)[:, None] + rng.normal(0, 1.5, (p, 2))
        edges = np.column_stack([np.arange(p - 1), np.arange(1, p)])
        found.append(CRFInstance(unary, edges, rng.random((p - 1, 1)), labels))
    return found


class Case:
    """An estimator with something to fit and something to predict."""

    def __init__(self, name: str, estimator: Any, data: tuple[Any, ...], test: Any) -> None:
        self.name, self.data, self.test = name, data, test
        self._estimator = estimator

    def make(self, **params: Any) -> Any:
        return self._estimator(**{"C": 20.0, "n_iterations": 12, "random_state": 0, **params})

    def fitted(self, **params: Any) -> Any:
        return self.make(**params).fit(*self.data)


def _tree(coding: str) -> Any:
    def make(**params: Any) -> HierarchicalStructBoostClassifier:
        return HierarchicalStructBoostClassifier(TREE, coding, **params)

    return make


X, Y = table()
MORE = table(1, 25)[0]
CASES = [
    Case("multiclass", StructBoostClassifier, (X, Y), MORE),
    Case("binary", StructBoostClassifier, (X, Y > 0), MORE),
    Case("tree", _tree("tree"), (X, Y), MORE),
    Case("augmented", _tree("augmented"), (X, Y), MORE),
    Case("ranker", StructBoostRanker, (X, Y > 0), MORE),
    Case("ordinal", StructBoostOrdinal, (X, Y), MORE),
    Case("general", StructBoost, (MulticlassTask(X, Y, 3),), MulticlassTask(MORE, None, 3)),
    Case("CRF", CRFStructBoost, (graphs(),), graphs(1, 1)[0]),
]
