"""Choose the offsets of class scores that maximise a measure over pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import FloatArray, Int64Array
from segboost.pipelines.segmentation.config.stage_settings import Measure
from segboost.pipelines.segmentation.metrics.measures import (
    measure_of_classes,
    measure_of_confusion,
)

GRID = np.arange(-24, 25) / 8
"""Changes of an offset that are tried."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of the best offsets that are tried on other images."""
MOST_MOVES = 60
MOST_ROWS = 200_000
"""The largest number of rows to choose by, evenly spread over all."""
LEAST_GAIN = 1e-5


def best_class_offsets(scores: FloatArray, counts: Int64Array, measure: Measure) -> FloatArray:
    """Return b, shape (K,), such that labels ``argmax_k scores_k + b_k`` maximise the measure.

    Steepest ascent: of all changes of one offset, the one that gains most is made, until none
    gains. The result does not depend on the order of the classes. Its largest entry is 0.

    Parameters
    ----------
    scores : ndarray of shape (N, K)
        Out-of-fold scores of superpixels or pixels.
    counts : ndarray of int, shape (N, K)
        Their true pixels of each class.
    measure : "mean_iou", "mean_recall" or "accuracy"
    """
    rows = np.flatnonzero(counts.any(axis=1))
    if len(rows) > MOST_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.int64)]
    scores, counts = scores[rows], counts[rows]
    offsets = np.zeros(scores.shape[1])
    occurring = np.flatnonzero(counts.any(axis=0)).tolist()
    pixels = counts.astype(np.float64)
    value = float(measure_of_confusion(_confusion(scores, pixels)[None], measure)[0])
    for _ in range(MOST_MOVES):
        ranked = _Ranked.of(scores + offsets, pixels)
        tried = [(k, _values(ranked, k, measure)) for k in occurring]
        k, values = max(tried, key=lambda t: float(t[1].max()))
        if values.max() <= value + LEAST_GAIN:
            break
        value = float(values.max())
        offsets[k] += GRID[int(np.argmax(values))]
    return offsets - offsets.max()


def transferable_offsets(
    scores: FloatArray, counts: Int64Array, fold: Int64Array, measure: Measure
) -> FloatArray:
    """Return offsets that also score well on folds that they were not chosen on, shape (K,).

    Offsets that are best on some images may be wrong for others: a class that is hard in one scene
    is easy in the next. The offsets of the other folds, times each of `SHARES`, are tried on every
    fold; the share with the best measure over all folds is applied to the offsets of all rows.

    Parameters
    ----------
    scores : ndarray of shape (N, K)
    counts : ndarray of int, shape (N, K)
    fold : ndarray of int, shape (N,)
    measure : "mean_iou", "mean_recall" or "accuracy"
    """
    offsets = best_class_offsets(scores, counts, measure)
    folds = np.unique(fold)
    if len(folds) < 2:
        return offsets
    confusion = np.zeros((len(SHARES), counts.shape[1], counts.shape[1]))
    for k in folds:
        held = fold == k
        others = best_class_offsets(scores[~held], counts[~held], measure)
        for number, share in enumerate(SHARES):
            confusion[number] += _confusion(scores[held] + share * others, counts[held])
    values = measure_of_confusion(confusion, measure)
    # np.argmax takes the first of equal values: the smallest share.
    found: FloatArray = SHARES[int(np.argmax(values))] * offsets
    return found


def _confusion(scores: FloatArray, pixels: FloatArray) -> FloatArray:
    """Return the confusion matrix of the labels of highest score, shape (K, K)."""
    n_classes = scores.shape[1]
    labels = scores.argmax(axis=1)
    return np.stack([np.bincount(labels, c, n_classes) for c in pixels.T])


@dataclass(frozen=True, eq=False)
class _Ranked:
    """Rows with their best and second-best class, from which the rival of any class is known."""

    scores: FloatArray
    pixels: FloatArray
    all_pixels: FloatArray
    best: Int64Array
    second: Int64Array

    @classmethod
    def of(cls, scores: FloatArray, pixels: FloatArray) -> _Ranked:
        best = scores.argmax(axis=1)
        others = scores.copy()
        others[np.arange(len(best)), best] = -np.inf
        return cls(scores, pixels, pixels.sum(axis=1), best, others.argmax(axis=1))


def _values(rows: _Ranked, k: int, measure: Measure) -> FloatArray:
    """Return the measure for every change of the offset of class k, shape (len(GRID),).

    A row is labelled by its rival, the best of the other classes, until class k overtakes it. All
    measures depend only on the right and the predicted pixels of each class, so that no confusion
    matrix is needed and the cost of a class does not grow with the number of classes.
    """
    n_classes = rows.scores.shape[1]
    rival = np.where(rows.best == k, rows.second, rows.best)
    numbers = np.arange(len(rival))
    lead = rows.scores[numbers, rival] - rows.scores[:, k]
    step = np.searchsorted(GRID, lead, side="right")  # the first by which k overtakes its rival
    cell = step * n_classes + rival

    def left(weight: FloatArray) -> FloatArray:
        """Return the pixels that rivals keep at every step, shape (len(GRID), K)."""
        found = np.bincount(cell, weight, (len(GRID) + 1) * n_classes).reshape(-1, n_classes)
        kept: FloatArray = found.sum(axis=0) - np.cumsum(found, axis=0)[:-1]
        return kept

    def taken(weight: FloatArray) -> FloatArray:
        """Return the pixels that class k has at every step, shape (len(GRID),)."""
        counted = np.bincount(step, weight, len(GRID) + 1).astype(np.float64)
        found: FloatArray = np.cumsum(counted)[:-1]
        return found

    right, predicted = left(rows.pixels[numbers, rival]), left(rows.all_pixels)
    right[:, k], predicted[:, k] = taken(rows.pixels[:, k]), taken(rows.all_pixels)
    return measure_of_classes(right, rows.pixels.sum(axis=0), predicted, measure)
