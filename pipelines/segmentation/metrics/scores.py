"""Scores of segmentations over all pixels of a set of images, added one image at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost._types import AnyArray, BoolArray, Int64Array
from segboost.io.legend import VOID
from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix
from segboost.pipelines.segmentation.metrics.precision_recall import (
    PrecisionRecallCurve,
    ScoreHistogram,
)

__all__ = [
    "VOID", "ConfusionMatrix", "PixelCounts", "SegmentationEvaluation", "SegmentationScores",
    "check_mask", "region_counts",
]  # fmt: skip


@dataclass(frozen=True)
class SegmentationScores:
    """Fractions from 0 to 1; NaN if undefined.

    With the pixels TP, FP, FN, TN and foreground as the positive class:

    - `iou_foreground` = TP / (TP + FP + FN), `iou_background` = TN / (TN + FP + FN);
    - `recall_foreground` = TP / (TP + FN), `recall_background` = TN / (TN + FP);
    - `mean_iou`, `mean_recall` ("pixel accuracy" in the paper): means over the defined classes.

    An IoU is NaN if the class is neither present nor predicted, a recall if the class is not
    present. `break_even` is precision where it equals recall over all thresholds of the score;
    NaN without foreground or without scores. `accuracy` is the share of pixels that are right.
    """

    mean_iou: float
    iou_foreground: float
    iou_background: float
    mean_recall: float
    recall_foreground: float
    recall_background: float
    break_even: float
    n_images: int
    accuracy: float = float("nan")

    def to_dict(self) -> dict[str, float | int | None]:
        """Return plain values for JSON; None stands for NaN, which JSON does not have."""
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SegmentationScores:
        """Return the scores that `to_dict` wrote; other entries are ignored."""
        old = {"accuracy": None}  # earlier versions did not write it
        read = {f.name: {**old, **values}[f.name] for f in fields(cls) if f.name != "n_images"}
        numbers = {n: float("nan") if v is None else float(v) for n, v in read.items()}
        return cls(n_images=int(values["n_images"]), **numbers)


@dataclass(frozen=True)
class PixelCounts:
    """Pixels by truth and prediction; counts can be added."""

    true_positive: int = 0
    false_positive: int = 0
    false_negative: int = 0
    true_negative: int = 0

    def __add__(self, other: PixelCounts) -> PixelCounts:
        return PixelCounts(
            self.true_positive + other.true_positive,
            self.false_positive + other.false_positive,
            self.false_negative + other.false_negative,
            self.true_negative + other.true_negative,
        )

    def scores(self, break_even: float, n_images: int) -> SegmentationScores:
        """Return the fractions of these counts."""
        tp, tn = self.true_positive, self.true_negative
        fp, fn = self.false_positive, self.false_negative
        iou = _ratio(tp, tp + fp + fn), _ratio(tn, tn + fp + fn)
        recall = _ratio(tp, tp + fn), _ratio(tn, tn + fp)
        return SegmentationScores(
            _mean(iou),
            *iou,
            _mean(recall),
            *recall,
            break_even=break_even,
            n_images=n_images,
            accuracy=_ratio(tp + tn, tp + fp + fn + tn),
        )


class SegmentationEvaluation:
    """Scores over images that are added one at a time; no image is kept.

    Either all images have scores or none: a curve over only some of the pixels would not match
    the other figures.

    Examples
    --------
    >>> evaluation = SegmentationEvaluation()
    >>> truth, prediction = [[0, 1], [255, 1]], [[0, 1], [1, 0]]
    >>> evaluation.add(prediction, truth).recall_foreground
    0.5
    >>> evaluation.result().mean_iou
    0.5
    """

    def __init__(self) -> None:
        self.counts = PixelCounts()
        self.n_images = 0
        self._histogram = ScoreHistogram()
        self._scored: bool | None = None

    def add(
        self,
        prediction: npt.ArrayLike,
        truth: npt.ArrayLike,
        score: npt.ArrayLike | None = None,
    ) -> SegmentationScores:
        """Add an image pixel by pixel; return its own scores.

        Parameters
        ----------
        prediction : array-like of shape (H, W)
            0 and 1, or booleans.
        truth : array-like of shape (H, W)
            0 background, 1 foreground, 255 void.
        score : array-like of shape (H, W), optional
            Higher where foreground is more likely.
        """
        mask = check_mask(truth)
        known = mask != VOID
        labels = _binary("prediction", prediction, mask.shape)[known]
        foreground = (mask[known] == 1).astype(np.int64)
        values = None if score is None else _same_shape("score", score, mask.shape)[known]
        return self.add_regions(labels, foreground, 1 - foreground, values)

    def add_regions(
        self,
        labels: npt.ArrayLike,
        n_foreground: npt.ArrayLike,
        n_background: npt.ArrayLike,
        score: npt.ArrayLike | None = None,
    ) -> SegmentationScores:
        """Add an image by regions of one label and one score each; return its own scores.

        Parameters
        ----------
        labels : array-like of shape (P,)
            The predicted 0 or 1 of every superpixel.
        n_foreground, n_background : array-like of int, shape (P,)
            The true pixels of either kind in every superpixel (`region_counts`).
        score : array-like of shape (P,), optional
        """
        foreground, background = np.asarray(n_foreground), np.asarray(n_background)
        positive = _binary("labels", labels, foreground.shape)
        if background.shape != foreground.shape:
            raise ValueError(f"counts of shape {foreground.shape} and {background.shape} differ")
        if (foreground < 0).any() or (background < 0).any():
            raise ValueError("counts of pixels must not be negative")
        if self._scored is not None and self._scored != (score is not None):
            raise ValueError("give scores for every image or for none")
        own = ScoreHistogram()
        if score is not None:
            own.add(score, foreground, background)
            self._histogram.update(own)
        counts = PixelCounts(
            int(foreground[positive].sum()),
            int(background[positive].sum()),
            int(foreground[~positive].sum()),
            int(background[~positive].sum()),
        )
        self._scored, self.counts = score is not None, self.counts + counts
        self.n_images += 1
        return counts.scores(own.curve().break_even, 1)

    def update(self, other: SegmentationEvaluation) -> None:
        """Add all images of another evaluation, for example from another process."""
        if other._scored is None:
            return
        if self._scored is not None and self._scored != other._scored:
            raise ValueError("one evaluation has scores, the other has none")
        self._histogram.update(other._histogram)
        self._scored, self.counts = other._scored, self.counts + other.counts
        self.n_images += other.n_images

    def curve(self) -> PrecisionRecallCurve:
        """Return the precision–recall curve over all pixels so far."""
        return self._histogram.curve()

    def result(self) -> SegmentationScores:
        """Return the scores over all pixels so far; all NaN if there are none."""
        return self.counts.scores(self.curve().break_even, self.n_images)


def region_counts(
    superpixels: npt.ArrayLike, truth: npt.ArrayLike
) -> tuple[Int64Array, Int64Array]:
    """Return the foreground and background pixels of every superpixel, two arrays of shape (P,).

    Parameters
    ----------
    superpixels : array-like of int, shape (H, W)
        Labels 0 … P−1.
    truth : array-like of shape (H, W)
        0 background, 1 foreground, 255 void, which is ignored.
    """
    mask = check_mask(truth)
    regions = _same_shape("superpixels", superpixels, mask.shape)
    n_regions = int(regions.max()) + 1 if regions.size else 0
    foreground, background = (
        np.bincount(regions[mask == value], minlength=n_regions) for value in (1, 0)
    )
    return foreground.astype(np.int64), background.astype(np.int64)


def check_mask(truth: npt.ArrayLike) -> AnyArray:
    """Return the mask as an array; ValueError if it has values other than 0, 1 and 255."""
    mask = np.asarray(truth)
    odd = ~((mask == 0) | (mask == 1) | (mask == VOID))
    if odd.any():
        raise ValueError(f"a mask has 0, 1 and {VOID} (void) only, got {mask[odd].flat[0]}")
    return mask


def _binary(name: str, value: npt.ArrayLike, shape: tuple[int, ...]) -> BoolArray:
    array = _same_shape(name, value, shape)
    if not ((array == 0) | (array == 1)).all():
        raise ValueError(f"{name} must be 0 or 1 everywhere")
    return array.astype(bool)


def _same_shape(name: str, value: npt.ArrayLike, shape: tuple[int, ...]) -> AnyArray:
    array = np.asarray(value)
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
    return array


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _mean(values: tuple[float, ...]) -> float:
    known = [v for v in values if not math.isnan(v)]
    return sum(known) / len(known) if known else float("nan")
