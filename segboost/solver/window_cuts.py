"""The cuts of a window: each compares a candidate of an example with the correct one."""

from __future__ import annotations

import numpy as np

from segboost._types import BoolArray, FloatArray, Int64Array, IntArray


class CandidateCuts:
    """Place, candidate and age of every cut, in the order of the master's multipliers.

    Parameters
    ----------
    n_candidates : int
        Number of candidates per example; the first is the correct one.
    patience : int
        `idle` returns the cuts that had λ = 0 in more consecutive solves than this.
    """

    def __init__(self, n_candidates: int, patience: int) -> None:
        self._n = n_candidates
        self._patience = patience
        self.place: IntArray = np.empty(0, dtype=np.intp)
        self.candidate: IntArray = np.empty(0, dtype=np.intp)
        self.loss: FloatArray = np.empty(0)
        self._age: Int64Array = np.empty(0, dtype=np.int64)
        self._leaving: BoolArray = np.empty(0, dtype=bool)

    def __len__(self) -> int:
        return len(self.place)

    def add(self, place: IntArray, candidate: IntArray, loss: FloatArray) -> None:
        """Append cuts of age 0."""
        self.place = np.append(self.place, place)
        self.candidate = np.append(self.candidate, candidate)
        self.loss = np.append(self.loss, loss)
        self._age = np.append(self._age, np.zeros(len(place), dtype=np.int64))
        self._leaving = np.append(self._leaving, np.zeros(len(place), dtype=bool))

    def leave(self, place: int) -> IntArray:
        """Mark the cuts of one place as leaving; return their positions."""
        positions = np.flatnonzero((self.place == place) & ~self._leaving)
        self._leaving[positions] = True
        return positions

    def gone(self) -> IntArray:
        """Return the positions of the cuts that `leave` has marked."""
        return np.flatnonzero(self._leaving)

    def note(self, multipliers: FloatArray) -> None:
        """Update the ages of the cuts from the multipliers of the last solve."""
        self._age = np.where(multipliers > 0, 0, self._age + 1)

    def idle(self) -> IntArray:
        """Return the positions of the cuts that stayed at λ = 0 for longer than the patience."""
        return np.flatnonzero(self._age > self._patience)

    def remove(self, positions: IntArray) -> None:
        """Remove the cuts at these positions."""
        self.place = np.delete(self.place, positions)
        self.candidate = np.delete(self.candidate, positions)
        self.loss = np.delete(self.loss, positions)
        self._age = np.delete(self._age, positions)
        self._leaving = np.delete(self._leaving, positions)

    def atoms(self) -> tuple[IntArray, IntArray]:
        """Return the atoms of the correct and of the wrong candidate of every cut."""
        return self.place * self._n, self.place * self._n + self.candidate

    def active(self, multipliers: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Return both atoms and the multiplier of every cut with λ > 0."""
        used = np.flatnonzero(multipliers)
        right, wrong = self.atoms()
        return right[used], wrong[used], multipliers[used]
