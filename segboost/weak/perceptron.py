"""The perceptron: the sign of a linear function, fitted by a smooth approximation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from segboost._types import AnyArray, FloatArray, Outputs
from segboost.weak.base import Candidate
from segboost.weak.checks import check_outputs, check_weights
from segboost.weak.linear import Objective, Standardised, descend
from segboost.weak.parallel import search_each
from segboost.weak.stump import BoundStump, DecisionStump, Stump

if TYPE_CHECKING:
    from segboost.weak.sparse_stump import BoundSparseStump

_STEEPNESS = 2.0  # of the initial tanh: steep enough to separate, flat enough for a gradient


@dataclass(frozen=True)
class Perceptron:
    """Weak learner: ``sign(vᵀx + b)`` that maximises ``Σ W_n tanh(vᵀx_n + b)``.

    L-BFGS starts from the best stump, on standardised features. Its result is kept only if its
    hard score ``W·φ`` exceeds the stump's; otherwise the stump is returned. The search is not
    exact.

    Parameters
    ----------
    max_iter : int
        Iterations of L-BFGS, at least 1.
    max_bins : int
        Bins per feature for the stump, from 2 to 256.
    n_jobs : int, optional
        Number of threads over the weight columns; it does not affect the results.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0]])
    >>> y = np.array([[-1.0], [1.0], [-1.0], [1.0], [-1.0], [1.0]])
    >>> Perceptron().bind(X, "signed").best(y)[0].score
    6.0
    """

    max_iter: int = 100
    max_bins: int = 255
    n_jobs: int | None = field(default=None, repr=False, compare=False)

    def bind(self, features: AnyArray, outputs: Outputs = "signed") -> BoundPerceptron:
        """Bin and standardise the features, shape (N, d)."""
        if self.max_iter < 1:
            raise ValueError(f"max_iter must be at least 1, got {self.max_iter}")
        stumps = DecisionStump(self.max_bins).bind(features, check_outputs(outputs))
        return BoundPerceptron(stumps, Standardised.of(features), self.max_iter, self.n_jobs)


@dataclass(frozen=True, eq=False)
class BoundPerceptron:
    """Perceptrons bound to standardised features."""

    stumps: BoundStump | BoundSparseStump
    table: Standardised
    max_iter: int
    n_jobs: int | None

    exact: ClassVar[bool] = False

    def best(self, weights: FloatArray) -> list[Candidate]:
        """Return a perceptron of high ``W·φ`` for each column of `weights`, shape (N, K)."""
        weights = check_weights(weights, self.table.raw.shape[0])
        stumps = self.stumps.best(weights)
        return search_each(self._improve, zip(stumps, weights.T, strict=True), self.n_jobs)

    def _improve(self, stump: Candidate, weights: FloatArray) -> Candidate:
        """Return the result of L-BFGS from `stump` if it scores higher, else `stump`."""
        rows = np.flatnonzero(weights)
        if not rows.size:
            return stump
        used = weights[rows]
        objective = tanh_objective(self.table.scaled[rows], used / np.abs(used).sum())
        theta = descend(objective, stump_start(stump, self.table), self.max_iter)
        found = self.table.restore(theta, self.stumps.outputs)
        responses = found.predict(self.table.raw)
        score = float(weights @ responses)
        return Candidate(found, responses, score) if score > stump.score else stump


def stump_start(stump: Candidate, table: Standardised) -> FloatArray:
    """Return the stump as a steep linear θ, shape (d + 1,), on the standardised features."""
    hypothesis = stump.hypothesis
    assert isinstance(hypothesis, Stump)
    theta = np.zeros(table.mean.size + 1)
    f, steep = hypothesis.feature, _STEEPNESS * hypothesis.polarity
    if not np.isfinite(hypothesis.threshold):
        theta[-1] = 0.5 * steep
        return theta
    theta[f] = steep
    theta[-1] = -steep * (hypothesis.threshold - table.mean[f]) / table.scale[f]
    return theta


def tanh_objective(z: FloatArray, weights: FloatArray) -> Objective:
    """Return θ → (−Σ W tanh(zθ), its gradient −zᵀ(W (1 − tanh²)))."""

    def objective(theta: FloatArray) -> tuple[float, FloatArray]:
        responses = np.tanh(z @ theta[:-1] + theta[-1])
        slope = weights * (1.0 - responses**2)
        gradient = np.append(slope @ z, slope.sum())
        return -float(weights @ responses), -gradient

    return objective
