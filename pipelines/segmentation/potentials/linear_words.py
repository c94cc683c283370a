"""The linear SVM on visual words, a baseline superpixel classifier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import AnyArray, BoolArray, FloatArray, Int64Array
from segboost.pipelines.segmentation.potentials.folds import has_two_classes
from segboost.pipelines.segmentation.potentials.out_of_fold import Learned, learn_out_of_fold

C_CHOICES = (1e-2, 1e-1, 1.0, 1e1, 1e2)
"""Weights C of the squared hinge loss; the best one on the last fold is chosen."""


@dataclass(frozen=True, eq=False)
class LinearWords:
    """A linear classifier of visual words: ``x·coef + bias``."""

    coef: FloatArray
    bias: float

    def __call__(self, words: AnyArray) -> FloatArray:
        """Return the score of every row, shape (P,)."""
        return np.asarray(words, dtype=np.float64) @ self.coef + self.bias


@dataclass(frozen=True, eq=False)
class LinearWordsLearner:
    """Learns linear SVMs at one C; see `learn_out_of_fold`."""

    features: AnyArray
    labels: Int64Array
    known: BoolArray
    fold: Int64Array
    C: float

    def fit(self, rows: Int64Array, part: int) -> LinearWords:
        """Return the SVM learned from these rows."""
        return _fit(self.features[rows], self.labels[rows], self.C)

    def score(self, model: LinearWords, rows: Int64Array) -> FloatArray:
        """Return the scores of these rows."""
        return model(self.features[rows])


def fit_linear_words(
    features: AnyArray,
    labels: Int64Array,
    known: BoolArray,
    fold: Int64Array,
    area: FloatArray,
) -> Learned[LinearWords]:
    """Fit a linear SVM on word histograms, with out-of-fold scores; C is the best on the last fold.

    Parameters
    ----------
    features : ndarray of shape (N, K)
    labels : ndarray of int, shape (N,)
    known : ndarray of bool, shape (N,)
    fold : ndarray of int, shape (N,)
    area : ndarray of shape (N,)
        Labelled pixels, the weights in the choice of C.
    """
    last = fold == fold.max()
    chosen = C_CHOICES[len(C_CHOICES) // 2]
    train, test = known & ~last, known & last
    if test.any() and has_two_classes(labels, np.flatnonzero(train)):
        accuracy = [
            _agreement(
                _fit(features[train], labels[train], C), features[test], labels[test], area[test]
            )
            for C in C_CHOICES
        ]
        chosen = C_CHOICES[int(np.argmax(accuracy))]
    learner = LinearWordsLearner(features, labels, known, fold, chosen)
    return learn_out_of_fold(learner, one_class="in sample")


def _fit(features: AnyArray, labels: Int64Array, C: float) -> LinearWords:
    from sklearn.svm import LinearSVC

    scale = float(features.max(initial=1))
    model = LinearSVC(C=C, dual=False, class_weight=None, max_iter=2000)
    model.fit(features / scale, labels)
    return LinearWords(model.coef_[0] / scale, float(model.intercept_[0]))


def _agreement(
    model: LinearWords, features: AnyArray, labels: Int64Array, area: FloatArray
) -> float:
    """Return the mean over the classes of the share of pixels labelled right."""
    right = (model(features) > 0) == (labels > 0)
    shares = [np.average(right[labels == k], weights=area[labels == k]) for k in np.unique(labels)]
    return float(np.mean(shares))
