"""Labellers side by side on the demonstration's test images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segboost.datasets.base import LabelledImage
from segboost.pipelines.calibration import Calibration, calibration_error
from segboost.pipelines.demo_labellers import CRF, Labeller
from segboost.pipelines.metrics import SegmentationEvaluation, SegmentationScores
from segboost.pipelines.precision_recall import PrecisionRecallCurve
from segboost.pipelines.progress import Progress, track
from segboost.pipelines.segmentation_training import FeatureStage

FloatArray = npt.NDArray[np.float64]
ByteArray = npt.NDArray[np.uint8]

BINS = 10


@dataclass(frozen=True, eq=False)
class Example:
    """A test image, its truth and what was made of it; all of shape (H, W) but the image."""

    name: str
    image: ByteArray
    truth: ByteArray
    masks: dict[str, ByteArray]
    probability: FloatArray


@dataclass(frozen=True, eq=False)
class Comparison:
    """What the labellers did on the test images.

    Parameters
    ----------
    scores, curves : dict by labeller
    reliability : ndarray of shape (B, 3)
        By bins of the CRF's probability: its mean, the share of foreground, the share of pixels.
    calibration_error : float
    examples : list of Example
        All test images.
    """

    scores: dict[str, SegmentationScores]
    curves: dict[str, PrecisionRecallCurve]
    reliability: FloatArray
    calibration_error: float
    examples: list[Example]


def compare(
    labellers: Mapping[str, Labeller],
    calibration: Calibration,
    stage: FeatureStage,
    items: Sequence[LabelledImage],
    progress: Progress,
) -> Comparison:
    """Let every labeller score every image."""
    totals = {name: SegmentationEvaluation() for name in labellers}
    examples, parts = [], []
    for item in track(items, progress, "comparison"):
        image = stage.whole(item)
        at, node = image.superpixels, {name: score(image) for name, score in labellers.items()}
        for name, scores in node.items():
            totals[name].add_regions(scores > 0, *image.truth, scores)
        probability = calibration(node[CRF])
        parts.append((probability, *image.truth))
        masks = {name: (scores > 0).astype(np.uint8)[at] for name, scores in node.items()}
        examples.append(Example(item.name, item.image(), item.mask(), masks, probability[at]))
    probability, foreground, background = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    return Comparison(
        {name: total.result() for name, total in totals.items()},
        {name: total.curve() for name, total in totals.items()},
        reliability(probability, foreground, foreground + background),
        calibration_error(probability, foreground, background),
        examples,
    )


def reliability(
    probability: FloatArray, foreground: npt.NDArray[np.int64], pixels: npt.NDArray[np.int64]
) -> FloatArray:
    """Return mean probability, share of foreground and share of pixels of the bins with pixels."""
    place = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    n = np.bincount(place, pixels, BINS)
    used = n > 0
    mean = np.bincount(place, pixels * probability, BINS)[used] / n[used]
    share = np.bincount(place, foreground, BINS)[used] / n[used]
    return np.column_stack([mean, share, n[used] / n.sum()])
