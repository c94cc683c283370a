"""CRFStructBoost and the linear structured SVM on synthetic planar graphs."""

from __future__ import annotations

import numpy as np

from segboost import CRFStructBoost
from segboost.baselines import CRFStructuredSVM
from tests.benchmarks.figures import Figure, at_most, cpu_seconds
from tests.benchmarks.problems.planar import planar_graphs

TITLE = "CRFStructBoost, 150 planar graphs of 600 nodes, 14 unary and 2 pairwise potentials"


def run() -> list[Figure]:
    graphs, test = planar_graphs(), planar_graphs(n_graphs=40, seed=1)
    CRFStructBoost(n_iterations=2).fit(graphs[:5])  # compiles the kernels
    model = CRFStructBoost(C=1.0, n_iterations=50, slack="each", random_state=0)
    seconds, _ = cpu_seconds(lambda: model.fit(graphs))
    linear = CRFStructuredSVM(C=1.0).fit(graphs)
    return [
        at_most("50 iterations, one slack per image", seconds, 60.0, "s"),
        at_most("certified gap", model.certificate_.gap, 1e-2, ""),
        Figure("columns", model.certificate_.n_columns, ""),
        Figure("test accuracy, CRFStructBoost", 100 * accuracy(model, test), "%"),
        Figure("test accuracy, CRFStructuredSVM", 100 * accuracy(linear, test), "%"),
    ]


def accuracy(model: CRFStructBoost | CRFStructuredSVM, graphs: list) -> float:
    return float(np.mean([np.mean(model.predict(g) == g.labels) for g in graphs]))
