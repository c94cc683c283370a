"""Choose the threshold on scores that maximises a measure over pixels."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from segboost._types import FloatArray, Int64Array
from segboost.pipelines.segmentation.config.stage_settings import Measure
from segboost.pipelines.segmentation.metrics.precision_recall import ScoreHistogram


def best_threshold(
    parts: Iterable[tuple[FloatArray, Int64Array, Int64Array]], measure: Measure = "mean_iou"
) -> float:
    """Return the threshold on scores that maximises the measure; 0 if no other is better.

    The Hamming loss that the learners minimise counts wrong pixels of either class equally; the
    mean of the two classes' IoU weighs the rarer one more. One number, chosen on training images
    with out-of-fold unaries, corrects for that.

    Parameters
    ----------
    parts : iterable of (scores, foreground, background)
        For every image the scores of its superpixels and their pixels of either class.
    measure : "mean_iou", "mean_recall" or "accuracy"
    """
    histogram = ScoreHistogram()
    for score, foreground, background in parts:
        histogram.add(score, foreground, background)
    scores, foreground, background = histogram.counts()
    if foreground.sum() == 0 or background.sum() == 0:
        return 0.0
    # Entry k: everything from the k-th distinct score on is called foreground.
    found = np.append(np.cumsum(foreground[::-1])[::-1], 0)
    wrong = np.append(np.cumsum(background[::-1])[::-1], 0)
    all_foreground, all_background = found[0], wrong[0]
    right = all_background - wrong
    if measure == "accuracy":
        mean = (found + right) / (all_foreground + all_background)
    elif measure == "mean_recall":
        mean = (found / all_foreground + right / all_background) / 2
    else:
        iou = found / (all_foreground + wrong)
        iou_background = right / (all_background + all_foreground - found)
        mean = (iou + iou_background) / 2
    zero = int(np.searchsorted(scores, 0.0, side="right"))
    best = int(np.argmax(mean))
    if best == zero or mean[best] <= mean[zero]:
        return 0.0
    return _between(scores, best)


def _between(scores: FloatArray, k: int) -> float:
    """Return a threshold that the k-th score exceeds and the one before it does not."""
    if k == 0:
        return float(scores[0] - 1.0)
    if k == len(scores):
        return float(scores[-1])
    middle = (scores[k - 1] + scores[k]) / 2
    return float(middle if scores[k - 1] <= middle < scores[k] else scores[k - 1])
