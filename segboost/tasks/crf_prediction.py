"""Shared code of the CRF learners: their classes, and prediction from learned energy terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray, IntArray
from segboost.graphs.graph import Graph
from segboost.graphs.labelling import check_factor
from segboost.graphs.minimiser import best_labels, label_scores
from segboost.tasks.crf_instance import UNKNOWN, CRFInstance
from segboost.tasks.crf_unary import Unary
from segboost.tasks.examplewise import example_weights

TWO_CLASSES = np.array([0, 1], np.intp)


class CRFPrediction(ABC):
    """Mixin for estimators with `classes_`, `label_costs`, `unary` and `energy_terms`."""

    classes_: IntArray
    label_costs: npt.ArrayLike | Literal["learned"] | None
    label_costs_: FloatArray | None = None
    unary: Unary

    @abstractmethod
    def energy_terms(self, instance: CRFInstance) -> tuple[FloatArray, FloatArray]:
        """Return the learned energy terms: θ, shape (P, K), and the edge costs, shape (E,)."""

    @overload
    def predict(self, instances: CRFInstance) -> IntArray: ...
    @overload
    def predict(self, instances: Sequence[CRFInstance]) -> list[IntArray]: ...
    def predict(self, instances: CRFInstance | Sequence[CRFInstance]) -> IntArray | list[IntArray]:
        """Return labels of low energy.

        With two classes the energy is minimal, and ties go to the first class.

        Parameters
        ----------
        instances : CRFInstance or sequence of CRFInstance

        Returns
        -------
        ndarray of int, shape (P,), or a list of them
        """
        if not isinstance(instances, CRFInstance):
            return [self.predict(_checked(i)) for i in instances]
        theta, capacity = self.energy_terms(instances)
        graph = Graph(instances.n_nodes, instances.edges)
        return self.classes_[best_labels(graph, theta, capacity, self._factor())]

    def score_nodes(self, instance: CRFInstance) -> FloatArray:
        """Return the scores of the classes at every node.

        Two classes: the exact min-marginal ``min_{y: y_p = 0} E(y) − min_{y: y_p = 1} E(y)``, shape
        (P,), positive if the prediction is the second class. More classes: minus the rise in energy
        if the node gets the class, shape (P, K), which is 0 for the predicted class; see
        `segboost.graphs.minimiser.label_scores`.
        """
        theta, capacity = self.energy_terms(instance)
        graph = Graph(instance.n_nodes, instance.edges)
        return label_scores(graph, theta, capacity, self._factor())

    def score(
        self,
        instances: CRFInstance | Sequence[CRFInstance],
        y: None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> float:
        """Return the share of the node weight that is labelled correctly.

        Nodes without a known label are ignored; `sample_weight` weights the instances.
        """
        graphs = [instances] if isinstance(instances, CRFInstance) else list(instances)
        weight = np.zeros(len(graphs)) + len(graphs) * example_weights(sample_weight, len(graphs))
        right = total = 0.0
        for graph, share in zip(graphs, weight, strict=True):
            if graph.labels is None:
                raise ValueError("score needs labels for every instance")
            cost = np.ones(graph.n_nodes) if graph.node_weight is None else graph.node_weight
            cost = share * np.where(graph.labels == UNKNOWN, 0.0, cost)
            total += float(cost.sum())
            right += float(cost @ (self.predict(graph) == graph.labels))
        if total <= 0:
            raise ValueError("score needs at least one labelled node with a weight above 0")
        return right / total

    @property
    def _binary(self) -> bool:
        """Whether the energy is that of the binary CRF."""
        two = len(self.classes_) == 2
        given = self.label_costs is not None and not self._costs_to_learn
        return two and not given and self.unary != "raw"

    @property
    def _costs_to_learn(self) -> bool:
        """Whether μ is learned."""
        if not isinstance(self.label_costs, str):
            return False
        if self.label_costs != "learned":
            raise ValueError(
                f"label_costs must be None, 'learned' or a matrix, got {self.label_costs!r}"
            )
        return True

    def _factor(self) -> FloatArray | None:
        """Return μ in the order of `classes_`, or None for Potts."""
        if self.label_costs is None:
            return None
        if self._costs_to_learn:
            return self.label_costs_
        try:
            given = check_factor(self.label_costs, len(self.classes_), "label_costs")
        except ValueError as error:
            raise ValueError(f"{error} (one per class of the training labels)") from None
        rank = ranks(self.classes_)  # the costs are for sorted classes; a fit reorders them
        return given[np.ix_(rank, rank)]


def _checked(instance: Any) -> CRFInstance:
    if not isinstance(instance, CRFInstance):
        raise ValueError(f"instances holds a {type(instance).__name__}, not a CRFInstance")
    return instance


def class_labels(instances: Sequence[CRFInstance]) -> IntArray:
    """Return the classes to learn: 0 and 1 if no other label occurs, else those that occur.

    Classes without a labelled node are left out and never predicted. A single class c > 1 is
    learned against class 0.
    """
    occurring = [np.unique(i.labels) for i in instances if i.labels is not None]
    found = np.unique(np.concatenate([np.zeros(0, np.intp), *occurring]))
    found = found[found != UNKNOWN]
    if not len(found) or found[-1] <= 1:
        return TWO_CLASSES.copy()
    if len(found) == 1:
        return np.array([0, found[0]], np.intp)
    return found.astype(np.intp)


def by_appearance(instances: Sequence[CRFInstance], classes: IntArray) -> IntArray:
    """Return more than two classes in the order in which they first appear in the labels.

    Learning numbers them in this order, so that random ties and the choice among several optima
    do not depend on the numbers of the classes: permuting classes permutes the result.
    """
    if len(classes) <= 2:
        return classes
    labels = np.concatenate([i.labels for i in instances if i.labels is not None])
    found, first = np.unique(labels, return_index=True)
    known = np.isin(found, classes)
    return found[known][np.argsort(first[known])].astype(np.intp)


def ranks(classes: IntArray) -> IntArray:
    """Return the position of every class among the sorted classes.

    Examples
    --------
    >>> ranks(np.array([7, 2, 5])).tolist()
    [2, 0, 1]
    """
    return np.argsort(np.argsort(classes))


def numbered(instances: Sequence[CRFInstance], classes: IntArray) -> list[CRFInstance]:
    """Return the instances with labels 0 … K−1 for the given classes, −1 staying −1."""
    if np.array_equal(classes, np.arange(len(classes))):
        return list(instances)
    order = np.argsort(classes)
    renumbered: list[Any] = []
    for instance in instances:
        assert instance.labels is not None
        known = instance.labels != UNKNOWN
        labels = np.full(len(known), UNKNOWN, dtype=np.intp)
        labels[known] = order[np.searchsorted(classes[order], instance.labels[known])]
        renumbered.append(replace(instance, labels=labels))
    return renumbered


def check_potentials(instance: CRFInstance, n_unary: int, n_pairwise: int) -> None:
    """Raise ValueError unless the instance has the numbers of potentials of the fit."""
    for name, expected in (("unary", n_unary), ("pairwise", n_pairwise)):
        found = getattr(instance, name).shape[1]
        if found != expected:
            raise ValueError(
                f"instance has {found} {name} potentials, the model was fitted with {expected}"
            )
