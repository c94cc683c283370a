"""Learning the cost factors of pairs of classes for given energy terms.

With unary costs θ and edge costs c of a fitted CRF, the energy is

    ``E(y) = u Σ_p θ_p(y_p) + Σ_(p,q) c_pq M(y_p, y_q)``,   ``M = Σ_S v_S δ_S``,   u, v ≥ 0

with the cut metrics ``δ_S(a, b) = [exactly one of a and b is in S]``. Non-negative sums of cut
metrics are metrics, so that expansions stay valid. The sets S are the single classes (a class whose
borders are costly) and, with more than three classes, the pairs (two classes with cheap borders to
each other); Potts, half the sum over all single classes, is one more metric. E is linear in u and
v: the criterion is convex.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from segboost._types import FloatArray, IntArray, Slack
from segboost.graphs.labelling import potts
from segboost.graphs.minimiser import best_labels_of_all
from segboost.solver.atoms import Channel, Cuts
from segboost.solver.loop import ColumnGeneration
from segboost.solver.options import SolverOptions
from segboost.tasks.crf_instance import CRFInstance, StackedGraphs
from segboost.tasks.examplewise import aggregate, block_of_example, example_weights, n_blocks
from segboost.weak.ramp import RampLearner

Terms = tuple[FloatArray, FloatArray]
"""θ, shape (P, K), and the edge costs, shape (E,), of a graph."""


def learn_label_costs(
    instances: Sequence[CRFInstance],
    terms: Sequence[Terms],
    C: float,
    sample_weight: npt.ArrayLike | None = None,
    gap: float = 1e-2,
) -> FloatArray:
    """Return the best metric for given energy terms, scaled to a mean factor of 1.

    Parameters
    ----------
    instances : sequence of CRFInstance
        With labels 0 … K−1 at every node.
    terms : sequence of (θ, c)
        The energy terms of a CRF that was fitted with Potts.
    C : float
        Price of the mean loss per instance.
    sample_weight : array-like of shape (m,), optional
    gap : float
        Final relative gap of the cutting planes.

    Returns
    -------
    ndarray of shape (K, K)
        Potts if all learned factors are 0.
    """
    task = LabelCostTask(instances, terms, sample_weight)
    options = SolverOptions(C=C, n_iterations=200, slack="each", gap=gap)
    # Only rising functions: δ_S and the constant are metrics, 1 − δ_S is not.
    learner = RampLearner(n_rising=None)
    loop = ColumnGeneration(task, [learner, learner], options, np.random.default_rng(0))
    for _ in loop.run():
        pass
    scores = [np.zeros(channel.n_atoms) for channel in task.channels]
    for column, weight in zip(loop.columns, loop.weights, strict=True):
        features = task.channels[column.channel].features
        scores[column.channel] += weight * column.hypothesis.predict(features)
    factor = task.factor(np.concatenate(scores))
    mean = factor[~np.eye(task.n_classes, dtype=bool)].mean()
    return factor / mean if mean > 0 else potts(task.n_classes)


class LabelCostTask:
    """Learn u and M for the energy terms of labelled graphs.

    The atoms are one for u, whose feature is a constant, and the K(K−1)/2 pairs of classes, whose
    features are the δ_S. Both channels have non-negative outputs.

    Parameters
    ----------
    instances : sequence of CRFInstance
        With labels 0 … K−1 at every node.
    terms : sequence of (θ, c)
    sample_weight : array-like of shape (m,), optional
    """

    def __init__(
        self,
        instances: Sequence[CRFInstance],
        terms: Sequence[Terms],
        sample_weight: npt.ArrayLike | None = None,
    ) -> None:
        self.instances = tuple(instances)
        self.example_weight = example_weights(sample_weight, len(instances))
        self._stacked = StackedGraphs(instances)
        self._theta = np.concatenate([theta for theta, _ in terms])
        self._capacity = np.concatenate([c for _, c in terms])
        self.n_classes = self._theta.shape[1]
        self.exact = self.n_classes == 2
        self._pair_at = _pair_numbers(self.n_classes)
        self._last: IntArray | None = None
        one = Channel("unary", np.ones((1, 1)), "binary")
        self._channels = (one, Channel("pairs", cut_metrics(self.n_classes), "binary"))

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Channel "unary" with one atom, then "pairs" with one atom per pair of classes."""
        return self._channels

    def n_blocks(self, slack: Slack) -> int:
        """Return the number of slack variables for this choice of `slack`."""
        return n_blocks(len(self.instances), slack)

    def factor(self, scores: FloatArray) -> FloatArray:
        """Return M, shape (K, K), from the atom scores."""
        return np.where(self._pair_at < 0, 0.0, scores[1:][self._pair_at])

    def separate(self, scores: FloatArray, slack: Slack) -> Cuts:
        """Return a strongly violated cut of every block, by loss-augmented inference."""
        theta = self._stacked.loss_augmented(scores[0] * self._theta)
        found = self._last = self._minimise(theta, scores, self._last)
        truth = self._stacked.true_labels()
        difference = sparse.csr_array(self._uses(found) - self._uses(truth))
        blocks = block_of_example(len(self.instances), slack)
        loss = self._stacked.losses(found)
        return aggregate(loss, difference, scores, self.example_weight, blocks)

    def decode(self, scores: FloatArray) -> list[IntArray]:
        """Return labels of low energy, shape (P,), per instance."""
        return self._stacked.split(self._minimise(scores[0] * self._theta, scores, None))

    def dump(self) -> dict[str, Any]:
        """Return the last labelling, from which inference starts."""
        return {} if self._last is None else {"last": self._last}

    def load(self, arrays: Mapping[str, Any]) -> None:
        """Restore the state returned by `dump`."""
        self._last = arrays["last"].astype(np.intp) if "last" in arrays else None

    def _minimise(self, theta: FloatArray, scores: FloatArray, first: IntArray | None) -> IntArray:
        stacked, factor = self._stacked, self.factor(scores)
        return best_labels_of_all(
            stacked.graph, stacked.node_start, theta, self._capacity, factor, first
        )

    def _uses(self, labels: IntArray) -> FloatArray:
        """Return −ψ of a labelling of every instance as weights on atoms, shape (m, N)."""
        m, n_pairs = len(self.instances), self._channels[1].n_atoms
        own = np.bincount(self._stacked.node_owner, self._theta[np.arange(len(labels)), labels], m)
        tail, head = self._stacked.graph.edges.T
        pair = self._pair_at[labels[tail], labels[head]]
        cut = pair >= 0
        place = self._stacked.edge_owner[cut] * n_pairs + pair[cut]
        pairs = np.bincount(place, self._capacity[cut], m * n_pairs).reshape(m, n_pairs)
        return np.column_stack([own, pairs])


def cut_metrics(n_classes: int) -> FloatArray:
    """Return the features of the pairs of classes: Potts, then δ_S of single classes and pairs.

    Returns
    -------
    ndarray of shape (K(K−1)/2, number of metrics)
        In the order of ``itertools.combinations(range(K), 2)``.
    """
    pairs = list(combinations(range(n_classes), 2))
    sets = [*((k,) for k in range(n_classes)), *(pairs if n_classes > 3 else [])]
    rows = [[1.0, *(float((a in s) != (b in s)) for s in sets)] for a, b in pairs]
    return np.array(rows).reshape(len(pairs), 1 + len(sets))


def _pair_numbers(n_classes: int) -> IntArray:
    """Return the number of each pair of classes, −1 on the diagonal, shape (K, K)."""
    number = np.full((n_classes, n_classes), -1, np.intp)
    tail, head = np.triu_indices(n_classes, 1)
    number[tail, head] = number[head, tail] = np.arange(len(tail))
    return number
