"""The linear potential: logistic regression on all columns, used with few training images.

With fewer than about 20 images it is better than boosted trees: 84.9 to 85.7 against 80.3 to 84.4
mean IoU with 3 images of Graz-02 bikes, 87 with 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from segboost._types import AnyArray, BoolArray, Float32Array, FloatArray, Int64Array
from segboost.pipelines.segmentation.config.stage_settings import LinearSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
from segboost.pipelines.segmentation.potentials.out_of_fold import Learned, learn_out_of_fold
from segboost.weak.checks import read_array

DEFAULT = LinearSettings()
MOST_ROWS = 20_000
"""The largest number of superpixels to learn from."""


@dataclass(frozen=True, eq=False)
class LinearPotential:
    """Log-odds ``x·coef + bias`` over the columns of some groups, concatenated in this order."""

    groups: tuple[str, ...]
    coef: FloatArray
    bias: float

    def scores(self, groups: Mapping[str, AnyArray]) -> FloatArray:
        """Return the log-odds of every superpixel, shape (P,)."""
        table = np.concatenate([groups[g].astype(np.float64) for g in self.groups], axis=1)
        if table.shape[1] != len(self.coef):
            raise ValueError(f"expected {len(self.coef)} columns, got {table.shape[1]}")
        found: FloatArray = table @ self.coef + self.bias
        return found

    @classmethod
    def mean(cls, potentials: Sequence[Self]) -> Self:
        """Return the potential whose log-odds are the mean of the potentials' log-odds."""
        coef = np.mean([p.coef for p in potentials], axis=0)
        return cls(potentials[0].groups, coef, float(np.mean([p.bias for p in potentials])))

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the coefficients; the caller keeps the names of the groups."""
        return {"coef": self.coef, "bias": np.array(self.bias)}

    @classmethod
    def from_arrays(cls, groups: Sequence[str], arrays: Mapping[str, AnyArray]) -> Self:
        """Return the potential from the arrays of `to_arrays`."""
        coef = read_array(arrays, "coef", "f", (None,))
        return cls(tuple(groups), coef, float(read_array(arrays, "bias", "f", ())))


@dataclass(frozen=True, eq=False)
class LinearLearner:
    """Learns the linear potential; see `learn_out_of_fold`.

    Parameters
    ----------
    groups : tuple of str
    table : ndarray of shape (N, D)
        Columns of these groups.
    labels : ndarray of int, shape (N,)
    weight : ndarray of shape (N,)
        Labelled pixels.
    image : ndarray of int, shape (N,)
        The number of the image of every row.
    fold : ndarray of int, shape (N,)
    settings : LinearSettings
    seed : int
    """

    groups: tuple[str, ...]
    table: Float32Array
    labels: Int64Array
    weight: FloatArray
    image: Int64Array
    fold: Int64Array
    settings: LinearSettings
    seed: int

    @property
    def known(self) -> BoolArray:
        """The superpixels with a labelled pixel, shape (N,)."""
        return self.weight > 0

    def fit(self, rows: Int64Array, part: int) -> LinearPotential:
        """Return the logistic regression of these rows, on columns of unit deviation."""
        from sklearn.linear_model import LogisticRegression

        if len(rows) > MOST_ROWS:
            rng = np.random.default_rng([self.seed, 5, part])
            rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
        x = self.table[rows].astype(np.float64)
        mean, deviation = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-6)
        weight = self._weights(rows)
        model = LogisticRegression(C=self.settings.regularisation, max_iter=300)
        model.fit((x - mean) / deviation, self.labels[rows], weight)
        coef = model.coef_[0] / deviation
        return LinearPotential(self.groups, coef, float(model.intercept_[0] - mean @ coef))

    def _weights(self, rows: Int64Array) -> FloatArray:
        """Return the weights of these rows, 1 on average."""
        weight = self.weight[rows]
        if self.settings.balanced:
            labels, n_images = self.labels[rows], len(np.unique(self.image[rows]))
            power = min(1.0, self.settings.balanced / n_images)
            weight = weight * np.bincount(labels, weight, 2)[labels] ** -power
        found: FloatArray = weight / weight.mean()
        return found

    def score(self, model: LinearPotential, rows: Int64Array) -> FloatArray:
        """Return the log-odds of these rows."""
        found: FloatArray = self.table[rows].astype(np.float64) @ model.coef + model.bias
        return found


def fit_linear_potential(
    reader: FeatureReader,
    images: Sequence[SuperpixelImage],
    fold: Int64Array,
    seed: int,
    average: bool = False,
    settings: LinearSettings = DEFAULT,
) -> Learned[LinearPotential]:
    """Learn a linear classifier over all groups, with out-of-fold scores of shape (N,).

    Parameters
    ----------
    reader : FeatureReader
        The features of the images.
    images : sequence of SuperpixelImage
        With their truth.
    fold : ndarray of int, shape (N,)
    seed : int
    average : bool
        Whether the potential is the mean of the models learned without each fold and of the one
        learned from all images.
    settings : LinearSettings
    """
    blocks = [reader.column_block(group).astype(np.float32) for group in reader.groups]
    labels = np.concatenate([i.labels for i in images])
    weight = np.concatenate([i.labelled for i in images]).astype(np.float64)
    table = np.concatenate(blocks, axis=1)
    image = np.repeat(np.arange(len(images)), [i.n_superpixels for i in images])
    learner = LinearLearner(reader.groups, table, labels, weight, image, fold, settings, seed)
    return learn_out_of_fold(learner, mean=LinearPotential.mean if average else None)
