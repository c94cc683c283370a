"""The structured SVM on 150 planar CRFs, and the time of its parts."""

from __future__ import annotations

import numpy as np

from segboost.baselines.crf_structured_svm import CRFStructuredSVM
from segboost.graphs.graph import Graph
from segboost.graphs.mincut import minimise
from segboost.tasks.crf import CRFInstance, CRFTask
from tests.benchmarks.figures import Figure, at_most, cpu_seconds
from tests.benchmarks.problems.planar import planar_graphs

TITLE = "CRF structured SVM: 150 planar graphs of 600 nodes, 14 unary and 2 pairwise potentials"


def run() -> list[Figure]:
    instances = planar_graphs()
    CRFStructuredSVM().fit(instances[:3]).score_nodes(instances[0])
    seconds, model = cpu_seconds(lambda: CRFStructuredSVM(C=1.0, gap=0.01).fit(instances))
    scoring, _ = cpu_seconds(lambda: [model.score_nodes(i) for i in instances[:10]])
    wrong = np.concatenate([model.predict(i) != i.labels for i in instances])
    return [
        at_most("fit to a 1 % gap", seconds, 3.0, "s"),
        at_most("certified relative gap", model.certificate_.gap, 0.01, ""),
        Figure("rounds", model.n_iter_, ""),
        Figure("error on the training nodes", float(wrong.mean()), ""),
        at_most("min-marginals of one graph", scoring / 10, 0.2, "s"),
        *oracle_figures(instances, model),
    ]


def oracle_figures(instances: list[CRFInstance], model: CRFStructuredSVM) -> list[Figure]:
    """Return the oracle's time at the solution: all graphs in one call, and one by one."""
    task = CRFTask(instances)
    unary, pairwise = task.channels
    theta = np.append(model.unary_coef_, model.unary_intercept_)
    capacity = pairwise.features @ model.pairwise_coef_ + model.pairwise_intercept_
    scores = np.concatenate([unary.features @ theta, capacity])
    together, _ = cpu_seconds(lambda: task.separate(scores, "each"))
    bulk, labels = cpu_seconds(lambda: task.decode(scores))
    graphs = [
        (Graph(i.n_nodes, i.edges), *task.energies(scores, k)) for k, i in enumerate(instances)
    ]
    alone, singly = cpu_seconds(lambda: [minimise(*g) for g in graphs])
    assert all(np.array_equal(a, b) for a, b in zip(labels, singly, strict=True))
    return [
        Figure("separation of all graphs", together, "s"),
        Figure("decoding all graphs in one call", bulk, "s"),
        Figure("decoding all graphs one by one", alone, "s"),
    ]
