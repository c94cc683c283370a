"""CRFs with K classes on graphs, learned with approximate loss-augmented inference.

The energy of a labelling y ∈ {0, …, K−1}^P at atom scores s is

    ``E(y) = Σ_p s[(p, y_p)] + Σ_e s[e] μ(y_p, y_q)``

with one unary channel per class and a shared pairwise one; μ is ``[a ≠ b]`` by default. For K > 2
separation is approximate. Every cut it finds is valid, so that the master's value bounds the
optimum over the current columns from below; but finding no violated cut does not prove that there
is none, and the gap is an estimate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from segboost._types import FloatArray, IntArray, Slack
from segboost.graphs.labelling import check_factor, potts
from segboost.graphs.minimiser import best_labels_of_all
from segboost.solver.atoms import Channel, Cuts
from segboost.tasks.crf import pairwise_features
from segboost.tasks.crf_instance import CRFInstance, StackedGraphs, check_instances
from segboost.tasks.crf_unary import UNARY, Unary, UnaryAtoms
from segboost.tasks.examplewise import aggregate, block_of_example, example_weights, n_blocks


class MulticlassCRFTask:
    """Label the nodes of one or more graphs with one of K classes.

    The flat atom axis holds the atoms (p, class 0) of all nodes, then those of each further class,
    and finally the edges, each in the order of the instances. The channels of the classes share
    the features ``[U(x^p), 1]``; channel "pairwise" has the pairwise potentials. Learners can also
    be shared by the classes: see `segboost.tasks.crf_unary`.

    The loss is the Hamming loss ``Δ(y, y') = Σ_p node_weight_p [y_p ≠ y'_p]``. If K > 2, separation
    starts from the labelling that it found last, which is usually close to the new one.

    Parameters
    ----------
    instances : sequence of CRFInstance
        Labels 0 … K−1, or None for prediction.
    n_classes : int
        K.
    sample_weight : array-like of shape (m,), optional
        Weights of the instances; equal by default.
    fit_intercept : bool
        Whether the unary features end with a constant.
    label_costs : array-like of shape (K, K), optional
        μ, symmetric, non-negative and zero on its diagonal. If it is a metric, inference is by
        expansions, otherwise by swaps.
    unary : "classwise", "shared", "both" or "raw"
        As in `segboost.tasks.crf_unary.UnaryAtoms`.
    classes : ndarray of int, shape (K,), optional
        The column of every class in a group of scores; by default 0 … K−1.
    n_scores : int, optional
        The number of scores in a group; by default just enough for these columns.
    """

    def __init__(
        self,
        instances: Sequence[CRFInstance],
        n_classes: int,
        sample_weight: npt.ArrayLike | None = None,
        fit_intercept: bool = True,
        label_costs: npt.ArrayLike | None = None,
        unary: Unary = "classwise",
        classes: IntArray | None = None,
        n_scores: int | None = None,
    ) -> None:
        if unary not in UNARY:
            raise ValueError(f"unary must be one of {', '.join(map(repr, UNARY))}, got {unary!r}")
        self.instances = check_instances(instances)
        self.n_classes = n_classes
        self.exact = n_classes == 2
        self.factor = None if label_costs is None else check_factor(label_costs, n_classes)
        self.example_weight = example_weights(sample_weight, len(self.instances))
        self._stacked = StackedGraphs(self.instances)
        columns = np.arange(n_classes) if classes is None else classes
        self._unary = UnaryAtoms(
            np.concatenate([i.unary for i in self.instances]),
            columns,
            int(columns.max()) + 1 if n_scores is None else n_scores,
            unary,
            fit_intercept,
        )
        pairwise = Channel("pairwise", pairwise_features(self.instances), "binary")
        self._channels = (*self._unary.channels, pairwise)
        for i in self.instances:
            if i.labels is not None and i.labels.size and i.labels.max() >= n_classes:
                raise ValueError(
                    f"labels must be below n_classes={n_classes}, got {i.labels.max()}"
                )
        self._last: IntArray | None = None

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The unary channels (one per class by default), then "pairwise" with E atoms."""
        return self._channels

    def n_blocks(self, slack: Slack) -> int:
        """Return the number of slack variables for this choice of `slack`."""
        return n_blocks(len(self.instances), slack)

    def separate(self, scores: FloatArray, slack: Slack) -> Cuts:
        """Return a strongly violated cut of every block, by loss-augmented inference.

        Raises
        ------
        ValueError
            If an instance has no labels, or the score of an edge is negative or not finite.
        """
        blocks = block_of_example(len(self.instances), slack)
        return aggregate(*self.most_violated(scores), scores, self.example_weight, blocks)

    def most_violated(self, scores: FloatArray) -> tuple[FloatArray, sparse.csr_array]:
        """Return Δ(y_i, y'_i), shape (m,), and δψ_i(y'_i), shape (m, N), of every instance."""
        theta, capacity = self._energies(scores)
        found = self._minimise(self._stacked.loss_augmented(theta), capacity, self._last)
        self._last = found
        return self._stacked.losses(found), self._difference(found)

    def decode(self, scores: FloatArray) -> list[IntArray]:
        """Return labels of low energy, shape (P,), per instance."""
        return self._stacked.split(self._minimise(*self._energies(scores), None))

    def energies(self, scores: FloatArray, instance: int = 0) -> tuple[FloatArray, FloatArray]:
        """Return the energy terms of one instance: θ, shape (P, K), and c, shape (E,)."""
        return self._stacked.terms_of(instance, *self._energies(scores))

    def dump(self) -> dict[str, Any]:
        """Return the state that separation depends on: the last labelling."""
        return {} if self._last is None else {"last": self._last}

    def load(self, arrays: Mapping[str, Any]) -> None:
        """Restore the state returned by `dump`."""
        self._last = arrays["last"].astype(np.intp) if "last" in arrays else None

    def _energies(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        n_unary = self._unary.n_atoms
        n_atoms = n_unary + self._stacked.graph.n_edges
        if scores.shape != (n_atoms,):
            raise ValueError(
                f"scores has shape {scores.shape}, expected ({n_atoms},): one per atom"
            )
        return self._unary.costs(scores[:n_unary]), scores[n_unary:]

    def _minimise(
        self, theta: FloatArray, capacity: FloatArray, first: IntArray | None
    ) -> IntArray:
        stacked = self._stacked
        return best_labels_of_all(
            stacked.graph, stacked.node_start, theta, capacity, self.factor, first
        )

    def _difference(self, found: IntArray) -> sparse.csr_array:
        """Return δψ_i(y'_i) of every instance, shape (m, N).

        +1 on the atoms of y' and −1 on those of the truth where they differ, and the change of μ
        on the edges.
        """
        stacked, truth = self._stacked, self._stacked.true_labels()
        changed = np.flatnonzero(found != truth)
        tail, head = stacked.graph.edges.T
        factor = potts(self.n_classes) if self.factor is None else self.factor
        touched = np.flatnonzero((found[tail] != truth[tail]) | (found[head] != truth[head]))
        tail, head = tail[touched], head[touched]
        cost = factor[found[tail], found[head]] - factor[truth[tail], truth[head]]
        recut = cost != 0.0
        edges = touched[recut]
        at, atom, weight = self._unary.changes(changed, found[changed], truth[changed])
        column = np.concatenate([atom, self._unary.n_atoms + edges])
        owner = np.concatenate([stacked.node_owner[changed[at]], stacked.edge_owner[edges]])
        value = np.concatenate([weight, cost[recut]])
        shape = (stacked.n_graphs, self._unary.n_atoms + stacked.graph.n_edges)
        return sparse.csr_array((value, (owner, column)), shape=shape)
