"""Boosted trees of two classes: grown on codes, kept as thresholds on the features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from segboost._types import AnyArray, FloatArray
from segboost.boosting.bins import bin_columns
from segboost.boosting.growing import boost_trees
from segboost.boosting.settings import BoosterSettings
from segboost.boosting.tree_arrays import TreeArrays


class TreeBooster(TreeArrays):
    """F(x) = baseline + Σ_t tree_t(x), the log-odds of the foreground."""

    BASELINE_DIMENSIONS: ClassVar[int] = 0
    VALUE_TYPE: ClassVar[type[np.floating[Any]]] = np.float64

    @classmethod
    def fit(
        cls,
        X: AnyArray,
        y: AnyArray,
        sample_weight: FloatArray | None = None,
        settings: BoosterSettings | None = None,
        seed: int | Sequence[int] = 0,
    ) -> Self:
        """Learn from finite features X, shape (N, d), and labels y in {0, 1}, shape (N,)."""
        binned = bin_columns(X)
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        baseline, trees = boost_trees(
            binned.codes,
            np.arange(len(X)),
            np.asarray(y) == 1,
            weight / weight.mean(),
            settings or BoosterSettings(),
            np.random.default_rng(seed),
        )
        return cls.from_trees(baseline, trees, binned.thresholds)

    def decision_function(self, X: AnyArray) -> FloatArray:
        """Return F of every row, shape (N,)."""
        out = np.zeros((len(X), 1))
        self.add_to(out, X)
        found: FloatArray = self.baseline + out[:, 0]
        return found
