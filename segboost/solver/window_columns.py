"""The stumps of a window and their responses on all current candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numba as nb
import numpy as np

from segboost._types import FloatArray, Int8Array, IntArray
from segboost.weak.histogram import Codes, add_rows
from segboost.weak.splitting import TIE, best_cuts


@dataclass(frozen=True)
class CodeStump:
    """``polarity · (+1 if code[feature] > cut else −1)``; `score` is W·φ when it was found."""

    feature: int
    cut: int
    polarity: int
    score: float


class StumpPool:
    """Columns of the master, at most `limit`, and the coded candidates they are evaluated on.

    Parameters
    ----------
    n_atoms, n_features, n_codes, limit : int
    """

    def __init__(self, n_atoms: int, n_features: int, n_codes: int, limit: int) -> None:
        self._codes = np.zeros((n_features, n_atoms), dtype=np.uint8)
        self._responses = np.zeros((limit, n_atoms), dtype=np.int8)
        self._n_codes = n_codes
        self.feature: IntArray = np.empty(0, dtype=np.intp)
        self.cut: IntArray = np.empty(0, dtype=np.intp)
        self.polarity: IntArray = np.empty(0, dtype=np.intp)
        self._idle: IntArray = np.empty(0, dtype=np.intp)

    def __len__(self) -> int:
        return len(self.feature)

    def write(self, codes: Codes, start: int) -> None:
        """Overwrite the atoms from `start` on and re-evaluate all stumps there."""
        span = slice(start, start + codes.shape[1])
        self._codes[:, span] = codes
        above = codes[self.feature] > self.cut[:, None]
        signs = np.where(above, self.polarity[:, None], -self.polarity[:, None])
        self._responses[: len(self), span] = signs

    def add(self, stump: CodeStump) -> None:
        """Append one stump."""
        above = self._codes[stump.feature] > stump.cut
        self._responses[len(self)] = np.where(above, stump.polarity, -stump.polarity)
        self.feature = np.append(self.feature, stump.feature)
        self.cut = np.append(self.cut, stump.cut)
        self.polarity = np.append(self.polarity, stump.polarity)
        self._idle = np.append(self._idle, 0)

    def remove(self, positions: IntArray) -> None:
        """Remove the stumps at these positions."""
        keep = np.delete(np.arange(len(self)), positions)
        self._responses[: len(keep)] = self._responses[keep]
        self.feature, self.cut = self.feature[keep], self.cut[keep]
        self.polarity, self._idle = self.polarity[keep], self._idle[keep]

    def note(self, weights: FloatArray) -> None:
        """Update the ages of the stumps from the weights of the last solve."""
        self._idle = np.where(weights > 0, 0, self._idle + 1)

    def stale(self, count: int, weights: FloatArray) -> IntArray:
        """Return up to `count` stumps of weight zero, those unused for longest."""
        unused = np.flatnonzero((weights <= 0) & (self._idle > 0))
        order = np.argsort(-self._idle[unused], kind="stable")
        return np.sort(unused[order[:count]])

    def scores(self, weights: FloatArray) -> FloatArray:
        """Return Φw, shape (n_atoms,)."""
        used = np.flatnonzero(weights)
        return weighted_sum(self._responses, used, weights[used])

    def entries(self, right: IntArray, wrong: IntArray, first: int = 0) -> FloatArray:
        """Return ``A_cj = φ_j(right_c) − φ_j(wrong_c)`` for the stumps from `first` on."""
        responses = self._responses[first : len(self)]
        return (responses[:, right] - responses[:, wrong]).T.astype(np.float64)

    def price(
        self, right: IntArray, wrong: IntArray, multiplier: FloatArray, count: int
    ) -> list[CodeStump]:
        """Return the best new stumps of up to `count` features for ``W = Σ_c λ_c a_c``."""
        atoms, where = np.unique(np.concatenate([right, wrong]), return_inverse=True)
        weight = np.zeros(len(atoms))
        np.add.at(weight, where, np.concatenate([multiplier, -multiplier]))
        sums = np.zeros((len(self._codes), self._n_codes))
        add_rows(self._codes, atoms.astype(np.int32), weight, sums)
        bins = np.full(len(sums), self._n_codes, dtype=np.intp)
        total, slack = np.array([weight.sum()]), np.array([TIE * np.abs(weight).sum()])
        score, cut, polarity = best_cuts(sums[:, :, None], bins, total, slack, False)
        known = set(
            zip(self.feature.tolist(), self.cut.tolist(), self.polarity.tolist(), strict=True)
        )
        found: list[CodeStump] = []
        for f in np.argsort(-score[:, 0], kind="stable").tolist():
            # A stump at its cap scores above 1 and would be found again.
            stump = CodeStump(f, int(cut[f, 0]), int(polarity[f, 0]), float(score[f, 0]))
            if (f, stump.cut, stump.polarity) not in known:
                found.append(stump)
            if len(found) == count:
                break
        return found


@nb.njit(cache=True, nogil=True)
def weighted_sum(
    responses: Int8Array, rows: IntArray, weights: FloatArray
) -> FloatArray:  # pragma: no cover - compiled
    """Return ``Σ_r weights_r · responses[rows_r]``, shape (N,)."""
    out = np.zeros(responses.shape[1])
    for r in range(rows.size):
        row = responses[rows[r]]
        weight = weights[r]
        for i in range(out.size):
            out[i] += weight * row[i]
    return out


def weighted_sum_numpy(responses: Int8Array, rows: IntArray, weights: FloatArray) -> FloatArray:
    """Plain NumPy twin of `weighted_sum`."""
    return weights @ responses[rows].astype(np.float64)
