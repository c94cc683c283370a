"""AUC: the default solver against literal mode and m-slack; scaling of the oracle."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer

from segboost import StructBoostRanker
from segboost.tasks.ranking import RankingTask
from tests.benchmarks.figures import Figure, at_least, at_most, cpu_seconds

TITLE = "AUC on half of breast_cancer, C = 100, stumps, relative gap 1e-3"
GAP = 1e-3


def half() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[: len(X) // 2]
    return X[rows], y[rows]


def fit(**params: object) -> tuple[float, StructBoostRanker]:
    X, y = half()
    model = StructBoostRanker(C=100.0, n_iterations=200, gap=GAP, random_state=0, **params)
    return cpu_seconds(lambda: model.fit(X, y))


def oracle_seconds(n: int, calls: int = 20) -> float:
    rng = np.random.default_rng(n)
    task = RankingTask(np.zeros((n, 1)), (rng.random(n) < 0.3).astype(np.intp))
    scores = rng.normal(size=n)
    return min(cpu_seconds(lambda: task.separate(scores, "one"))[0] for _ in range(calls))


def run() -> list[Figure]:
    StructBoostRanker(C=1.0, n_iterations=2).fit(*half())  # compiles the kernels
    oracle_seconds(100)
    default, model = fit()
    one, _ = fit(slack="one")
    each, _ = fit(slack="each")
    literal, reference = fit(method="literal", slack="one")
    difference = abs(model.certificate_.objective / reference.certificate_.objective - 1)
    small, large = oracle_seconds(20_000), oracle_seconds(40_000)
    return [
        Figure("default (10 blocks)", default, "s"),
        Figure("1-slack", one, "s"),
        Figure("m-slack", each, "s"),
        Figure("literal mode", literal, "s"),
        at_least("literal / default", literal / default, 10, "times"),
        at_least("m-slack / default", each / default, 1, "times"),
        at_most("certified gap, default", model.certificate_.gap, GAP, ""),
        at_most("certified gap, literal", reference.certificate_.gap, GAP, ""),
        at_most("difference between the objectives", difference, 2 * GAP, ""),
        Figure("oracle, 20,000 examples", 1e3 * small, "ms"),
        at_most("oracle, 40,000 / 20,000 examples", large / small, 2.3, "times"),
    ]
