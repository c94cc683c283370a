"""Boosted trees over a table in memory, as an out-of-fold learner."""

from __future__ import annotations

from dataclasses import dataclass

from segboost._types import BoolArray, Float32Array, FloatArray, Int64Array
from segboost.boosting.ensemble import TreeBooster
from segboost.boosting.settings import BoosterSettings


@dataclass(frozen=True, eq=False)
class TableLearner:
    """Learns boosted trees over the rows of a table; see `learn_out_of_fold`.

    Parameters
    ----------
    table : ndarray of float32, shape (N, D)
    labels : ndarray of int, shape (N,)
    weight : ndarray of shape (N,)
        Non-negative weights; rows of weight 0 are ignored.
    fold : ndarray of int, shape (N,)
    settings : BoosterSettings
    seed : tuple of int
        The random seed, extended by the part that is learned.
    """

    table: Float32Array
    labels: Int64Array
    weight: FloatArray
    fold: Int64Array
    settings: BoosterSettings
    seed: tuple[int, ...]

    @property
    def known(self) -> BoolArray:
        """The rows that may be learned from, shape (N,)."""
        return self.weight > 0

    def fit(self, rows: Int64Array, part: int) -> TreeBooster:
        """Return trees learned from these rows."""
        table, labels, weight = self.table[rows], self.labels[rows], self.weight[rows]
        return TreeBooster.fit(table, labels, weight, self.settings, [*self.seed, part])

    def score(self, model: TreeBooster, rows: Int64Array) -> FloatArray:
        """Return the log-odds of these rows."""
        return model.decision_function(self.table[rows])
