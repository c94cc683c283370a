"""Mean IoU, mean recall and accuracy of many confusion matrices at once, as arrays."""

from __future__ import annotations

import numpy as np

from segboost._types import BoolArray, FloatArray
from segboost.pipelines.segmentation.config.stage_settings import Measure


def measure_of_confusion(
    confusion: FloatArray, measure: Measure, counted: BoolArray | None = None
) -> FloatArray:
    """Return a measure of confusion matrices, shape (…, K, K): rows are true, columns predicted.

    Parameters
    ----------
    confusion : ndarray of shape (…, K, K)
    measure : "mean_iou", "mean_recall" or "accuracy"
    counted : ndarray of bool, shape (…, K), optional
        The classes that means are over; by default those that occur.
    """
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    return measure_of_classes(
        right, confusion.sum(axis=-1), confusion.sum(axis=-2), measure, counted
    )


def measure_of_classes(
    right: FloatArray,
    true: FloatArray,
    predicted: FloatArray,
    measure: Measure,
    counted: BoolArray | None = None,
) -> FloatArray:
    """Return a measure from the right, true and predicted pixels of each class, shape (…, K) each.

    The other parameters are those of `measure_of_confusion`.
    """
    if measure == "accuracy":
        return np.asarray(right.sum(axis=-1) / np.maximum(true.sum(axis=-1), 1.0))
    whole = true if measure == "mean_recall" else true + predicted - right
    if counted is None:
        counted = true > 0
    return np.asarray(
        np.where(counted, right / np.maximum(whole, 1e-12), 0.0).sum(axis=-1)
        / np.maximum(counted.sum(axis=-1), 1)
    )
