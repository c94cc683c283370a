"""Second stage: a context potential over the first-stage scores around a superpixel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from segboost._types import FloatArray, Int64Array
from segboost.boosting.ensemble import TreeBooster
from segboost.boosting.settings import BoosterSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.context_features import context_features
from segboost.pipelines.segmentation.potentials.folds import teaches


@dataclass(frozen=True, eq=False)
class Context:
    """The second stage: from first-stage scores to one more potential."""

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
        """Return the context that `to_arrays` took apart."""
        return cls(TreeBooster.from_arrays(arrays))


def fit_context(
    images: Sequence[SuperpixelImage],
    first: FloatArray,
    fold: Int64Array,
    settings: BoosterSettings,
    seed: int,
    n_jobs: int = 1,
) -> tuple[Context, FloatArray]:
    """Learn the second stage; return it with its out-of-fold scores, shape (N,).

    Parameters
    ----------
    images : sequence of SuperpixelImage
        The training images with their truth and the features that own models are made of.
    first : ndarray of shape (N, T)
        Out-of-fold first-stage scores of all their superpixels, the best of them last.
    fold : ndarray of int, shape (N,)
        The folds of the first stage, used again.
    settings : BoosterSettings
    seed : int
    n_jobs : int
        Folds that are learned side by side; the result is the same.
    """
    sizes = np.array([image.n_superpixels for image in images])
    if len(first) != sizes.sum():
        raise ValueError(f"first has {len(first)} rows for {sizes.sum()} superpixels")
    parts = np.split(first, np.cumsum(sizes)[:-1])
    table = np.concatenate([context_features(i, f) for i, f in zip(images, parts, strict=True)])
    labels = np.concatenate([image.labels for image in images])
    weight = np.concatenate([image.labelled for image in images]).astype(np.float64)
    folds = np.unique(fold)

    def fit(left_out: int | None) -> TreeBooster | None:
        rows = (weight > 0) & (fold != left_out)
        if left_out is not None and not teaches(labels, np.flatnonzero(rows)):
            return None
        number = len(folds) if left_out is None else left_out
        return TreeBooster.fit(table[rows], labels[rows], weight[rows], settings, [seed, 2, number])

    without = [int(k) for k in folds] if len(folds) > 1 else []
    jobs = Parallel(n_jobs=n_jobs, require="sharedmem")
    final, *by_fold = jobs(delayed(fit)(k) for k in [None, *without])
    score = np.zeros(len(labels))
    for k, booster in zip(folds, by_fold or [final], strict=True):
        if booster is not None:
            score[fold == k] = booster.decision_function(table[fold == k])
    return Context(final), score
