"""Demonstration, part one: labelling the nodes of noisy grids, with and without their edges."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from segboost._types import IntArray
from segboost.baselines.crf_structured_svm import CRFStructuredSVM
from segboost.datasets.synthetic_graphs import GridGraph, grid_graphs
from segboost.estimators.crf import CRFStructBoost
from segboost.solver.steps import Certificate
from segboost.tasks.crf import CRFInstance

N_TRAIN, N_TEST = 16, 16
ALONE = "node by node"


class _Labeller(Protocol):
    def predict(self, instance: CRFInstance) -> IntArray: ...


@dataclass(frozen=True, eq=False)
class GraphDemo:
    """What the labellers did on the test graphs.

    Parameters
    ----------
    graphs : list of GridGraph
    labels : dict of name to list of ndarray
        Their answers, one array a graph.
    accuracy : dict of name to float
        The share of right nodes over all graphs.
    certificate : Certificate
        Of StructBoost.
    n_learners : int
        Weak learners that StructBoost gave a weight.
    """

    graphs: list[GridGraph]
    labels: dict[str, list[IntArray]]
    accuracy: dict[str, float]
    certificate: Certificate
    n_learners: int

    @property
    def alone(self) -> float:
        """The accuracy without edges."""
        return self.accuracy[ALONE]

    def figures(self) -> dict[str, Any]:
        """Return the numbers for ``demo.json``."""
        return {
            "train_graphs": N_TRAIN,
            "test_graphs": len(self.graphs),
            "nodes": int(self.graphs[0].labels.size),
            "edges": len(self.graphs[0].edges),
            "accuracy": self.accuracy,
            "certificate": asdict(self.certificate),
            "weak_learners": self.n_learners,
        }


def fit_graphs(rng: np.random.Generator) -> GraphDemo:
    """Learn from some graphs, label others: boosted CRF, linear CRF, and nodes alone."""
    train = grid_graphs(N_TRAIN, rng, 30, 40)
    test = grid_graphs(N_TEST, rng, 30, 40)
    boosted = CRFStructBoost(C=3, n_iterations=40, random_state=0)
    boosted.fit([instance(g) for g in train])
    linear = CRFStructuredSVM(C=3).fit([instance(g) for g in train])
    alone = CRFStructBoost(C=3, n_iterations=40, random_state=0)
    alone.fit([instance(g, edges=False) for g in train])
    labels = {
        ALONE: _label(alone, test, edges=False),
        "structured SVM": _label(linear, test),
        "StructBoost": _label(boosted, test),
    }
    truth = np.concatenate([g.labels for g in test])
    accuracy = {name: float((np.concatenate(y) == truth).mean()) for name, y in labels.items()}
    n_learners = int(np.count_nonzero(boosted.ensemble_.weights))
    return GraphDemo(test, labels, accuracy, boosted.certificate_, n_learners)


def instance(graph: GridGraph, edges: bool = True) -> CRFInstance:
    """Return the graph as the input of a CRF, on request without its edges."""
    n_edges = len(graph.edges) if edges else 0
    return CRFInstance(graph.unary, graph.edges[:n_edges], graph.pairwise[:n_edges], graph.labels)


def _label(model: _Labeller, graphs: list[GridGraph], edges: bool = True) -> list[IntArray]:
    return [model.predict(instance(g, edges)) for g in graphs]
