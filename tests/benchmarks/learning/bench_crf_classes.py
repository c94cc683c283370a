"""CRFs with 11 classes at CamVid's size, the cost per class, and the cache of labellings."""

from __future__ import annotations

from typing import Any

import numpy as np

from segboost import CRFInstance, CRFStructBoost
from segboost.baselines import CRFStructuredSVM
from segboost.weak.ramp import RampLearner
from tests.benchmarks.figures import Figure, at_most, cpu_seconds
from tests.benchmarks.problems.planar import planar_graphs
from tests.benchmarks.problems.street import street_graphs

TITLE = "CRFs with several classes: graphs of 1,200 nodes and 3,461 edges, C = 20, gap 1 %"


def boost(**params: Any) -> CRFStructBoost:
    return CRFStructBoost(
        C=20.0,
        weak_learner=RampLearner(min_width=20),
        pairwise_learner=RampLearner(n_rising=None),
        random_state=0,
        **params,
    )


def run() -> list[Figure]:
    for unary in ("shared", "classwise"):  # compiles the kernels
        boost(unary=unary, n_classes=11, n_iterations=2).fit(street_graphs(3))
    return [*whole_set(), *by_class_count(), *cache()]


def whole_set() -> list[Figure]:
    """Return the cost of fits on as many graphs as CamVid's training set has images."""
    graphs, test = street_graphs(), street_graphs(40, seed=1)
    alone = np.mean([np.mean(g.unary.argmin(axis=1) == g.labels) for g in test])
    figures = [Figure("367 graphs: test accuracy, node by node", 100 * float(alone), "%")]
    models = {
        "CRFStructBoost, shared": boost(unary="shared", n_classes=11),
        "CRFStructBoost, classwise": boost(),
        "CRFStructuredSVM, shared": CRFStructuredSVM(C=20.0, unary="shared", n_classes=11),
        "CRFStructuredSVM, classwise": CRFStructuredSVM(C=20.0),
    }
    for name, model in models.items():
        seconds, _ = cpu_seconds(lambda model=model: model.fit(graphs))
        accuracy = np.mean([np.mean(model.predict(g) == g.labels) for g in test])
        figures += [
            at_most(f"367 graphs: {name}", seconds, 240.0, "s"),
            Figure(f"367 graphs: test accuracy, {name}", 100 * float(accuracy), "%"),
        ]
    return figures


def by_class_count() -> list[Figure]:
    """Return the cost of fits with 2, 5 and 11 classes, and its growth."""
    seconds = {}
    for k in (2, 5, 11):
        graphs = street_graphs(30, k)
        model = boost(unary="classwise" if k == 2 else "shared", n_classes=k)
        seconds[k], _ = cpu_seconds(lambda model=model, graphs=graphs: model.fit(graphs))
    figures = [Figure(f"30 graphs: {k} classes", s, "s") for k, s in seconds.items()]
    ratio = seconds[11] / seconds[2]
    return [*figures, at_most("30 graphs: 11 / 2 classes", ratio, 5.5, "times")]


def cache() -> list[Figure]:
    """Return the calls of the oracle with and without a cache of 20 labellings per graph."""
    figures = []
    problems = {"binary": planar_graphs(n_graphs=40), "11 classes": street_graphs(20)}
    for name, graphs in problems.items():
        for slack in ("each", "one"):
            calls = [_calls(graphs, slack, size) for size in (None, 20)]
            label = f"{name}, slack {slack!r}: oracle calls"
            figures += [
                Figure(label, calls[0], ""),
                Figure(f"{label} with a cache", calls[1], ""),
            ]
    return figures


def _calls(graphs: list[CRFInstance], slack: Any, size: int | None) -> float:
    params = {} if int(graphs[0].labels.max()) < 2 else {"unary": "shared", "n_classes": 11}
    model = boost(slack=slack, labelling_cache=size, n_iterations=15, **params).fit(graphs)
    return float(model.history_[-1].n_oracle_calls)
