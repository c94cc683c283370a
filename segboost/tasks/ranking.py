"""Ordering tasks: the area under the ROC curve (two ranks) and ordinal regression (more).

An example of the task is a pair (i, j) with y_i above y_j; its loss is 1 if the order is wrong, and
ψ = φ(x_i) − φ(x_j). The pairs are never listed, except by ``slack="each"``, which has one slack
variable per pair.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from segboost._types import AnyArray, FloatArray, IntArray, Slack
from segboost.solver.atoms import Channel, Cuts
from segboost.tasks import examplewise
from segboost.tasks.pair_counts import violated_pairs


class RankingTask:
    """Order pairs of examples by their ranks.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    ranks : ndarray of int, shape (n,), or None
        0 … R−1, higher ranks come first; two ranks make this the AUC.
    sample_weight : ndarray of shape (n,), optional
        A pair has the weight ``v_i v_j``.

    Notes
    -----
    One channel with one atom per example. If ``slack`` is a number B, the block of a pair is that
    of its upper example: contiguous runs of the examples above the lowest rank.
    """

    exact = True

    def __init__(
        self,
        X: AnyArray,
        ranks: IntArray | None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> None:
        self.X = X
        self.ranks = ranks
        if ranks is None:
            return
        if np.shape(ranks) != (X.shape[0],):
            raise ValueError(f"ranks has shape {np.shape(ranks)}, expected ({X.shape[0]},)")
        weight = examplewise.example_weights(sample_weight, X.shape[0])
        pairs = self._total_pair_weight(weight)
        if pairs <= 0:
            raise ValueError("y has only one class of non-zero weight: there is no pair to order")
        # Divided by √pairs in both factors, the pair weights v_i v_j sum to 1.
        self._weight = weight / np.sqrt(pairs)

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """One channel: the examples themselves."""
        return (Channel("score", self.X),)

    @property
    def n_upper(self) -> int:
        """Number of examples above the lowest rank: the maximum number of blocks."""
        return len(self._upper)

    def n_blocks(self, slack: Slack) -> int:
        """Return the number of slack variables; "each" has one per pair."""
        if slack == "each":
            return len(self._pairs[0])
        return examplewise.n_blocks(len(self._upper), slack)

    def separate(self, scores: FloatArray, slack: Slack) -> Cuts:
        """Return the cuts of all violated pairs, ``1 − (f_i − f_j) > 0``."""
        if self.ranks is None:
            raise ValueError("this task has no ranks and can only predict; pass `ranks` to fit it")
        if slack == "each":
            return self._pair_cuts(scores)
        block = examplewise.block_of_example(len(self._upper), slack)
        cuts = [self._block_cut(scores, self._upper[block == b]) for b in range(block[-1] + 1)]
        loss = np.array([value for value, _ in cuts])
        kept = np.flatnonzero(loss > 0)
        weights = sparse.csr_array(
            np.stack([cuts[b][1] for b in kept]) if len(kept) else (0, len(scores))
        )
        return Cuts(kept.astype(np.intp), loss[kept], weights)

    def decode(self, scores: FloatArray) -> FloatArray:
        """Return the scores, whose order is the predicted order."""
        return scores

    @cached_property
    def _upper(self) -> IntArray:
        """The examples above the lowest rank."""
        assert self.ranks is not None
        return np.flatnonzero(self.ranks > self.ranks.min())

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        """All pairs (upper, lower); only the m-slack form needs them."""
        assert self.ranks is not None
        upper, lower = np.nonzero(self.ranks[:, None] > self.ranks[None, :])
        return upper, lower

    def _total_pair_weight(self, weight: FloatArray) -> float:
        assert self.ranks is not None
        by_rank = np.bincount(np.unique(self.ranks, return_inverse=True)[1], weight)
        return float((by_rank * (np.cumsum(by_rank) - by_rank)).sum())

    def _block_cut(self, scores: FloatArray, upper: IntArray) -> tuple[float, FloatArray]:
        assert self.ranks is not None
        in_block = np.zeros(len(scores), dtype=bool)
        in_block[upper] = True
        above, below = violated_pairs(scores, self.ranks, self._weight, in_block)
        return float(above @ self._weight), self._weight * (above - below)

    def _pair_cuts(self, scores: FloatArray) -> Cuts:
        upper, lower = self._pairs
        block = np.flatnonzero(scores[lower] > scores[upper] - 1.0)
        upper, lower = upper[block], lower[block]
        value = self._weight[upper] * self._weight[lower]
        weights = sparse.csr_array(
            (
                np.column_stack([value, -value]).ravel(),
                np.column_stack([upper, lower]).ravel(),
                2 * np.arange(len(block) + 1),
            ),
            shape=(len(block), len(scores)),
        )
        return Cuts(block, value, weights)
