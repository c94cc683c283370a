"""Binary CRFs on graphs, learned with exact loss-augmented inference by min-cut.

The energy of a labelling y ∈ {0, 1}^P at atom scores s is

    ``E(y) = Σ_p s[(p, y_p)] + Σ_e s[e]·[y_p ≠ y_q]``

and prediction minimises it (ψ = −[Σ φ1; Σ φ2], so that F = −E). The energy is submodular if the
scores of edges are non-negative, which w ≥ 0 with {0, 1} learners ensures.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from segboost._types import FloatArray, IntArray, Slack
from segboost.graphs.mincut import minimise
from segboost.solver.atoms import Channel, Cuts
from segboost.tasks.crf_instance import CRFInstance, StackedGraphs, check_instances, starts
from segboost.tasks.examplewise import aggregate, block_of_example, example_weights, n_blocks

__all__ = ["CRFInstance", "CRFTask"]


class CRFTask:
    """Label the nodes of one or more graphs with 0 or 1.

    The flat atom axis has three parts, each in the order of the instances: the atoms (p, label
    0) of all nodes, the atoms (p, label 1) of all nodes, and the edges. The first two form
    channel "unary", whose features are ``y·[U(x^p), 1]`` with y = −1 and +1; the third is
    channel "pairwise", whose features are the pairwise potentials (or one constant column if
    there are none, so that Potts learners have an input).

    The loss is the Hamming loss ``Δ(y, y') = Σ_p node_weight_p [y_p ≠ y'_p]``, with node weights
    of 1 by default. An example is an instance: `slack` and `sample_weight` refer to instances.

    Parameters
    ----------
    instances : sequence of CRFInstance
        All with the same numbers of potentials. Instances without labels can be decoded but not
        learned from; `segboost.tasks.crf_partial` completes partially labelled ones.
    sample_weight : array-like of shape (m,), optional
        Weights of the instances; equal by default.
    fit_intercept : bool
        Whether the unary features end with a constant.
    """

    exact = True

    def __init__(
        self,
        instances: Sequence[CRFInstance],
        sample_weight: npt.ArrayLike | None = None,
        fit_intercept: bool = True,
    ) -> None:
        self.instances = check_instances(instances)
        self.example_weight = example_weights(sample_weight, len(self.instances))
        self._stacked = StackedGraphs(self.instances)
        self._channels = (
            Channel("unary", _unary_features(self.instances, fit_intercept), "signed"),
            Channel("pairwise", pairwise_features(self.instances), "binary"),
        )
        if any(i.labels is not None and (i.labels > 1).any() for i in self.instances):
            raise ValueError("labels must be 0 or 1 here; MulticlassCRFTask takes more classes")

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Channel "unary" with 2P atoms, then channel "pairwise" with E atoms."""
        return self._channels

    def n_blocks(self, slack: Slack) -> int:
        """Return the number of slack variables for this choice of `slack`."""
        return n_blocks(len(self.instances), slack)

    def separate(self, scores: FloatArray, slack: Slack) -> Cuts:
        """Return the most violated cut of every block, by loss-augmented min-cut.

        For every instance, ``y' = argmin_y E(y) − Δ(y_i, y)`` is found exactly.

        Raises
        ------
        ValueError
            If an instance has no labels, or the score of an edge is negative or not finite.
        """
        blocks = block_of_example(len(self.instances), slack)
        return aggregate(*self.most_violated(scores), scores, self.example_weight, blocks)

    def most_violated(self, scores: FloatArray) -> tuple[FloatArray, sparse.csr_array]:
        """Return Δ(y_i, y'_i), shape (m,), and δψ_i(y'_i), shape (m, N), of every instance."""
        truth = self._stacked.true_labels()
        theta, capacity = self._energies(scores)
        theta = theta.copy()
        theta[np.arange(len(truth)), 1 - truth] -= self._stacked.loss
        found = minimise(self._stacked.graph, theta, capacity).astype(np.intp)
        return self._stacked.losses(found), self._difference(found)

    def decode(self, scores: FloatArray) -> list[IntArray]:
        """Return the labels of minimum energy, shape (P,), per instance; ties go to label 0."""
        found = minimise(self._stacked.graph, *self._energies(scores)).astype(np.intp)
        return self._stacked.split(found)

    def energies(self, scores: FloatArray, instance: int = 0) -> tuple[FloatArray, FloatArray]:
        """Return the energy terms of one instance: θ, shape (P, 2), and c, shape (E,)."""
        return self._stacked.terms_of(instance, *self._energies(scores))

    def _energies(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        graph = self._stacked.graph
        n_nodes, n_atoms = graph.n_nodes, 2 * graph.n_nodes + graph.n_edges
        if scores.shape != (n_atoms,):
            raise ValueError(
                f"scores has shape {scores.shape}, expected ({n_atoms},): one per atom"
            )
        return scores[: 2 * n_nodes].reshape(2, n_nodes).T, scores[2 * n_nodes :]

    def _difference(self, found: IntArray) -> sparse.csr_array:
        """Return δψ_i(y'_i) of every instance, shape (m, N).

        Where y' differs from the truth, +1 on the atoms of y' and −1 on those of the truth.
        """
        graph, truth = self._stacked.graph, self._stacked.true_labels()
        n_nodes = graph.n_nodes
        changed = np.flatnonzero(found != truth)
        sign = np.where(truth[changed] == 1, 1.0, -1.0)
        tail, head = graph.edges.T
        cut_now = (found[tail] != found[head]).astype(np.int8)
        cut_change = cut_now - (truth[tail] != truth[head])
        recut = np.flatnonzero(cut_change)
        owner = self._stacked.node_owner[changed]
        owner = np.concatenate([owner, owner, self._stacked.edge_owner[recut]])
        column = np.concatenate([changed, changed + n_nodes, recut + 2 * n_nodes])
        value = np.concatenate([sign, -sign, cut_change[recut].astype(np.float64)])
        # A stable sort keeps the columns of a row in ascending order.
        order = np.argsort(owner, kind="stable")
        shape = (self._stacked.n_graphs, 2 * n_nodes + graph.n_edges)
        first = starts(np.bincount(owner, minlength=shape[0]))
        return sparse.csr_array((value[order], column[order], first), shape=shape)


def _unary_features(instances: tuple[CRFInstance, ...], fit_intercept: bool) -> FloatArray:
    positive = np.concatenate([i.unary for i in instances]).astype(np.float64, copy=False)
    if fit_intercept:
        positive = np.column_stack([positive, np.ones(len(positive))])
    return np.concatenate([-positive, positive])


def pairwise_features(instances: tuple[CRFInstance, ...]) -> FloatArray:
    """Return the pairwise potentials of all edges, or a constant if there are none."""
    features = np.concatenate([i.pairwise for i in instances])
    return features if features.shape[1] else np.ones((len(features), 1))
