"""The sigmoid: a perceptron with a smooth output instead of a sign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from segboost._types import AnyArray, FloatArray, Outputs
from segboost.weak.base import Candidate
from segboost.weak.checks import check_outputs, check_weights, float_table, is_binary
from segboost.weak.linear import LinearThreshold, Objective, Standardised, descend
from segboost.weak.parallel import search_each
from segboost.weak.perceptron import stump_start, tanh_objective
from segboost.weak.stump import BoundStump, DecisionStump

if TYPE_CHECKING:
    from segboost.weak.sparse_stump import BoundSparseStump


@dataclass(frozen=True, eq=False)
class Sigmoid:
    """``tanh(coef·x + intercept)``, or ``(1 + tanh) / 2`` for binary outputs.

    Parameters
    ----------
    line : LinearThreshold
        The linear function; its sign is the perceptron that the sigmoid smooths.

    Examples
    --------
    >>> import numpy as np
    >>> Sigmoid(LinearThreshold(np.array([1.0]), 0.0)).predict(np.array([[0.0], [20.0]]))
    array([0., 1.])
    """

    line: LinearThreshold

    kind: ClassVar[str] = "sigmoid"

    def predict(self, features: AnyArray) -> FloatArray:
        """Return the responses, shape (N,), for features of shape (N, d)."""
        responses = np.tanh(float_table(features) @ self.line.coef + self.line.intercept)
        return 0.5 * (1.0 + responses) if is_binary(self.line.outputs) else responses

    def feature_shares(self, n_features: int) -> FloatArray:
        """Return |coef| divided by its sum, shape (n_features,); all 0 for a constant."""
        return self.line.feature_shares(n_features)

    @classmethod
    def pack(cls, hypotheses: Sequence[Sigmoid]) -> dict[str, AnyArray]:
        """Return the coefficients, one row per hypothesis; all must have the same d."""
        return LinearThreshold.pack([h.line for h in hypotheses])

    @classmethod
    def unpack(cls, arrays: Mapping[str, AnyArray]) -> list[Sigmoid]:
        """Return the hypotheses that `pack` stored; ValueError if the arrays do not fit."""
        return [cls(line) for line in LinearThreshold.unpack(arrays)]


@dataclass(frozen=True)
class SigmoidLearner:
    """Weak learner: ``tanh(vᵀx + b)`` that maximises ``Σ W_n tanh(vᵀx_n + b) − ½ ρ ‖W‖₁ ‖v‖²``.

    L-BFGS starts from the best stump, on standardised features. The penalty keeps the function
    from becoming a step, so that it generalises better than a perceptron when class boundaries
    are curved. A constant is returned if it scores higher. The search is not exact.

    Parameters
    ----------
    ridge : float
        ρ ≥ 0; 0 does not limit the slope.
    max_iter : int
        Iterations of L-BFGS, at least 1.
    max_bins : int
        Bins per feature for the stump, from 2 to 256.
    n_jobs : int, optional
        Number of threads over the weight columns; it does not affect the results.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 2.0], [2.0, 1.0]])
    >>> y = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    >>> 2.0 < SigmoidLearner().bind(X, "signed").best(y)[0].score < 4.0
    True
    """

    ridge: float = 0.03
    max_iter: int = 100
    max_bins: int = 255
    n_jobs: int | None = field(default=None, repr=False, compare=False)

    def bind(self, features: AnyArray, outputs: Outputs = "signed") -> BoundSigmoid:
        """Bin and standardise the features, shape (N, d)."""
        if self.max_iter < 1:
            raise ValueError(f"max_iter must be at least 1, got {self.max_iter}")
        if not (np.isfinite(self.ridge) and self.ridge >= 0):
            raise ValueError(f"ridge must be a finite number ≥ 0, got {self.ridge}")
        stumps = DecisionStump(self.max_bins).bind(features, check_outputs(outputs))
        return BoundSigmoid(self, stumps, Standardised.of(features))


@dataclass(frozen=True, eq=False)
class BoundSigmoid:
    """Sigmoids bound to standardised features."""

    settings: SigmoidLearner
    stumps: BoundStump | BoundSparseStump
    table: Standardised

    exact: ClassVar[bool] = False

    def best(self, weights: FloatArray) -> list[Candidate]:
        """Return a sigmoid of high ``W·φ`` for each column of `weights`, shape (N, K)."""
        weights = check_weights(weights, self.table.raw.shape[0])
        stumps = self.stumps.best(weights)
        searches = zip(stumps, weights.T, strict=True)
        return search_each(self._smooth, searches, self.settings.n_jobs)

    def _smooth(self, stump: Candidate, weights: FloatArray) -> Candidate:
        """Return the result of L-BFGS from `stump`, or the best constant if it scores higher."""
        constant = self._constant(weights)
        rows = np.flatnonzero(weights)
        if not rows.size:
            return constant
        used = weights[rows]
        objective = penalised(
            tanh_objective(self.table.scaled[rows], used / np.abs(used).sum()), self.settings.ridge
        )
        theta = descend(objective, stump_start(stump, self.table), self.settings.max_iter)
        found = self._candidate(self.table.restore(theta, self.stumps.outputs), weights)
        return found if found.score > constant.score else constant

    def _constant(self, weights: FloatArray) -> Candidate:
        """Return the best constant: 1, or −1 for signed outputs and a negative sum of weights."""
        positive = is_binary(self.stumps.outputs) or weights.sum() >= 0
        line = LinearThreshold(
            np.zeros(self.table.mean.size), _SATURATED if positive else -_SATURATED,
            self.stumps.outputs,
        )  # fmt: skip
        return self._candidate(line, weights)

    def _candidate(self, line: LinearThreshold, weights: FloatArray) -> Candidate:
        hypothesis = Sigmoid(line)
        responses = hypothesis.predict(self.table.raw)
        return Candidate(hypothesis, responses, float(weights @ responses))


_SATURATED = 20.0  # its tanh is 1 in double precision


def penalised(objective: Objective, ridge: float) -> Objective:
    """Return θ → objective(θ) + ½ ridge ‖v‖² with its gradient; the intercept is not penalised."""

    def with_ridge(theta: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(theta)
        slope = np.append(ridge * theta[:-1], 0.0)
        return value + 0.5 * float(slope @ theta), gradient + slope

    return with_ridge
