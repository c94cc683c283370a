"""Confidence interval for the difference of two methods on the same test images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from segboost._types import FloatArray
from segboost.pipelines.segmentation.evaluation import RegionAnswer


@dataclass(frozen=True)
class Difference:
    """A difference of mean IoU in percentage points, with a 95 % interval."""

    points: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.points:+.2f} [{self.low:+.2f}, {self.high:+.2f}]"


def paired_difference(
    one: Mapping[str, RegionAnswer],
    other: Mapping[str, RegionAnswer],
    n_samples: int = 2000,
    seed: int = 0,
) -> Difference:
    """Return mean IoU of `one` minus that of `other`, with a paired bootstrap over images.

    Images are drawn with replacement, the same ones for both methods. IoU is computed over all
    pixels of a draw; the interval contains 95 % of the differences.

    Parameters
    ----------
    one, other : mapping of name to RegionAnswer
        Answers on the same images.
    n_samples : int
    seed : int

    Raises
    ------
    ValueError
        If the images differ.
    """
    if set(one) != set(other) or not one:
        raise ValueError("other: expected answers on the same images, at least one")
    names = sorted(one)
    counts = [np.stack([_confusion(answers[name]) for name in names]) for answers in (one, other)]
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), n_samples)
    differences = _mean_iou(drawn @ counts[0]) - _mean_iou(drawn @ counts[1])
    whole = _mean_iou(counts[0].sum(axis=0)) - _mean_iou(counts[1].sum(axis=0))
    low, high = np.percentile(differences, [2.5, 97.5])
    return Difference(100 * float(whole), 100 * float(low), 100 * float(high))


def _confusion(answer: RegionAnswer) -> FloatArray:
    """Return the pixel counts of an image: foreground and background, each found and missed."""
    found = answer.score > 0
    return np.array(
        [
            answer.foreground[found].sum(),
            answer.foreground[~found].sum(),
            answer.background[~found].sum(),
            answer.background[found].sum(),
        ],
        dtype=np.float64,
    )


def _mean_iou(counts: FloatArray) -> FloatArray:
    """Return the mean IoU of counts of shape (…, 4)."""
    hit, missed, right, wrong = np.moveaxis(counts, -1, 0)
    foreground = hit / np.maximum(hit + missed + wrong, 1)
    background = right / np.maximum(right + missed + wrong, 1)
    mean: FloatArray = (foreground + background) / 2
    return mean
