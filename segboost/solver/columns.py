"""The pool of columns: hypotheses and their responses on the training atoms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from segboost._types import FloatArray, IntArray
from segboost.solver.atoms import Channel, atom_offsets
from segboost.weak.base import Candidate, Hypothesis


@dataclass(frozen=True, eq=False)
class Column:
    """A weak learner in the master: its channel and its hypothesis."""

    channel: int
    hypothesis: Hypothesis


class _Responses:
    """A growing matrix Φ_c with one row per column and one entry per atom of the channel."""

    def __init__(self, n_atoms: int) -> None:
        self._buffer = np.empty((4, n_atoms))
        self.position: list[int] = []

    def append(self, responses: FloatArray, position: int) -> None:
        if len(self.position) == len(self._buffer):
            self._buffer = np.concatenate([self._buffer, np.empty_like(self._buffer)])
        self._buffer[len(self.position)] = responses
        self.position.append(position)

    @property
    def matrix(self) -> FloatArray:
        return self._buffer[: len(self.position)]


class ColumnPool:
    """All columns in the order of the weights w, with Φ stored per channel."""

    def __init__(self, channels: tuple[Channel, ...]) -> None:
        self.columns: list[Column] = []
        self._offsets: IntArray = atom_offsets(channels)
        self._responses = [_Responses(c.n_atoms) for c in channels]

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def n_atoms(self) -> int:
        """Length N of the flat atom axis."""
        return int(self._offsets[-1])

    def add(self, channel: int, candidate: Candidate) -> None:
        """Append one column."""
        self._responses[channel].append(candidate.responses, len(self.columns))
        self.columns.append(Column(channel, candidate.hypothesis))

    def scores(self, weights: FloatArray) -> FloatArray:
        """Return the atom scores Φw, shape (N,)."""
        out = np.zeros(self.n_atoms)
        for channel, responses in enumerate(self._responses):
            w = weights[responses.position]
            used = np.flatnonzero(w)
            if len(used):
                out[self._span(channel)] = w[used] @ responses.matrix[used]
        return out

    def entries(self, cut_weights: sparse.csr_array, first: int = 0) -> FloatArray:
        """Return ``A_cj = a_c·φ_j``, shape (n_cuts, n), for the columns from `first` on."""
        out = np.zeros((cut_weights.shape[0], len(self) - first))
        for channel, responses in enumerate(self._responses):
            position = np.asarray(responses.position, dtype=np.intp)
            start = int(np.searchsorted(position, first))
            if start < len(position):
                part = cut_weights[:, self._span(channel)]
                out[:, position[start:] - first] = part @ responses.matrix[start:].T
        return out

    def _span(self, channel: int) -> slice:
        return slice(int(self._offsets[channel]), int(self._offsets[channel + 1]))
