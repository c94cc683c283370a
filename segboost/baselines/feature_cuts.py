"""Cuts in feature space: a task's cuts as constraints on linear weights.

The score of an atom is linear in the features of its channel, ``s = X_ch θ_ch``; channels that
share features each have their own weights. A cut with atom weights a becomes ``g = a·X``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from segboost._types import FloatArray, IntArray
from segboost.solver.atoms import Channel, atom_offsets


class LinearScores:
    """The map between the weights θ, concatenated over the channels, and the atom scores."""

    def __init__(self, channels: tuple[Channel, ...]) -> None:
        self.features = [np.asarray(c.features, np.float64) for c in channels]
        self.atoms = atom_offsets(channels)
        self.columns = np.concatenate([[0], np.cumsum([f.shape[1] for f in self.features])])

    @property
    def n_weights(self) -> int:
        """Length of θ."""
        return int(self.columns[-1])

    def scores(self, theta: FloatArray) -> FloatArray:
        """Return the scores of all atoms, shape (N,)."""
        parts = np.split(theta, self.columns[1:-1])
        return np.concatenate([f @ t for f, t in zip(self.features, parts, strict=True)])

    def normals(self, weights: sparse.csr_array) -> FloatArray:
        """Return ``g = a·X`` of cuts, shape (n_cuts, n_weights)."""
        spans = zip(self.atoms[:-1], self.atoms[1:], self.features, strict=True)
        return np.hstack([weights[:, start:stop] @ f for start, stop, f in spans])


@dataclass(eq=False)
class FeatureCuts:
    """The working set in feature space, with the number of solves since each cut was active."""

    normals: FloatArray
    loss: FloatArray
    block: IntArray
    idle: IntArray

    @classmethod
    def empty(cls, n_weights: int) -> FeatureCuts:
        """Return an empty set."""
        none = np.zeros(0, np.intp)
        return cls(np.zeros((0, n_weights)), np.zeros(0), none, none)

    def add(self, normals: FloatArray, loss: FloatArray, block: IntArray) -> None:
        """Append cuts."""
        self.normals = np.vstack([self.normals, normals])
        self.loss = np.concatenate([self.loss, loss])
        self.block = np.concatenate([self.block, block])
        self.idle = np.concatenate([self.idle, np.zeros(len(loss), np.intp)])

    def purge(self, multipliers: FloatArray, patience: int) -> None:
        """Drop the cuts whose multiplier was zero in the last `patience` solves.

        An interior-point method returns small values instead of zeros: anything far below the
        largest multiplier counts as zero.
        """
        used = multipliers > 1e-7 * multipliers.max(initial=0.0)
        self.idle = np.where(used, 0, self.idle + 1)
        kept = self.idle < patience
        self.normals, self.loss = self.normals[kept], self.loss[kept]
        self.block, self.idle = self.block[kept], self.idle[kept]

    def slack(self, theta: FloatArray, n_blocks: int) -> FloatArray:
        """Return the slacks ξ, shape (B,), that the cuts require."""
        xi = np.zeros(n_blocks)
        np.maximum.at(xi, self.block, self.loss - self.normals @ theta)
        return xi
