"""Boosted trees of several classes as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import log_softmax

from segboost._types import AnyArray, FloatArray
from segboost.boosting.bins import bin_columns
from segboost.boosting.class_growing import boost_class_trees
from segboost.boosting.settings import BoosterSettings
from segboost.boosting.tree_arrays import TreeArrays


class ClassBooster(TreeArrays):
    """F(x) = baseline + Σ_t tree_t(x), a score per class; softmax(F) are probabilities."""

    BASELINE_DIMENSIONS: ClassVar[int] = 1
    VALUE_TYPE: ClassVar[type[np.floating[Any]]] = np.float32

    @classmethod
    def fit(
        cls,
        X: AnyArray,
        y: AnyArray,
        n_classes: int,
        sample_weight: FloatArray | None = None,
        settings: BoosterSettings | None = None,
        seed: int | Sequence[int] = 0,
    ) -> Self:
        """Learn from finite features X, shape (N, d), and labels y in 0 … K−1, shape (N,)."""
        binned = bin_columns(X)
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        baseline, trees = boost_class_trees(
            binned.codes,
            np.arange(len(X)),
            np.asarray(y, np.int64),
            n_classes,
            weight / weight.mean(),
            settings or BoosterSettings(),
            np.random.default_rng(seed),
        )
        return cls.from_trees(baseline, trees, binned.thresholds)

    @property
    def n_classes(self) -> int:
        """The number of classes K."""
        return len(self.baseline)

    def decision_function(self, X: AnyArray) -> FloatArray:
        """Return F of every row, shape (N, K)."""
        out = np.tile(self.baseline, (len(X), 1))
        self.add_to(out, X)
        return out

    def log_probabilities(self, X: AnyArray) -> FloatArray:
        """Return the logarithms of the probabilities of every row, shape (N, K)."""
        found: FloatArray = log_softmax(self.decision_function(X), axis=1)
        return found
