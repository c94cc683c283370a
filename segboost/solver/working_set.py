"""The working set of cuts: kept, aged and purged. It neither solves nor infers."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from segboost._types import FloatArray, Int64Array, IntArray
from segboost.solver.atoms import Cuts


class WorkingSet:
    """The cuts of the master, in the order of its multipliers.

    The atom weights ``a`` of every cut are kept in order to price new columns against old cuts.

    Parameters
    ----------
    n_atoms : int
    patience : int or None
        `idle` returns the cuts that had λ = 0 in more consecutive solves than this; None keeps all.
    """

    def __init__(self, n_atoms: int, patience: int | None) -> None:
        self._patience = patience
        self._block: IntArray = np.empty(0, dtype=np.intp)
        self._loss: FloatArray = np.empty(0)
        self._age: Int64Array = np.empty(0, dtype=np.int64)
        self._stacked = sparse.csr_array((0, n_atoms))
        self._pending: list[sparse.csr_array] = []

    def __len__(self) -> int:
        return len(self._loss)

    @property
    def ages(self) -> Int64Array:
        """Number of solves since each cut was added or last active."""
        return self._age

    @property
    def cuts(self) -> Cuts:
        """All cuts, stacked."""
        return Cuts(self._block, self._loss, self._weights())

    def add(self, cuts: Cuts, ages: Int64Array | None = None) -> None:
        """Append cuts (new ones have age 0)."""
        self._block = np.append(self._block, cuts.block)
        self._loss = np.append(self._loss, cuts.loss)
        self._age = np.append(self._age, np.zeros(len(cuts), np.int64) if ages is None else ages)
        self._pending.append(cuts.weights)

    def note(self, multipliers: FloatArray) -> None:
        """Update the ages of the cuts from the multipliers of the last solve."""
        self._age = np.where(multipliers > 0, 0, self._age + 1)

    def idle(self) -> IntArray:
        """Return the positions of the cuts that stayed at λ = 0 for longer than the patience."""
        if self._patience is None:
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero(self._age > self._patience)

    def remove(self, positions: IntArray) -> None:
        """Remove the cuts at these positions."""
        keep = np.ones(len(self), dtype=bool)
        keep[positions] = False
        self._stacked = self._weights()[np.flatnonzero(keep)]
        self._block, self._loss, self._age = self._block[keep], self._loss[keep], self._age[keep]

    def atom_weights(self, multipliers: FloatArray) -> FloatArray:
        """Return ``W = Σ_c λ_c a_c``, shape (N,), the weights for the weak-learner oracle."""
        used = np.flatnonzero(multipliers)
        return np.asarray(multipliers[used] @ self._weights()[used])

    def _weights(self) -> sparse.csr_array:
        if self._pending:
            stack = [self._stacked, *self._pending] if self._stacked.shape[0] else self._pending
            self._stacked = sparse.csr_array(sparse.vstack(stack, format="csr"))
            self._pending = []
        return self._stacked
