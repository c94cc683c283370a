"""Measurements on the test images: pixel counts, curves, and the choice of images to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from segboost._types import FloatArray
from segboost.pipelines.segmentation.decisions.calibration import Calibration
from segboost.pipelines.segmentation.metrics.precision_recall import PrecisionRecallCurve
from segboost.pipelines.segmentation.metrics.predictions import RegionPrediction
from segboost.pipelines.segmentation.metrics.scores import (
    PixelCounts,
    SegmentationEvaluation,
    SegmentationScores,
)

RANKS = ("worst", "median", "best")
BINS = 10


@dataclass(frozen=True, eq=False)
class Measurements:
    """Scores of a run on its test images, recomputed from its predictions.

    Parameters
    ----------
    scores : SegmentationScores
    curve : PrecisionRecallCurve
    images : dict of name to PixelCounts
    """

    scores: SegmentationScores
    curve: PrecisionRecallCurve
    images: dict[str, PixelCounts]

    def ranked(self) -> list[str]:
        """Return the image names ordered by mean IoU, worst first."""
        value = {name: image_scores(counts).mean_iou for name, counts in self.images.items()}
        return sorted(value, key=lambda name: (value[name], name))


def measure(predictions: Mapping[str, RegionPrediction]) -> Measurements:
    """Count pixels over all images and for each image."""
    total, images = SegmentationEvaluation(), {}
    for name, found in predictions.items():
        before = total.counts
        total.add_regions(found.score > 0, found.foreground, found.background, found.score)
        images[name] = _minus(total.counts, before)
    return Measurements(total.result(), total.curve(), images)


def image_scores(counts: PixelCounts) -> SegmentationScores:
    """Return the scores of one image."""
    return counts.scores(float("nan"), 1)


def choose_images(ranked: list[str], each: int = 3) -> dict[str, list[str]]:
    """Return the names to show by rank, without duplicates; fewer of each if there are few images.

    Examples
    --------
    >>> choose_images(list("abcdefg"), each=2)
    {'worst': ['a', 'b'], 'median': ['d', 'e'], 'best': ['f', 'g']}
    >>> choose_images(list("ab"))
    {'worst': ['a'], 'median': [], 'best': ['b']}
    """
    n = min(each, max(1, len(ranked) // 3))
    worst = ranked[:n]
    best = [name for name in ranked[-n:] if name not in worst]
    rest = [name for name in ranked if name not in worst + best]
    first = max(0, (len(rest) - n + 1) // 2)
    return {"worst": worst, "median": rest[first : first + n], "best": best}


def reliability(
    predictions: Mapping[str, RegionPrediction], calibration: Calibration
) -> FloatArray:
    """Return mean probability, foreground fraction and pixel fraction per bin, shape (B, 3)."""
    probability = calibration(np.concatenate([a.score for a in predictions.values()]))
    foreground = np.concatenate([a.foreground for a in predictions.values()])
    pixels = foreground + np.concatenate([a.background for a in predictions.values()])
    place = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    n = np.bincount(place, pixels, BINS)
    used = n > 0
    mean = np.bincount(place, pixels * probability, BINS)[used] / n[used]
    share = np.bincount(place, foreground, BINS)[used] / n[used]
    return np.column_stack([mean, share, n[used] / n.sum()])


def _minus(one: PixelCounts, other: PixelCounts) -> PixelCounts:
    return PixelCounts(
        one.true_positive - other.true_positive,
        one.false_positive - other.false_positive,
        one.false_negative - other.false_negative,
        one.true_negative - other.true_negative,
    )
