"""Binary (LPBoost) and multi-class (MultiBoost) classification."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from segboost._types import AnyArray, FloatArray, IntArray
from segboost.tasks.label_codes import LabelCodeTask


def binary_task(
    X: AnyArray, y: IntArray | None, sample_weight: npt.ArrayLike | None = None
) -> LabelCodeTask:
    """Return the LPBoost task: classes 0 and 1 represent −1 and +1, ψ(x, y) = ½ y φ(x)."""
    codes = np.array([[-0.5], [0.5]])
    return LabelCodeTask(X, y, codes, zero_one_cost(2), sample_weight, ("margin",))


class MulticlassTask(LabelCodeTask):
    """Multi-class boosting (MultiBoost): Γ(y) is the y-th unit vector.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of int, shape (m,), or None
    n_classes : int
    cost : ndarray of shape (k, k), optional
        Δ(y, y'); 0/1 by default.
    sample_weight : ndarray of shape (m,), optional
    """

    def __init__(
        self,
        X: AnyArray,
        y: IntArray | None,
        n_classes: int,
        cost: FloatArray | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> None:
        cost = zero_one_cost(n_classes) if cost is None else cost
        names = tuple(f"class {k}" for k in range(n_classes))
        super().__init__(X, y, np.eye(n_classes), cost, sample_weight, names)


def zero_one_cost(n_classes: int) -> FloatArray:
    """Return the 0/1 loss as a matrix."""
    return 1.0 - np.eye(n_classes)
