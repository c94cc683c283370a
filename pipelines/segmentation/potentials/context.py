"""The context potential: a second stage over the first-stage scores around a superpixel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray, Int64Array
from segboost.boosting.ensemble import TreeBooster
from segboost.boosting.settings import BoosterSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.context_features import context_features
from segboost.pipelines.segmentation.potentials.out_of_fold import (
    Learned,
    in_threads,
    learn_out_of_fold,
)


@dataclass(frozen=True, eq=False)
class ContextPotential:
    """Trees over what the first-stage scores say around a superpixel."""

    booster: TreeBooster

    def scores(self, image: SuperpixelImage, first: FloatArray) -> FloatArray:
        """Return the context score of every superpixel, shape (P,).

        Parameters
        ----------
        image : SuperpixelImage
            With its features.
        first : ndarray of shape (P, T)
            First-stage scores, the best of them last.
        """
        return self.booster.decision_function(context_features(image, first))

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that `from_arrays` takes."""
        return self.booster.to_arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Return the potential that `to_arrays` took apart."""
        return cls(TreeBooster.from_arrays(arrays))


@dataclass(frozen=True, eq=False)
class ContextLearner:
    """Learns the context potential; see `learn_out_of_fold`.

    Parameters
    ----------
    table : ndarray of float32, shape (N, D)
        Context features of all superpixels.
    labels : ndarray of int, shape (N,)
    weight : ndarray of shape (N,)
        Labelled pixels.
    fold : ndarray of int, shape (N,)
    settings : BoosterSettings
    seed : int
    """

    table: npt.NDArray[np.float32]
    labels: Int64Array
    weight: FloatArray
    fold: Int64Array
    settings: BoosterSettings
    seed: int

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """The superpixels with a labelled pixel, shape (N,)."""
        return self.weight > 0

    def fit(self, rows: Int64Array, part: int) -> ContextPotential:
        """Return the potential learned from these rows."""
        seed = [self.seed, 2, part]
        table, labels, weight = self.table[rows], self.labels[rows], self.weight[rows]
        return ContextPotential(TreeBooster.fit(table, labels, weight, self.settings, seed))

    def score(self, model: ContextPotential, rows: Int64Array) -> FloatArray:
        """Return the scores of these rows."""
        return model.booster.decision_function(self.table[rows])


def fit_context(
    images: Sequence[SuperpixelImage],
    first: FloatArray,
    fold: Int64Array,
    settings: BoosterSettings,
    seed: int,
    n_jobs: int = 1,
) -> Learned[ContextPotential]:
    """Learn the second stage, with its out-of-fold scores of shape (N,).

    Parameters
    ----------
    images : sequence of SuperpixelImage
        The training images with their truth and the features that describe their own appearance.
    first : ndarray of shape (N, T)
        Out-of-fold first-stage scores of all their superpixels, the best of them last.
    fold : ndarray of int, shape (N,)
        The folds of the first stage, used again.
    settings : BoosterSettings
    seed : int
    n_jobs : int
        Folds learned at the same time; the result is the same.
    """
    sizes = np.array([image.n_superpixels for image in images])
    if len(first) != sizes.sum():
        raise ValueError(f"first has {len(first)} rows for {sizes.sum()} superpixels")
    parts = np.split(first, np.cumsum(sizes)[:-1])
    table = np.concatenate([context_features(i, f) for i, f in zip(images, parts, strict=True)])
    labels = np.concatenate([image.labels for image in images])
    weight = np.concatenate([image.labelled for image in images]).astype(np.float64)
    learner = ContextLearner(table, labels, weight, fold, settings, seed)
    return learn_out_of_fold(learner, in_threads(n_jobs))
