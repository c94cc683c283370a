"""Hierarchical classification: the tree loss with tree codes or label-augmented data."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from segboost._types import AnyArray, FloatArray, IntArray, Slack
from segboost.solver.atoms import Channel, Cuts
from segboost.tasks.examplewise import aggregate, block_of_example, example_weights, n_blocks
from segboost.tasks.label_codes import LabelCodeTask, check_cost, check_labels
from segboost.tasks.taxonomy import Taxonomy


def hierarchy_task(
    X: AnyArray,
    y: IntArray | None,
    taxonomy: Taxonomy,
    classes: Sequence[Hashable],
    sample_weight: npt.ArrayLike | None = None,
) -> LabelCodeTask:
    """Return the task with ψ(x, y) = φ(x) ⊗ Γ(y), Γ over the tree's nodes, and the tree loss.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of int, shape (m,), or None
        Indices into `classes`.
    taxonomy : Taxonomy
    classes : sequence of the k class names, leaves of the tree
    sample_weight : ndarray of shape (m,), optional
    """
    codes = taxonomy.codes(classes)
    used = np.asarray(codes.any(axis=0))
    names = tuple(str(node) for node, keep in zip(taxonomy.nodes, used, strict=True) if keep)
    return LabelCodeTask(X, y, codes[:, used], taxonomy.loss(classes), sample_weight, names)


class LabelAugmentedTask:
    """Classification on label-augmented data: ψ(x, y) = φ(x ⊗ Γ(y)), one w for all classes.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of int, shape (m,), or None
    codes : ndarray of shape (k, Q)
    cost : ndarray of shape (k, k)
    sample_weight : ndarray of shape (m,), optional

    Notes
    -----
    One channel; atom ``i·k + c`` is example i under class c, with the features
    ``x_i ⊗ Γ(c)``, shape (d·Q,): feature ``q·d + f`` is ``Γ(c)_q x_if``.
    """

    exact = True

    def __init__(
        self,
        X: AnyArray,
        y: IntArray | None,
        codes: FloatArray,
        cost: FloatArray,
        sample_weight: npt.ArrayLike | None = None,
    ) -> None:
        self.X = X
        self.codes = np.asarray(codes, dtype=np.float64)
        self.cost = check_cost(cost, len(self.codes))
        if sparse.issparse(X):
            raise ValueError(
                'coding="augmented" does not take sparse tables: convert them with toarray()'
            )
        self.y = None if y is None else check_labels(y, len(X), len(self.codes))
        self._weight = example_weights(sample_weight, len(X))

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """One channel: every example under every class."""
        k, q = self.codes.shape
        augmented = self.codes[None, :, :, None] * self.X[:, None, None, :]
        return (
            Channel("label-augmented", augmented.reshape(len(self.X) * k, q * self.X.shape[1])),
        )

    def n_blocks(self, slack: Slack) -> int:
        """Return the number of slack variables."""
        return n_blocks(len(self.X), slack)

    def class_scores(self, scores: FloatArray) -> FloatArray:
        """Return F(x_i, y), shape (m, k)."""
        return scores.reshape(len(self.X), -1)

    def separate(self, scores: FloatArray, slack: Slack) -> Cuts:
        """Return the cuts of ``argmax_y Δ(y_i, y) + F(x_i, y)``, found by enumeration."""
        if self.y is None:
            raise ValueError("this task has no labels and can only predict; pass `y` to fit it")
        worst = np.argmax(self.class_scores(scores) + self.cost[self.y], axis=1)
        m, k = len(self.X), len(self.codes)
        wrong = np.flatnonzero(worst != self.y)
        row = np.repeat(wrong, 2)
        column = (wrong[:, None] * k + np.column_stack([self.y, worst])[wrong]).ravel()
        value = np.tile([1.0, -1.0], len(wrong))
        difference = sparse.csr_array((value, (row, column)), shape=(m, m * k))
        loss = self.cost[self.y, worst]
        return aggregate(loss, difference, scores, self._weight, block_of_example(m, slack))

    def decode(self, scores: FloatArray) -> IntArray:
        """Return the index of the highest-scoring class of every row."""
        return np.argmax(self.class_scores(scores), axis=1)
