"""Trees on samples of rows and columns, several per round, for tables of many raw features.

Growing hundreds of trees on all of several thousand columns would take too long. Each tree here
sees a random share of the columns, and its splits are chosen on a random share of the rows; its
score and responses are computed on all rows.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from segboost._types import AnyArray, FloatArray, IntArray, Outputs
from segboost.weak.base import Candidate
from segboost.weak.binning import BinnedMatrix, bin_features
from segboost.weak.checks import check_outputs, check_weights
from segboost.weak.growing import grow_trees
from segboost.weak.tree import MAX_DEPTH, better_candidate


@dataclass(frozen=True)
class SampledTrees:
    """Weak learner: the best of several trees, each grown on a sample of columns and rows.

    The sample depends on `seed` and on the weights alone, so that the same fit draws the same
    samples, whether it was interrupted or not. If the best stump of a sample scores at least as
    high as the tree, it replaces the tree. The search is not exact.

    Parameters
    ----------
    max_depth : int
        Depth of a tree, from 1 to 8.
    n_trees : int
        Number of trees per round and channel; all of them that score above 1 become columns.
    column_share, row_share : float
        Share of the columns that a tree sees, and share of the rows of non-zero weight on which
        its splits are chosen; above 0 and at most 1.
    max_bins : int
        Maximum number of bins per feature, from 2 to 256.
    seed : int

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 30))
    >>> W = np.where(X[:, 3] * X[:, 7] > 0, 1.0, -1.0)
    >>> bound = SampledTrees(column_share=0.5).bind(X, "signed")
    >>> len(bound.best(W[:, None])) + len(bound.further(W[:, None])[0])
    4
    """

    max_depth: int = 3
    n_trees: int = 4
    column_share: float = 0.1
    row_share: float = 1.0
    max_bins: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.max_depth <= MAX_DEPTH:
            raise ValueError(f"max_depth must be from 1 to {MAX_DEPTH}, got {self.max_depth}")
        if self.n_trees < 1:
            raise ValueError(f"n_trees must be at least 1, got {self.n_trees}")
        for name in ("column_share", "row_share"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(
                    f"{name} must be above 0 and at most 1, got {getattr(self, name)!r}"
                )

    def bind(self, features: AnyArray | BinnedMatrix, outputs: Outputs = "signed") -> BoundTrees:
        """Bin the features, shape (N, d)."""
        return BoundTrees(bin_features(features, self.max_bins), check_outputs(outputs), self)


class BoundTrees:
    """Sampled trees bound to binned features.

    Parameters
    ----------
    binned : BinnedMatrix
    outputs : {"signed", "binary"}
    settings : SampledTrees
    """

    exact: ClassVar[bool] = False

    def __init__(self, binned: BinnedMatrix, outputs: Outputs, settings: SampledTrees) -> None:
        self.binned, self.outputs, self.settings = binned, outputs, settings
        self._last: tuple[FloatArray, list[list[Candidate]]] | None = None

    def best(self, weights: FloatArray) -> list[Candidate]:
        """Return the tree that scores highest for each column of `weights`, shape (N, K)."""
        return [found[0] for found in self._grown(weights)]

    def further(self, weights: FloatArray) -> list[list[Candidate]]:
        """Return the other trees, the best first; repeated ones are left out."""
        return [found[1:] for found in self._grown(weights)]

    def _grown(self, weights: FloatArray) -> list[list[Candidate]]:
        weights = check_weights(weights, self.binned.n_rows)
        if self._last is None or not np.array_equal(self._last[0], weights):
            found = [self._trees(np.ascontiguousarray(column)) for column in weights.T]
            self._last = weights.copy(), found
        return self._last[1]

    def _trees(self, weights: FloatArray) -> list[Candidate]:
        """Return distinct trees for one column of weights, by descending score."""
        rng = np.random.default_rng([self.settings.seed, zlib.crc32(weights.tobytes())])
        used = np.flatnonzero(weights)
        found: dict[bytes, Candidate] = {}
        for _ in range(self.settings.n_trees):
            candidate = self._tree(weights, used, rng)
            found.setdefault(candidate.responses.tobytes(), candidate)
        return sorted(found.values(), key=lambda c: -c.score)

    def _tree(self, weights: FloatArray, used: IntArray, rng: np.random.Generator) -> Candidate:
        d = self.binned.n_features
        columns = _draw(rng, d, self.settings.column_share)
        rows = used[_draw(rng, used.size, self.settings.row_share)] if used.size else used
        part = BinnedMatrix(
            np.ascontiguousarray(self.binned.codes[columns][:, rows]),
            self.binned.thresholds[columns],
            self.binned.n_bins[columns],
        )
        depth = self.settings.max_depth
        tree, stump = grow_trees(part, weights[rows][:, None], depth, self.outputs)[0]
        return better_candidate(tree, stump, self.binned, columns, weights, self.outputs)


def _draw(rng: np.random.Generator, n: int, share: float) -> IntArray:
    """Return a random share of the integers below n, at least one if n > 0, ascending."""
    if share >= 1 or n <= 1:
        return np.arange(n)
    return np.sort(rng.choice(n, max(1, round(share * n)), replace=False)).astype(np.intp)
