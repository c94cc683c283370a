"""Structured outputs given as sampled candidates, such as boxes that should overlap a target."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from segboost._types import AnyArray, FloatArray, IntArray, Slack
from segboost.solver.atoms import Channel, Cuts
from segboost.tasks.examplewise import aggregate, block_of_example, example_weights, n_blocks


class CandidateTask:
    """Choose the candidate of lowest loss for every example: ψ(x, y) = φ(x_y).

    Parameters
    ----------
    features : ndarray of shape (N, d)
        One row per candidate (an atom); the candidates of an example are adjacent.
    example : ndarray of int, shape (N,)
        The example of every candidate: 0 … m−1, ascending, each at least once.
    loss : ndarray of shape (N,), or None
        Δ(y_i, y) of every candidate, for example one minus `box_overlap` with the true box; None
        for prediction.
    truth : ndarray of int, shape (m,), optional
        The row of the correct candidate of every example; by default the first of lowest loss.
    sample_weight : ndarray of shape (m,), optional
    """

    exact = True

    def __init__(
        self,
        features: AnyArray,
        example: IntArray,
        loss: FloatArray | None,
        truth: IntArray | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> None:
        self.features = features
        self.example = _check_examples(example, len(features))
        self.n_examples = int(self.example[-1]) + 1
        self._first = np.searchsorted(self.example, np.arange(self.n_examples))
        self._weight = example_weights(sample_weight, self.n_examples)
        self.loss = None if loss is None else _check_loss(loss, len(features))
        if self.loss is not None:
            self._truth = self._check_truth(self._argmax(-self.loss) if truth is None else truth)
            # The correct candidate has loss 0 even if it is only close to the true output.
            self.loss[self._truth] = 0.0

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """One channel: the candidates."""
        return (Channel("candidate", self.features),)

    def n_blocks(self, slack: Slack) -> int:
        """Return the number of slack variables."""
        return n_blocks(self.n_examples, slack)

    def separate(self, scores: FloatArray, slack: Slack) -> Cuts:
        """Return the cuts of ``argmax_y Δ(y_i, y) + F(x_i, y)`` over the candidates."""
        if self.loss is None:
            raise ValueError("this task has no losses and can only predict; pass `loss` to fit it")
        worst = self._argmax(self.loss + scores)
        m = self.n_examples
        value = np.tile([1.0, -1.0], m)
        column = np.column_stack([self._truth, worst]).ravel()
        difference = sparse.csr_array((value, column, 2 * np.arange(m + 1)), shape=(m, len(scores)))
        difference.sum_duplicates()
        return aggregate(
            self.loss[worst], difference, scores, self._weight, block_of_example(m, slack)
        )

    def decode(self, scores: FloatArray) -> IntArray:
        """Return the row of the best candidate of every example."""
        return self._argmax(scores)

    def _check_truth(self, truth: npt.ArrayLike) -> IntArray:
        rows = np.asarray(truth, dtype=np.intp)
        inside = (
            rows.shape == (self.n_examples,) and rows.min() >= 0 and rows.max() < len(self.example)
        )
        if not inside or (self.example[rows] != np.arange(self.n_examples)).any():
            raise ValueError("truth must hold one row per example, among the example's candidates")
        return rows

    def _argmax(self, values: FloatArray) -> IntArray:
        """Return the row of the first largest value of every example."""
        largest = np.maximum.reduceat(values, self._first)
        rows = np.flatnonzero(values == largest[self.example])
        return rows[np.searchsorted(self.example[rows], np.arange(self.n_examples))]


def box_overlap(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return intersection over union of boxes (x, y, w, h), arrays of shape (…, 4)."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    low = np.maximum(a[..., :2], b[..., :2])
    high = np.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    inner = np.prod(np.maximum(high - low, 0.0), axis=-1)
    union = np.prod(a[..., 2:], axis=-1) + np.prod(b[..., 2:], axis=-1) - inner
    return np.divide(inner, union, out=np.zeros_like(inner), where=union > 0)


def _check_examples(example: npt.ArrayLike, n_rows: int) -> IntArray:
    index = np.asarray(example, dtype=np.intp)
    if index.shape != (n_rows,) or n_rows == 0:
        raise ValueError(f"example has shape {index.shape}, expected ({n_rows},), not empty")
    if index[0] != 0 or not np.isin(np.diff(index), (0, 1)).all():
        raise ValueError("example must ascend from 0 without gaps: sort the candidates by example")
    return index


def _check_loss(loss: npt.ArrayLike, n_rows: int) -> FloatArray:
    values = np.array(loss, dtype=np.float64)
    if values.shape != (n_rows,) or not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(f"loss must be {n_rows} finite non-negative numbers")
    return values
