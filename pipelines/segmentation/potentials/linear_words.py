"""The linear SVM on visual words: a superpixel classifier to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray

C_CHOICES = (1e-2, 1e-1, 1.0, 1e1, 1e2)
"""Of the hinge loss per example on features in [0, 1]; the best one out of fold is taken."""


@dataclass(frozen=True, eq=False)
class LinearWords:
    """A linear classifier of visual words: ``x·coef + bias``."""

    coef: FloatArray
    bias: float

    def __call__(self, words: npt.NDArray[Any]) -> FloatArray:
        """Return the score of every row, shape (P,)."""
        return np.asarray(words, dtype=np.float64) @ self.coef + self.bias


def fit_linear_words(
    features: npt.NDArray[Any],
    labels: npt.NDArray[np.int64],
    known: npt.NDArray[np.bool_],
    fold: npt.NDArray[np.int64],
    area: FloatArray,
) -> tuple[LinearWords, FloatArray]:
    """Fit a linear SVM on word histograms; C is the best on the last fold.

    Also returned are the scores of all rows by SVMs that did not see their fold, shape (N,); those
    of the final one where the other folds are none or have one class only.

    Parameters
    ----------
    features : ndarray of shape (N, K)
    labels : ndarray of int, shape (N,)
    known : ndarray of bool, shape (N,)
    fold : ndarray of int, shape (N,)
    area : ndarray of shape (N,)
        Labelled pixels, which count in the choice of C.
    """
    last = fold == fold.max()
    chosen = C_CHOICES[len(C_CHOICES) // 2]
    train, test = known & ~last, known & last
    if test.any() and _has_both(labels[train]):
        accuracy = [
            _agreement(
                _fit(features[train], labels[train], C), features[test], labels[test], area[test]
            )
            for C in C_CHOICES
        ]
        chosen = C_CHOICES[int(np.argmax(accuracy))]
    final = _fit(features[known], labels[known], chosen)
    scores = final(features)
    for held in np.unique(fold):
        mine, others = fold == held, known & (fold != held)
        if _has_both(labels[others]):  # else there is nothing to tell apart
            scores[mine] = _fit(features[others], labels[others], chosen)(features[mine])
    return final, scores


def _has_both(labels: npt.NDArray[np.int64]) -> bool:
    return np.unique(labels).size > 1


def _fit(features: npt.NDArray[Any], labels: npt.NDArray[np.int64], C: float) -> LinearWords:
    from sklearn.svm import LinearSVC

    scale = float(features.max(initial=1))
    model = LinearSVC(C=C, dual=False, class_weight=None, max_iter=2000)
    model.fit(features / scale, labels)
    return LinearWords(model.coef_[0] / scale, float(model.intercept_[0]))


def _agreement(
    model: LinearWords, features: npt.NDArray[Any], labels: npt.NDArray[np.int64], area: FloatArray
) -> float:
    """Return the mean over the classes of the share of pixels labelled right."""
    right = (model(features) > 0) == (labels > 0)
    shares = [np.average(right[labels == k], weights=area[labels == k]) for k in np.unique(labels)]
    return float(np.mean(shares))
