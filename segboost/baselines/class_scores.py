"""Class scores in the shapes that scikit-learn expects."""

from __future__ import annotations

import numpy as np

from segboost._types import AnyArray, FloatArray


def table_scores(scores: FloatArray) -> FloatArray:
    """Return scores of shape (N, k) unchanged; for k = 2 their difference, shape (N,)."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def classes_of(scores: FloatArray, classes: AnyArray) -> AnyArray:
    """Return the highest-scoring class, the first of tied ones, shape (N,)."""
    best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
    return classes[best]
