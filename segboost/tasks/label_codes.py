"""Classification with label codes: binary, multi-class and hierarchical in one class.

Each class y has a code vector Γ(y); ψ(x, y) = φ(x) ⊗ Γ(y), so that a weak learner belongs to one
entry of the code and ``F(x, y) = Σ_q Γ(y)_q s_q(x)`` with the scores s_q of entry q.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from segboost._types import AnyArray, FloatArray, IntArray, Slack
from segboost.solver.atoms import Channel, Cuts
from segboost.tasks.examplewise import aggregate, block_of_example, example_weights, n_blocks


class LabelCodeTask:
    """Classification with ψ(x, y) = φ(x) ⊗ Γ(y) and any loss between classes.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of int, shape (m,), or None
        Class indices 0 … k−1; None for prediction.
    codes : ndarray of shape (k, Q)
        Γ, one row per class.
    cost : ndarray of shape (k, k)
        Δ(y, y'), zero on the diagonal and non-negative.
    sample_weight : ndarray of shape (m,), optional
    names : sequence of str, optional
        Names of the code entries, for reports.

    Notes
    -----
    Channel q has one atom per example; the atom scores are ``s.reshape(Q, m)``.
    """

    exact = True

    def __init__(
        self,
        X: AnyArray,
        y: IntArray | None,
        codes: FloatArray,
        cost: FloatArray,
        sample_weight: npt.ArrayLike | None = None,
        names: tuple[str, ...] | None = None,
    ) -> None:
        self.X = X
        self.codes = np.asarray(codes, dtype=np.float64)
        self.cost = check_cost(cost, len(self.codes))
        self.y = None if y is None else check_labels(y, X.shape[0], len(self.codes))
        self.names = names or tuple(f"code {q}" for q in range(self.codes.shape[1]))
        self._weight = example_weights(sample_weight, X.shape[0])

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """One channel per code entry, all on the same features."""
        return tuple(Channel(name, self.X) for name in self.names)

    def n_blocks(self, slack: Slack) -> int:
        """Return the number of slack variables."""
        return n_blocks(self.X.shape[0], slack)

    def class_scores(self, scores: FloatArray) -> FloatArray:
        """Return F(x_i, y), shape (m, k), for the given atom scores."""
        return scores.reshape(len(self.names), -1).T @ self.codes.T

    def separate(self, scores: FloatArray, slack: Slack) -> Cuts:
        """Return the cuts of ``argmax_y Δ(y_i, y) + F(x_i, y)``, found by enumeration."""
        if self.y is None:
            raise ValueError("this task has no labels and can only predict; pass `y` to fit it")
        worst = np.argmax(self.class_scores(scores) + self.cost[self.y], axis=1)
        return aggregate(
            self.cost[self.y, worst],
            self._difference(worst),
            scores,
            self._weight,
            block_of_example(self.X.shape[0], slack),
        )

    def _difference(self, worst: IntArray) -> sparse.csr_array:
        """Return Γ(y_i) − Γ(y'_i) placed on the atoms, shape (m, Q·m)."""
        delta = self.codes[self.y] - self.codes[worst]
        example, entry = np.nonzero(delta)
        m = len(delta)
        return sparse.csr_array(
            (delta[example, entry], (example, entry * m + example)), shape=(m, delta.size)
        )

    def decode(self, scores: FloatArray) -> IntArray:
        """Return the index of the highest-scoring class of every row."""
        return np.argmax(self.class_scores(scores), axis=1)


def check_cost(cost: npt.ArrayLike, n_classes: int) -> FloatArray:
    """Return the cost matrix as float64; raise ValueError if it is invalid."""
    matrix = np.asarray(cost, dtype=np.float64)
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"cost has shape {matrix.shape}, expected ({n_classes}, {n_classes}): "
            "one row and one column per class"
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise ValueError("cost must be finite and not negative")
    if np.diagonal(matrix).any():
        raise ValueError("cost must be zero on its diagonal: a correct prediction has no cost")
    return matrix


def check_labels(y: npt.ArrayLike, n_examples: int, n_classes: int) -> IntArray:
    """Return the class indices as intp; raise ValueError if they are invalid."""
    labels = np.asarray(y)
    if labels.shape != (n_examples,):
        raise ValueError(f"y has shape {labels.shape}, expected ({n_examples},): one label per row")
    if labels.size and not (labels.min() >= 0 and labels.max() < n_classes):
        raise ValueError(f"y must hold class indices from 0 to {n_classes - 1}")
    return labels.astype(np.intp)
