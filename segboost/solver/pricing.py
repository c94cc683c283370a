"""Pricing: the weak-learner oracle over all channels of a task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segboost._types import FloatArray
from segboost.solver.atoms import Channel, atom_offsets
from segboost.weak.base import BoundLearner, Candidate, SeveralLearner, WeakLearner


class Pricer:
    """Finds the best new column of every channel with the channels' weak learners.

    Channels that share features, outputs and learner are bound once and searched together.

    Parameters
    ----------
    channels : tuple of Channel
    learners : sequence of WeakLearner
        One per channel.
    """

    def __init__(self, channels: tuple[Channel, ...], learners: Sequence[WeakLearner]) -> None:
        if len(learners) != len(channels):
            raise ValueError(
                f"weak_learner has {len(learners)} learners for {len(channels)} channels; "
                "give one, or one per channel"
            )
        self._n_channels = len(channels)
        self._offsets = atom_offsets(channels)
        groups: dict[tuple[int, str, int], list[int]] = {}
        for index, (channel, learner) in enumerate(zip(channels, learners, strict=True)):
            key = (id(channel.features), channel.outputs, id(learner))
            groups.setdefault(key, []).append(index)
        self._groups: list[tuple[list[int], BoundLearner]] = [
            (members, learners[members[0]].bind(c.features, c.outputs))
            for members in groups.values()
            for c in [channels[members[0]]]
        ]

    @property
    def exact(self) -> bool:
        """Whether every learner searches its whole class of functions."""
        return all(bound.exact for _, bound in self._groups)

    def price(self, atom_weights: FloatArray) -> list[Candidate]:
        """Return the best candidate of every channel for the weights W, shape (N,)."""
        best: dict[int, Candidate] = {}
        for members, bound in self._groups:
            best.update(zip(members, bound.best(self._stack(atom_weights, members)), strict=True))
        return [best[c] for c in range(self._n_channels)]

    def further(self, atom_weights: FloatArray) -> list[tuple[int, Candidate]]:
        """Return further candidates, besides the best ones, each with its channel."""
        found: list[tuple[int, Candidate]] = []
        for members, bound in self._groups:
            if isinstance(bound, SeveralLearner):
                more = bound.further(self._stack(atom_weights, members))
                for channel, candidates in zip(members, more, strict=True):
                    found += [(channel, c) for c in candidates]
        return found

    def _stack(self, atom_weights: FloatArray, members: list[int]) -> FloatArray:
        return np.stack([self._part(atom_weights, c) for c in members], axis=1)

    def _part(self, atom_weights: FloatArray, channel: int) -> FloatArray:
        return atom_weights[self._offsets[channel] : self._offsets[channel + 1]]
