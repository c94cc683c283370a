"""Linear threshold functions and shared code of the learners that fit them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from segboost._types import AnyArray, FloatArray, Outputs
from segboost.weak.checks import check_table, float_table, is_binary, read_array

Objective = Callable[[FloatArray], tuple[float, FloatArray]]


@dataclass(frozen=True, eq=False)
class LinearThreshold:
    """``sign(coef·x + intercept)`` with sign(0) = +1, or 1 and 0 in place of ±1.

    Parameters
    ----------
    coef : ndarray of float64, shape (d,)
    intercept : float
    outputs : {"signed", "binary"}

    Examples
    --------
    >>> import numpy as np
    >>> LinearThreshold(np.array([1.0, -1.0]), 0.0).predict(np.array([[2.0, 1.0], [1.0, 2.0]]))
    array([ 1., -1.])
    """

    coef: FloatArray
    intercept: float
    outputs: Outputs = "signed"

    kind: ClassVar[str] = "linear"

    def predict(self, features: AnyArray) -> FloatArray:
        """Return the responses, shape (N,), for features of shape (N, d)."""
        positive = float_table(features) @ self.coef + self.intercept >= 0
        return np.where(positive, 1.0, 0.0 if is_binary(self.outputs) else -1.0)

    def feature_shares(self, n_features: int) -> FloatArray:
        """Return |coef| divided by its sum, shape (n_features,); all 0 for a constant."""
        size = np.abs(self.coef)
        return size / (size.sum() or 1.0)

    @classmethod
    def pack(cls, hypotheses: Sequence[LinearThreshold]) -> dict[str, AnyArray]:
        """Return the coefficients, one row per hypothesis; all must have the same d."""
        d = hypotheses[0].coef.size if hypotheses else 0
        return {
            "coef": np.array([h.coef for h in hypotheses]).reshape(len(hypotheses), d),
            "intercept": np.array([h.intercept for h in hypotheses], dtype=np.float64),
            "binary": np.array([is_binary(h.outputs) for h in hypotheses], dtype=bool),
        }

    @classmethod
    def unpack(cls, arrays: Mapping[str, AnyArray]) -> list[LinearThreshold]:
        """Return the hypotheses that `pack` stored; ValueError if the arrays do not fit."""
        intercept = read_array(arrays, "intercept", "f", (None,))
        coef = read_array(arrays, "coef", "f", (intercept.size, None))
        binary = read_array(arrays, "binary", "b", (intercept.size,))
        return [
            cls(c.astype(np.float64), float(i), "binary" if b else "signed")
            for c, i, b in zip(coef, intercept, binary, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Standardised:
    """Features scaled to unit variance, with the inverse transformation.

    Parameters
    ----------
    raw, scaled : ndarray or sparse array of float64, shape (N, d)
        Sparse features are scaled but not centred, which would fill them: their mean is 0.
    mean, scale : ndarray of float64, shape (d,)
    """

    raw: Any
    scaled: Any
    mean: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, features: Any) -> Standardised:
        """Return the standardised features; constant features become 0."""
        raw = check_table(features)
        n = max(1, raw.shape[0])
        if sparse.issparse(raw):
            mean, square = raw.sum(axis=0) / n, raw.power(2).sum(axis=0) / n
            scale = np.sqrt(np.maximum(square - mean**2, 0.0))
            keep = scale > 1e-7 * np.sqrt(square)  # half of the digits are lost in the difference
            inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=keep)
            scaled = sparse.csr_array(raw @ sparse.diags_array(inverse))
            return cls(raw, scaled, np.zeros_like(mean), np.where(keep, scale, 1.0))
        mean = raw.sum(axis=0) / n
        centred = raw - mean
        scale = np.sqrt((centred**2).sum(axis=0) / n)
        # Rounding errors of a constant feature must not be scaled up to unit variance.
        constant = (scale <= 1e-13 * np.abs(mean)) | (scale == 0)
        centred[:, constant] = 0.0
        scale[constant] = 1.0
        return cls(raw, centred / scale, mean, scale)

    def restore(self, theta: FloatArray, outputs: Outputs) -> LinearThreshold:
        """Return ``theta[:-1]·z + theta[-1]`` as a threshold function of the raw features."""
        coef = theta[:-1] / self.scale
        return LinearThreshold(coef, float(theta[-1] - coef @ self.mean), outputs)


def descend(objective: Objective, start: FloatArray, max_iter: int) -> FloatArray:
    """Return the minimiser that L-BFGS finds from `start`; deterministic."""
    options = {"maxiter": max_iter, "maxcor": 10}
    return minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x
