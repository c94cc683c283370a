"""Second stage: a summary of the first-stage scores, and context potentials over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from segboost.pipelines.context_features import context_features
from segboost.pipelines.superpixel_image import SuperpixelImage
from segboost.pipelines.tree_booster import BoosterSettings, TreeBooster

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Summary:
    """A logistic regression on standardised scores: ``(scores / scale)·coef + bias``."""

    scale: FloatArray
    coef: FloatArray
    bias: float

    @classmethod
    def fit(cls, scores: FloatArray, labels: IntArray, weight: FloatArray) -> Summary:
        """Learn from scores, shape (N, T), and labels in {0, 1}, shape (N,)."""
        from sklearn.linear_model import LogisticRegression

        scale = np.maximum(scores.std(axis=0), 1e-12)
        model = LogisticRegression(C=1.0, max_iter=500)
        model.fit(scores / scale, labels, sample_weight=weight / weight.mean())
        return cls(scale, model.coef_[0], float(model.intercept_[0]))

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the log-odds, shape (N,)."""
        return (scores / self.scale) @ self.coef + self.bias


@dataclass(frozen=True, eq=False)
class Context:
    """The second stage: from first-stage scores to more potentials.

    Parameters
    ----------
    summary : Summary
    boosters : tuple of TreeBooster
        Each on the context features; their scores are averaged.
    """

    summary: Summary
    boosters: tuple[TreeBooster, ...]

    def scores(self, image: SuperpixelImage, first: FloatArray) -> FloatArray:
        """Return the summary and the context score of every superpixel, shape (P, 2)."""
        summary = self.summary(first)
        features = context_features(image, first, summary)
        context = np.mean([b.decision_function(features) for b in self.boosters], axis=0)
        return np.column_stack([summary, context])

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that `from_arrays` takes."""
        arrays = {
            "scale": self.summary.scale,
            "coef": self.summary.coef,
            "bias": np.array(self.summary.bias),
            "n_boosters": np.array(len(self.boosters)),
        }
        for number, booster in enumerate(self.boosters):
            arrays |= {f"booster{number}_{k}": a for k, a in booster.to_arrays().items()}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Context:
        """Return the second stage that `to_arrays` took apart."""
        boosters = []
        for number in range(int(arrays["n_boosters"])):
            prefix = f"booster{number}_"
            part = {k.removeprefix(prefix): a for k, a in arrays.items() if k.startswith(prefix)}
            boosters.append(TreeBooster.from_arrays(part))
        summary = Summary(arrays["scale"], arrays["coef"], float(arrays["bias"]))
        return cls(summary, tuple(boosters))


def fit_context(
    images: Sequence[SuperpixelImage],
    first: FloatArray,
    fold_of_image: IntArray,
    settings: BoosterSettings,
    n_boosters: int,
    seed: int,
    n_jobs: int = 1,
) -> tuple[Context, FloatArray]:
    """Learn the second stage; return it with its out-of-fold scores, shape (N, 2).

    Parameters
    ----------
    images : sequence of SuperpixelImage
        The training images with their truth.
    first : ndarray of shape (N, T)
        Out-of-fold first-stage scores of all their superpixels.
    fold_of_image : ndarray of int, shape (m,)
        The folds of the first stage, used again.
    settings : BoosterSettings
    n_boosters : int
        Boosters of different seeds whose scores are averaged.
    seed : int
    n_jobs : int
        Folds that are learned side by side; the result is the same.
    """
    data = _Stacked.of(images, first, fold_of_image)
    summary = _summary_out_of_fold(first, data)
    table = np.concatenate(
        [
            context_features(image, first[span], summary[span])
            for image, span in zip(images, data.spans, strict=True)
        ]
    )
    *by_fold, final = Parallel(n_jobs=n_jobs)(
        delayed(_boosters)(table, data, rows, settings, n_boosters, seed)
        for rows in [*data.outside, data.known]
    )
    score = np.zeros(len(data.labels))
    for k, boosters in zip(data.folds, by_fold or [final], strict=True):
        inside = data.fold == k
        score[inside] = np.mean([b.decision_function(table[inside]) for b in boosters], axis=0)
    overall = Summary.fit(first[data.known], data.labels[data.known], data.weight[data.known])
    return Context(overall, final), np.column_stack([summary, score])


def _summary_out_of_fold(first: FloatArray, data: _Stacked) -> FloatArray:
    """Return the summary of every superpixel, learned without its fold."""
    summary = np.zeros(len(data.labels))
    for k, rows in zip(data.folds, data.outside or [data.known], strict=True):
        fitted = Summary.fit(first[rows], data.labels[rows], data.weight[rows])
        summary[data.fold == k] = fitted(first[data.fold == k])
    return summary


@dataclass(frozen=True, eq=False)
class _Stacked:
    """The training superpixels of all images, one after the other."""

    labels: IntArray
    weight: FloatArray
    known: npt.NDArray[np.bool_]
    fold: IntArray
    folds: IntArray
    spans: tuple[slice, ...]

    @property
    def outside(self) -> list[npt.NDArray[np.bool_]]:
        """For every fold the known superpixels of the others; none where there is one fold."""
        if len(self.folds) < 2:
            return []
        return [self.known & (self.fold != k) for k in self.folds]

    @classmethod
    def of(
        cls, images: Sequence[SuperpixelImage], first: FloatArray, fold_of_image: IntArray
    ) -> _Stacked:
        sizes = np.array([image.n_superpixels for image in images])
        ends = np.cumsum(sizes)
        spans = tuple(slice(int(e - s), int(e)) for s, e in zip(sizes, ends, strict=True))
        weight = np.concatenate([image.labelled for image in images])
        labels = np.concatenate([image.labels for image in images])
        fold = np.repeat(fold_of_image, sizes)
        if len(first) != len(labels):
            raise ValueError(f"first has {len(first)} rows for {len(labels)} superpixels")
        return cls(labels, weight, weight > 0, fold, np.unique(fold), spans)


def _boosters(
    table: npt.NDArray[Any],
    data: _Stacked,
    rows: npt.NDArray[np.bool_],
    settings: BoosterSettings,
    n_boosters: int,
    seed: int,
) -> tuple[TreeBooster, ...]:
    weight = data.weight[rows] / data.weight[rows].mean()
    return tuple(
        TreeBooster.fit(table[rows], data.labels[rows], weight, settings, seed + number)
        for number in range(n_boosters)
    )
