"""The quick classifier: logistic regression on standardised columns, warm-started.

The criterion for K classes, with standardised rows x, and weights r that sum to the number of rows:

    ``½ ‖W‖² − C Σ_i r_i log softmax(W x_i + b)[y_i]``
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from segboost._types import AnyArray, Float32Array, FloatArray, Int64Array

C = 2e-3
"""Weight of the losses: with a larger C, the model is regularised less."""
MOST_STEPS = 60
LEAST_DEVIATION = 1e-6

Table = Float32Array


@dataclass(frozen=True, eq=False)
class Standard:
    """The mean and the deviation of every column, shape (D,)."""

    mean: Float32Array
    deviation: Float32Array

    def __call__(self, table: AnyArray) -> Table:
        """Return the table, shape (N, D), with mean 0 and deviation 1."""
        found: Table = (table.astype(np.float32) - self.mean) / self.deviation
        return found


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Logits ``x·coef + bias`` of K classes, x being raw columns.

    Parameters
    ----------
    coef : ndarray of float32, shape (D, K)
    bias : ndarray of float32, shape (K,)
    """

    coef: Table
    bias: Float32Array

    def logits(self, table: AnyArray) -> FloatArray:
        """Return the logits of raw rows, shape (N, K)."""
        found: FloatArray = (table.astype(np.float32) @ self.coef + self.bias).astype(np.float64)
        return found


def fit_linear(
    table: Table,
    labels: Int64Array,
    weight: FloatArray,
    n_classes: int,
    standard: Standard,
    start: LinearModel | None = None,
    check: Callable[[], Any] = lambda: None,
) -> LinearModel:
    """Fit a logistic regression to standardised rows.

    Parameters
    ----------
    table : ndarray of float32, shape (N, D)
        Standardised by `standard`.
    labels : ndarray of int, shape (N,)
        0 … K−1.
    weight : ndarray of shape (N,)
        Scaled to the sum N.
    n_classes : int
        K.
    standard : Standard
    start : LinearModel, optional
        The model to start from, for example the one before the last stroke.
    check : callable
        Called at every step; may raise an exception to give up.
    """
    n_columns = table.shape[1]
    share = (C * weight * (len(labels) / weight.sum())).astype(np.float32)[:, None]
    target = np.zeros((len(labels), n_classes), np.float32)
    target[np.arange(len(labels)), labels] = 1.0

    def criterion(flat: FloatArray) -> tuple[float, FloatArray]:
        check()
        w = flat.reshape(n_columns + 1, n_classes)
        z = table @ w[:-1].astype(np.float32) + w[-1].astype(np.float32)
        log_p = log_softmax(z)
        slope = share * (np.exp(log_p) - target)
        gradient = np.empty_like(w)
        gradient[:-1] = table.T @ slope + w[:-1]
        gradient[-1] = slope.sum(axis=0)
        value = 0.5 * float((w[:-1] ** 2).sum()) - float((share * target * log_p).sum())
        return value, gradient.ravel()

    first = _standardised(start, standard, n_columns, n_classes)
    found = minimize(
        criterion,
        first.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MOST_STEPS, "ftol": 1e-6},
    )
    solved = found.x.reshape(n_columns + 1, n_classes)
    coef = solved[:-1] / standard.deviation[:, None].astype(np.float64)
    bias = solved[-1] - standard.mean.astype(np.float64) @ coef
    return LinearModel(coef.astype(np.float32), bias.astype(np.float32))


def log_softmax(logits: AnyArray) -> AnyArray:
    """Return the logarithm of the softmax over the last axis."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _standardised(
    start: LinearModel | None, standard: Standard, n_columns: int, n_classes: int
) -> FloatArray:
    """Return the initial weights in standardised units, shape (D + 1, K)."""
    first = np.zeros((n_columns + 1, n_classes))
    if start is not None and start.coef.shape == (n_columns, n_classes):
        coef = start.coef.astype(np.float64)
        first[:-1] = coef * standard.deviation[:, None]
        first[-1] = start.bias + standard.mean.astype(np.float64) @ coef
    return first
