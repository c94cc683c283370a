"""The linear potential of several classes: logistic regression, for few training images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import log_softmax

from segboost._types import AnyArray, BoolArray, Float32Array, FloatArray, Int64Array
from segboost.pipelines.segmentation.potentials.class_truth import ClassTruth
from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
from segboost.pipelines.segmentation.potentials.linear import MOST_ROWS
from segboost.pipelines.segmentation.potentials.out_of_fold import Learned, learn_out_of_fold
from segboost.weak.checks import read_array

REGULARISATION = 1e-3
"""scikit-learn's C: the weight of the summed loss against the squared norm."""
LEAST_LOSS = 3.0
"""Minimum weight of the mean loss: with few superpixels nothing would be learned otherwise."""
ABSENT = -20.0
"""The score of a class that no training superpixel has."""


@dataclass(frozen=True, eq=False)
class ClassLinearPotential:
    """Scores ``x·coef + bias`` over the columns of some groups, concatenated in this order.

    Parameters
    ----------
    groups : tuple of str
    coef : ndarray of shape (D, K)
    bias : ndarray of shape (K,)
    """

    groups: tuple[str, ...]
    coef: FloatArray
    bias: FloatArray

    def scores(self, groups: Mapping[str, AnyArray]) -> FloatArray:
        """Return the log-probabilities of the classes for every superpixel, shape (P, K)."""
        return self.score_table(np.concatenate([groups[g] for g in self.groups], axis=1))

    @classmethod
    def mean(cls, potentials: Sequence[Self]) -> Self:
        """Return the potential whose scores are the mean of the potentials' scores, normalised."""
        coef = np.mean([p.coef for p in potentials], axis=0)
        return cls(potentials[0].groups, coef, np.mean([p.bias for p in potentials], axis=0))

    def score_table(self, table: AnyArray) -> FloatArray:
        """Return the log-probabilities of rows of these columns, shape (n, K)."""
        if table.shape[1] != len(self.coef):
            raise ValueError(f"expected {len(self.coef)} columns, got {table.shape[1]}")
        found: FloatArray = log_softmax(table.astype(np.float64) @ self.coef + self.bias, axis=1)
        return found

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the coefficients; the caller keeps the names of the groups."""
        return {"coef": self.coef, "bias": self.bias}

    @classmethod
    def from_arrays(cls, groups: Sequence[str], arrays: Mapping[str, AnyArray]) -> Self:
        """Return the potential from the arrays of `to_arrays`."""
        coef = read_array(arrays, "coef", "f", (None, None))
        return cls(tuple(groups), coef, read_array(arrays, "bias", "f", (coef.shape[1],)))


@dataclass(frozen=True, eq=False)
class ClassLinearLearner:
    """Learns the linear potential; see `learn_out_of_fold`.

    Parameters
    ----------
    truth : ClassTruth
    groups : tuple of str
    table : ndarray of float32, shape (N, D)
        Columns of these groups.
    seed : int
    """

    truth: ClassTruth
    groups: tuple[str, ...]
    table: Float32Array
    seed: int

    @property
    def fold(self) -> Int64Array:
        """The fold of every superpixel, shape (N,)."""
        return self.truth.fold

    @property
    def labels(self) -> Int64Array:
        """The class of every superpixel, shape (N,)."""
        return self.truth.labels

    @property
    def known(self) -> BoolArray:
        """The superpixels with a labelled pixel, shape (N,)."""
        return self.truth.known

    def fit(self, rows: Int64Array, part: int) -> ClassLinearPotential:
        """Return the logistic regression of these rows, on columns of unit deviation."""
        from sklearn.linear_model import LogisticRegression

        if len(rows) > MOST_ROWS:
            rng = np.random.default_rng([self.seed, 5, part])
            rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
        x = self.table[rows].astype(np.float64)
        mean, deviation = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-6)
        weight = self.truth.weights()[rows]
        regularisation = max(REGULARISATION, LEAST_LOSS / len(rows))
        model = LogisticRegression(C=regularisation, max_iter=300)
        model.fit((x - mean) / deviation, self.labels[rows], weight / weight.mean())
        coef = np.zeros((x.shape[1], self.truth.n_classes))
        bias = np.full(self.truth.n_classes, ABSENT)
        if len(model.classes_) == 2:  # one set of coefficients, those of the second class
            learned, constant = np.stack([-model.coef_[0], model.coef_[0]]) / 2, model.intercept_[0]
            constants = np.array([-constant, constant]) / 2
        else:
            learned, constants = model.coef_, model.intercept_
        coef[:, model.classes_] = learned.T / deviation[:, None]
        bias[model.classes_] = constants - mean @ coef[:, model.classes_]
        return ClassLinearPotential(self.groups, coef, bias)

    def score(self, model: ClassLinearPotential, rows: Int64Array) -> FloatArray:
        """Return the log-probabilities of these rows, shape (n, K)."""
        return model.score_table(self.table[rows])


def fit_class_linear(
    reader: FeatureReader, truth: ClassTruth, seed: int, average: bool = False
) -> Learned[ClassLinearPotential]:
    """Learn a linear classifier over all groups, with out-of-fold scores of shape (N, K).

    Parameters
    ----------
    reader : FeatureReader
    truth : ClassTruth
    seed : int
    average : bool
        Whether the potential is the mean of the models learned without each fold and of the one
        learned from all images.
    """
    blocks = [reader.column_block(group).astype(np.float32) for group in reader.groups]
    learner = ClassLinearLearner(truth, reader.groups, np.concatenate(blocks, axis=1), seed)
    mean = ClassLinearPotential.mean if average else None
    return learn_out_of_fold(learner, one_class="in sample", mean=mean)
