"""Probabilities of several classes from scores: one scale and a constant per class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from segboost._types import AnyArray, FloatArray, Int64Array
from segboost.weak.checks import read_array

MOST_ROWS = 100_000
"""The largest number of rows to fit to."""
PRIOR = 1e-3
"""Weight of the squared constants, which keeps those of absent classes finite."""


@dataclass(frozen=True, eq=False)
class ClassCalibration:
    """``log p = log softmax(scale · s + constant)``.

    Parameters
    ----------
    scale : float
    constant : ndarray of shape (K,)
    """

    scale: float
    constant: FloatArray

    def __call__(self, scores: AnyArray) -> FloatArray:
        """Return the log-probabilities of scores, shape (…, K)."""
        found: FloatArray = log_softmax(self.scale * scores + self.constant, axis=-1)
        return found

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays that `from_arrays` takes."""
        return {"scale": np.array(self.scale), "constant": self.constant}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> Self:
        """Return the calibration from the arrays of `to_arrays`; ValueError if damaged."""
        scale = float(read_array(arrays, "scale", "f", ()))
        return cls(scale, read_array(arrays, "constant", "f", (None,)))


def fit_class_calibration(
    scores: FloatArray, counts: Int64Array, constants: bool = True
) -> ClassCalibration:
    """Return the scale and constants with the highest likelihood of the labelled pixels.

    Parameters
    ----------
    scores : ndarray of shape (N, K)
        Out of fold, higher for likelier classes.
    counts : ndarray of int, shape (N, K)
        True pixels of each class.
    constants : bool
        Whether to fit the constants; they are 0 otherwise.
    """
    known = np.flatnonzero(counts.any(axis=1))
    # Evenly spread rows: no random numbers are needed, and images stay in proportion.
    known = known[np.unique(np.linspace(0, len(known) - 1, MOST_ROWS).astype(np.int64))]
    s, pixels = scores[known], counts[known] / counts[known].sum()
    weight = pixels.sum(axis=1, keepdims=True)
    n_classes = scores.shape[1]

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        scale, constant = np.exp(x[0]), x[1:]
        z = scale * s + constant
        difference = weight * softmax(z, axis=1) - pixels
        value = -(pixels * log_softmax(z, axis=1)).sum() + PRIOR * (constant**2).sum() / 2
        slope = difference.sum(axis=0) + PRIOR * constant
        return float(value), np.concatenate([[scale * (difference * s).sum()], constants * slope])

    start = np.zeros(1 + n_classes)
    start[0] = -np.log(max(float(s.std()), 1e-6))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(-20, 20)] * len(start)).x
    return ClassCalibration(float(np.exp(found[0])), found[1:])
