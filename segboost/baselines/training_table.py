"""Validation of the training data of the AdaBoost family: table, labels and sample weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from segboost._types import AnyArray, FloatArray, IntArray
from segboost.table_cells.label_values import refuse_odd_labels
from segboost.table_cells.time_values import refuse_time_columns


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """The training rows of positive weight.

    Parameters
    ----------
    features : ndarray of float32 or float64, shape (N, d)
    labels : ndarray of intp, shape (N,)
        Indices into `classes`.
    classes : ndarray, shape (k,)
    weights : ndarray of float64, shape (N,)
        Positive; they sum to 1.
    """

    features: AnyArray
    labels: IntArray
    classes: AnyArray
    weights: FloatArray

    @property
    def n_classes(self) -> int:
        """The number k of classes."""
        return self.classes.size


def training_table(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, binary: bool = False
) -> TrainingTable:
    """Return the checked table without the rows of weight zero.

    Raises
    ------
    ValueError
        If there are fewer than two classes, or more than two with `binary`.
    """
    refuse_time_columns(X)
    refuse_odd_labels(y)
    X, y = validate_data(estimator, X, y, dtype=[np.float64, np.float32])
    check_classification_targets(y)
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weights.all():
        X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
    classes, labels = np.unique(y, return_inverse=True)
    name = type(estimator).__name__
    if classes.size < 2:
        raise ValueError(f"{name} needs 2 classes, but y has only one class of positive weight")
    if binary and classes.size > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"{name} got {classes.size} classes"
        )
    return TrainingTable(X, labels, classes, weights / weights.sum())


def check_rounds(n_estimators: Any, learning_rate: float = 1.0) -> None:
    """Raise ValueError unless there is at least one round and the rate is positive."""
    whole = isinstance(n_estimators, (int, np.integer)) and not isinstance(n_estimators, bool)
    if not whole or n_estimators < 1:
        raise ValueError(f"n_estimators must be an integer of at least 1, got {n_estimators!r}")
    if not (np.isfinite(learning_rate) and learning_rate > 0):
        raise ValueError(f"learning_rate must be a finite number above 0, got {learning_rate!r}")


def check_prediction_table(estimator: Any, X: Any) -> AnyArray:
    """Return X as checked prediction features; ValueError if it does not fit the estimator."""
    refuse_time_columns(X)
    return validate_data(estimator, X, dtype=[np.float64, np.float32], reset=False)
