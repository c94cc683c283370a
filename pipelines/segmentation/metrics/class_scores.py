"""Scores of segmentations into any number of classes, over all pixels of a set of images."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix


@dataclass(frozen=True, eq=False)
class ClassScores:
    """Fractions from 0 to 1 over the pixels of some images; NaN if undefined.

    Parameters
    ----------
    matrix : ConfusionMatrix
    n_images : int
    """

    matrix: ConfusionMatrix
    n_images: int

    @property
    def mean_iou(self) -> float:
        """Mean intersection over union of the classes that are present."""
        return self.matrix.mean_iou

    @property
    def mean_recall(self) -> float:
        """Mean recall of the classes that are present ("class average")."""
        return self.matrix.mean_recall

    @property
    def accuracy(self) -> float:
        """Share of the pixels that are right ("global accuracy")."""
        return self.matrix.accuracy

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; None stands for NaN, which JSON does not have."""
        means = {name: getattr(self, name) for name in ("mean_iou", "mean_recall", "accuracy")}
        plain = {name: None if math.isnan(value) else value for name, value in means.items()}
        return {**plain, "confusion": self.matrix.counts.tolist(), "n_images": self.n_images}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the scores that `to_dict` wrote; ValueError if they are invalid."""
        counts = np.asarray(values["confusion"], dtype=np.int64)
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any():
            raise ValueError("confusion: expected a square matrix of counts")
        return cls(ConfusionMatrix(counts), int(values["n_images"]))


class ClassEvaluation:
    """Scores over images that are added one at a time; no image is kept.

    Parameters
    ----------
    n_classes : int

    Examples
    --------
    >>> evaluation = ClassEvaluation(3)
    >>> matrix = ConfusionMatrix.of_masks([[0, 2], [1, 1]], [[0, 2], [255, 2]], n_classes=3)
    >>> evaluation.add_matrix(matrix).accuracy
    0.6666666666666666
    """

    def __init__(self, n_classes: int) -> None:
        self.matrix = ConfusionMatrix.empty(n_classes)
        self.n_images = 0

    def add_matrix(self, matrix: ConfusionMatrix) -> ClassScores:
        """Add an image by its confusion matrix; return its own scores."""
        self.matrix = self.matrix + matrix
        self.n_images += 1
        return ClassScores(matrix, 1)

    def result(self) -> ClassScores:
        """Return the scores over all pixels so far; all NaN if there are none."""
        return ClassScores(self.matrix, self.n_images)
