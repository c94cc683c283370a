"""Estimators and baselines on tables and small graphs."""

from __future__ import annotations

import numpy as np

from segboost import (
    CRFInstance,
    CRFStructBoost,
    HierarchicalStructBoostClassifier,
    StructBoostClassifier,
    StructBoostOrdinal,
    StructBoostRanker,
)
from segboost.baselines import (
    AdaBoostECC,
    AdaBoostMH,
    AdaBoostStumps,
    CRFStructuredSVM,
    RankBoost,
    RankingSVM,
    StructuredSVMClassifier,
)
from tests.fingerprints.fingerprint import case

TAXONOMY = {0: "low", 1: "low", 2: "high", 3: "high", "low": "all", "high": "all"}


def table(n=90):
    """Return rows of four overlapping classes, their labels, and new rows to predict."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 4, n)
    X = rng.normal(size=(n, 5))
    X[:, 0] += 1.2 * y
    X[:, 1] += 2.0 * (y == 2)
    return X, y, rng.normal([1.8, 0.5, 0, 0, 0], size=(60, 5))


def graphs(n=6):
    """Return chains of eight nodes with labels, two unary and two pairwise potentials."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(n):
        labels = rng.integers(0, 2, 8)
        unary = (1 - 2 * labels)[:, None] * [1.0, 0.5] + rng.normal(size=(8, 2))
        edges = np.column_stack([np.arange(7), np.arange(1, 8)])
        found.append(CRFInstance(unary, edges, rng.random((7, 2)), labels))
    return found


def table_predictions(model, new):
    """Return the predictions of a fitted estimator for new rows."""
    found = {"predict": model.predict(new)}
    if hasattr(model, "decision_function"):
        found["scores"] = model.decision_function(new)
    return found


def graph_predictions(model):
    """Return the concatenated labels and scores of the nodes of all graphs."""
    return {
        "predict": np.concatenate([model.predict(graph) for graph in graphs()]),
        "scores": np.concatenate([model.score_nodes(graph) for graph in graphs()]),
    }


def _estimators(options):
    X, y, _ = table()
    yield "multiclass", StructBoostClassifier(**options).fit(X, y)
    tree = HierarchicalStructBoostClassifier(taxonomy=TAXONOMY, **options)
    yield "hierarchy", tree.fit(X, y)
    yield "auc", StructBoostRanker(**options).fit(X, y == 3)
    yield "ordinal", StructBoostOrdinal(**options).fit(X, y)


def _weak_learner_case(weak_learner):
    def run():
        options = {"C": 20.0, "n_iterations": 6, "random_state": 0, "weak_learner": weak_learner}
        return {
            f"{name} {key}": array
            for name, model in _estimators(options)
            for key, array in table_predictions(model, table()[2]).items()
        }

    return run


for _weak_learner in ("stump", "tree", "perceptron", "svm", "sigmoid"):
    case(f"tables, {_weak_learner}")(_weak_learner_case(_weak_learner))


@case("slack")
def slack():
    X, y, new = table()
    options = {"C": 20.0, "n_iterations": 12, "random_state": 0}
    return {
        f"{slack}": StructBoostClassifier(slack=slack, **options).fit(X, y).decision_function(new)
        for slack in ("one", "each", 7)
    }


def fit_baselines():
    """Yield names and fitted models of the baselines for tables."""
    X, y, _ = table()
    yield "ssvm", StructuredSVMClassifier(C=10.0).fit(X, y)
    yield "stumps", AdaBoostStumps(10, learning_rate=0.5).fit(X, y == 1)
    yield "mh", AdaBoostMH(10, max_bins=16).fit(X, y)
    yield "ecc", AdaBoostECC(8, random_state=3).fit(X, y)
    yield "rankboost", RankBoost(10).fit(X, y)


@case("baselines")
def baselines():
    X, y, new = table()
    models = {**dict(fit_baselines()), "ranksvm": RankingSVM(C=3.0).fit(X, y)}
    return {
        f"{name} {key}": array
        for name, model in models.items()
        for key, array in table_predictions(model, new).items()
    }


@case("graphs")
def graph_labels():
    models = {
        "structboost": CRFStructBoost(C=3.0, n_iterations=15).fit(graphs()),
        "ssvm": CRFStructuredSVM(C=3.0).fit(graphs()),
    }
    return {
        f"{name} {key}": array
        for name, model in models.items()
        for key, array in graph_predictions(model).items()
    }
