"""Predictions for an image together with its truth, for two classes and for several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from segboost._types import AnyArray, ByteArray, FloatArray, Int64Array
from segboost.io.legend import VOID
from segboost.pipelines.segmentation.metrics.class_scores import ClassEvaluation, ClassScores
from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix
from segboost.pipelines.segmentation.metrics.scores import (
    SegmentationEvaluation,
    SegmentationScores,
)

Scores = SegmentationScores | ClassScores
Total = SegmentationEvaluation | ClassEvaluation
BINS = 10
"""Bins of probability."""


@dataclass(frozen=True, eq=False)
class RegionPrediction:
    """Scores and true pixels of an image's regions, each of shape (R,), for two classes.

    Regions are its superpixels and, if borders were refined, groups of pixels near them.
    """

    score: FloatArray
    foreground: Int64Array
    background: Int64Array

    @property
    def matrix(self) -> ConfusionMatrix:
        """Pixels by true and predicted class."""
        counts = np.column_stack([self.background, self.foreground])
        return ConfusionMatrix.of_regions(self.score > 0, counts)

    def add_to(self, total: Any) -> SegmentationScores:
        """Add the image to an evaluation of two classes; return its own scores."""
        added: SegmentationScores = total.add_regions(
            self.score > 0, self.foreground, self.background, self.score
        )
        return added


@dataclass(frozen=True, eq=False)
class ClassPrediction:
    """Pixels of an image by true and predicted class, and the calibration of its probabilities.

    Parameters
    ----------
    confusion : ndarray of int64, shape (K, K)
        Rows are true, columns predicted classes.
    calibration : ndarray of float64, shape (B, 3)
        For pairs of a pixel and a class, by bins of probability: the sum of probabilities, the
        number of pixels of that class, and the number of pairs.
    """

    confusion: Int64Array
    calibration: FloatArray

    @classmethod
    def of(
        cls,
        scores: AnyArray,
        mask: ByteArray,
        probabilities: AnyArray,
        step: int,
    ) -> Self:
        """Return the prediction for the scores of an image.

        Parameters
        ----------
        scores : ndarray of shape (H, W, K)
        mask : ndarray of uint8, shape (H, W)
            0 … K−1, 255 void.
        probabilities : ndarray of shape (h, w, K)
            Probabilities of the pixels in every `step`-th row and column.
        step : int
        """
        n_classes = scores.shape[2]
        matrix = ConfusionMatrix.of_masks(np.argmax(scores, axis=2), mask, n_classes)
        truth = mask[::step, ::step].ravel()
        known = truth != VOID
        held = probabilities.reshape(-1, n_classes)[known].astype(np.float64)
        right = truth[known, None] == np.arange(n_classes)
        place = np.minimum((held * BINS).astype(np.int64), BINS - 1).ravel()
        columns = (held.ravel(), right.ravel().astype(np.float64), None)
        sums = [np.bincount(place, weights, BINS).astype(np.float64) for weights in columns]
        return cls(matrix.counts, np.column_stack(sums))

    @property
    def matrix(self) -> ConfusionMatrix:
        """Pixels by true and predicted class."""
        return ConfusionMatrix(self.confusion)

    def add_to(self, total: Any) -> ClassScores:
        """Add the image to an evaluation of several classes; return its own scores."""
        added: ClassScores = total.add_matrix(self.matrix)
        return added


ImagePrediction = RegionPrediction | ClassPrediction


def new_total(n_classes: int) -> Total:
    """Return an evaluation to which predictions of this number of classes can be added."""
    return SegmentationEvaluation() if n_classes == 2 else ClassEvaluation(n_classes)


def prediction_from_arrays(arrays: Mapping[str, AnyArray]) -> ImagePrediction:
    """Return the prediction with these arrays as its attributes."""
    return ClassPrediction(**arrays) if "confusion" in arrays else RegionPrediction(**arrays)


def scores_from_dict(values: Mapping[str, Any]) -> Scores:
    """Return the scores that their `to_dict` wrote, for two classes or several."""
    if "iou_foreground" in values:
        return SegmentationScores.from_dict(values)
    return ClassScores.from_dict(values)
