"""A weighted linear support vector machine as a weak learner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from segboost._types import AnyArray, FloatArray, IntArray, Outputs
from segboost.weak.base import Candidate
from segboost.weak.checks import check_outputs, check_weights
from segboost.weak.linear import LinearThreshold, Objective, Standardised, descend
from segboost.weak.parallel import search_each


@dataclass(frozen=True)
class LinearSVM:
    """Weak learner: a linear SVM for the labels sign(W) with the sample weights |W|.

        min ½ ‖v‖² + (C/n) Σ_i s_i max(0, 1 − sign(W_i)(vᵀx_i + b))²,   s_i = |W_i| / mean |W|

    over the n rows that remain after the smallest non-zero weights are dropped, on standardised
    features. The SVM is kept only if its ``W·φ`` exceeds that of the best constant; otherwise, and
    if all weights have the same sign, the constant is returned. The search is not exact.

    Parameters
    ----------
    C : float
        Above 0. With the large default, only the hinge loss matters.
    drop : float
        Fraction of the non-zero weights to drop, smallest first; in [0, 1).
    max_iter : int
        Iterations of L-BFGS, at least 1.
    n_jobs : int, optional
        Number of threads over the weight columns; it does not affect the results.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> bound = LinearSVM(drop=0.0).bind(X, "signed")
    >>> bound.best(np.array([[-1.0], [-1.0], [1.0], [1.0]]))[0].score
    4.0
    """

    C: float = 1e8
    drop: float = 0.1
    max_iter: int = 200
    n_jobs: int | None = field(default=None, repr=False, compare=False)

    def bind(self, features: AnyArray, outputs: Outputs = "signed") -> BoundLinearSVM:
        """Standardise the features, shape (N, d)."""
        if not (np.isfinite(self.C) and self.C > 0):
            raise ValueError(f"C must be a finite number above 0, got {self.C}")
        if not 0 <= self.drop < 1:
            raise ValueError(f"drop must be in [0, 1), got {self.drop}")
        if self.max_iter < 1:
            raise ValueError(f"max_iter must be at least 1, got {self.max_iter}")
        return BoundLinearSVM(self, Standardised.of(features), check_outputs(outputs))


@dataclass(frozen=True, eq=False)
class BoundLinearSVM:
    """Linear SVMs bound to standardised features."""

    settings: LinearSVM
    table: Standardised
    outputs: Outputs

    exact: ClassVar[bool] = False

    def best(self, weights: FloatArray) -> list[Candidate]:
        """Return an SVM of high ``W·φ`` for each column of `weights`, shape (N, K)."""
        weights = check_weights(weights, self.table.raw.shape[0])
        columns = ((np.ascontiguousarray(w),) for w in weights.T)
        return search_each(self._fit, columns, self.settings.n_jobs)

    def _fit(self, weights: FloatArray) -> Candidate:
        """Return the SVM if it scores higher than the best constant, else the constant."""
        constant = self._constant(weights)
        rows = largest_weights(weights, self.settings.drop)
        if np.unique(np.sign(weights[rows])).size < 2:
            return constant
        size = np.abs(weights[rows])
        z = self.table.scaled[rows] * np.sign(weights[rows])[:, None]
        objective = _hinge_objective(
            z, np.sign(weights[rows]), size / size.mean(), self.settings.C / rows.size
        )
        theta = descend(objective, np.zeros(z.shape[1] + 1), self.settings.max_iter)
        found = self.table.restore(theta, self.outputs)
        responses = found.predict(self.table.raw)
        score = float(weights @ responses)
        return Candidate(found, responses, score) if score > constant.score else constant

    def _constant(self, weights: FloatArray) -> Candidate:
        positive = self.outputs == "binary" or weights.sum() >= 0
        coef = np.zeros(self.table.mean.size)
        found = LinearThreshold(coef, 1.0 if positive else -1.0, self.outputs)
        responses = found.predict(self.table.raw)
        return Candidate(found, responses, float(weights @ responses))


def largest_weights(weights: FloatArray, drop: float) -> IntArray:
    """Return the rows of the non-zero weights without the fraction `drop` of smallest size.

    Weights tied with the smallest kept one are all kept, so that the order of the rows does not
    matter.
    """
    rows = np.flatnonzero(weights)
    if not rows.size:
        return rows
    size = np.abs(weights[rows])
    out = int(drop * rows.size)
    return rows[size >= np.partition(size, out)[out]]


def _hinge_objective(
    z: FloatArray, signs: FloatArray, sample_weights: FloatArray, C: float
) -> Objective:
    """Return θ → the value and gradient of the SVM's objective, divided by C·n."""
    n = z.shape[0]

    def objective(theta: FloatArray) -> tuple[float, FloatArray]:
        v = theta[:-1]
        short = np.maximum(0.0, 1.0 - z @ v - signs * theta[-1])
        pull = sample_weights * short
        ridge = 1.0 / (C * n)
        value = 0.5 * ridge * (v @ v) + pull @ short / n
        gradient = np.append(ridge * v - 2 / n * (pull @ z), -2 / n * (pull @ signs))
        return float(value), gradient

    return objective
