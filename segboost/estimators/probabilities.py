"""Class probabilities from decision values, calibrated on held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from segboost._types import AnyArray, FloatArray, IntArray

N_FOLDS = 3
_REACH = 1e4
"""Slopes between 1/10,000 and 10,000 times the inverse spread of the decisions are tried."""


def class_probabilities(decisions: FloatArray, slope: float) -> FloatArray:
    """Return softmax(slope·F), shape (m, k): the most probable class is the predicted one.

    Parameters
    ----------
    decisions : ndarray of shape (m, k), or (m,) for two classes
    slope : float
        Above 0.
    """
    return np.asarray(softmax(slope * _by_class(decisions), axis=1))


def fit_slope(decisions: FloatArray, codes: IntArray, weight: FloatArray | None = None) -> float:
    """Return the slope a > 0 with the largest likelihood of softmax(a·F).

    A single number cannot change the order of the classes. The logarithm of the likelihood is
    concave in it.

    Parameters
    ----------
    decisions : ndarray of shape (m, k), or (m,) for two classes
        Of rows that the model did not see.
    codes : ndarray of shape (m,)
        The true classes, from 0.
    weight : ndarray of shape (m,), optional
    """
    by_class = _by_class(decisions)
    spread = float(np.ptp(by_class, axis=1).max(initial=0.0))
    if spread <= 0:
        return 1.0
    rows = np.arange(len(codes))
    weight = np.ones(len(codes)) if weight is None else weight

    def loss(log_slope: float) -> float:
        found = log_softmax(np.exp(log_slope) * by_class, axis=1)
        return -float(weight @ found[rows, codes])

    middle, reach = -np.log(spread), np.log(_REACH)
    best = minimize_scalar(
        loss, bounds=(middle - reach, middle + reach), method="bounded", options={"xatol": 1e-6}
    )
    return float(np.exp(best.x))


def out_of_fold(
    make: Callable[[], Any],
    X: AnyArray,
    y: AnyArray,
    sample_weight: FloatArray | None,
) -> tuple[IntArray, FloatArray]:
    """Return rows and their decisions, each by a model that was fitted without the row.

    Classes of a single row stay in every training part, so that all models know all classes.

    Raises
    ------
    ValueError
        If no class has two rows.
    """
    fold = assign_folds(y)
    held, decisions = [], []
    for number in range(N_FOLDS):
        rows = np.flatnonzero(fold == number)
        if not len(rows):
            continue
        rest = np.flatnonzero(fold != number)
        weight = None if sample_weight is None else sample_weight[rest]
        model = make().fit(X[rest], y[rest], sample_weight=weight)
        held.append(rows)
        decisions.append(np.asarray(model.decision_function(X[rows])))
    if not held:
        raise ValueError("probability=True needs at least one class with two or more rows")
    return np.concatenate(held), np.concatenate(decisions)


def assign_folds(y: AnyArray, n_folds: int = N_FOLDS) -> IntArray:
    """Return the fold of every row, shape (m,): all folds have a share of each class.

    -1 for rows that are never held out because they are the only ones of their class.
    """
    rng = np.random.default_rng(0)
    fold = np.full(len(y), -1, dtype=np.intp)
    for value in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == value))
        if len(rows) > 1:
            fold[rows] = np.arange(len(rows)) % n_folds
    return fold


def _by_class(decisions: FloatArray) -> FloatArray:
    if decisions.ndim == 2:
        return decisions
    return np.column_stack([np.zeros(len(decisions)), decisions])
