"""The trained model: hypotheses and weights, with no reference to data or solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from segboost._types import AnyArray, FloatArray, IntArray
from segboost.weak.base import Hypothesis


@dataclass(frozen=True, eq=False)
class Ensemble:
    """F = Σ_j w_j ψ_j as arrays and functions.

    Parameters
    ----------
    hypotheses : tuple of Hypothesis
        All columns in the order they were found, including those whose final weight is 0.
    channel : ndarray of int, shape (J,)
        The channel of each hypothesis.
    stages : tuple of ndarray
        The weights after every round; stage t has one entry per column found by then.
    n_channels : int
    """

    hypotheses: tuple[Hypothesis, ...]
    channel: IntArray
    stages: tuple[FloatArray, ...]
    n_channels: int

    @cached_property
    def weights(self) -> FloatArray:
        """The final w, shape (J,)."""
        return self._padded(len(self.stages) - 1)

    def scores(self, features: Sequence[AnyArray]) -> list[FloatArray]:
        """Return the scores ``Σ_j w_j φ_j(x)`` of the atoms, one array per channel.

        Parameters
        ----------
        features : sequence of ndarray of shape (N_c, d_c)
            One per channel.
        """
        self._check(features)
        out = [np.zeros(f.shape[0]) for f in features]
        for j in np.flatnonzero(self.weights):
            c = self.channel[j]
            out[c] += self.weights[j] * self.hypotheses[j].predict(features[c])
        return out

    def staged_scores(self, features: Sequence[AnyArray]) -> Iterator[list[FloatArray]]:
        """Yield the scores of the model after every round."""
        self._check(features)
        responses = [
            h.predict(features[c]) for h, c in zip(self.hypotheses, self.channel, strict=True)
        ]
        for stage in range(len(self.stages)):
            weights = self._padded(stage)
            out = [np.zeros(f.shape[0]) for f in features]
            for j in np.flatnonzero(weights):
                out[self.channel[j]] += weights[j] * responses[j]
            yield out

    def importances(self, channel: int, n_features: int) -> FloatArray:
        """Return the total weight of the channel's hypotheses per feature, shape (d,)."""
        total = np.zeros(n_features)
        for j in np.flatnonzero(self.weights * (self.channel == channel)):
            shares = getattr(self.hypotheses[j], "feature_shares", None)
            if shares is not None:
                total += self.weights[j] * shares(n_features)
        return total

    def _padded(self, stage: int) -> FloatArray:
        weights = np.zeros(len(self.hypotheses))
        if self.stages:
            weights[: len(self.stages[stage])] = self.stages[stage]
        return weights

    def _check(self, features: Sequence[AnyArray]) -> None:
        if len(features) != self.n_channels:
            raise ValueError(
                f"features has {len(features)} channels, the model has {self.n_channels}"
            )
