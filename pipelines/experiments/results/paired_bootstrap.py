"""Confidence intervals for a measure, and for the difference of two methods on the same images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from segboost._types import FloatArray, Int64Array
from segboost.pipelines.segmentation.config.stage_settings import Measure
from segboost.pipelines.segmentation.metrics.measures import measure_of_confusion
from segboost.pipelines.segmentation.metrics.predictions import ImagePrediction


@dataclass(frozen=True)
class Interval:
    """A measure or a difference of two, in percentage points, with a 95 % interval.

    As text it has a sign, as differences need.
    """

    points: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.points:+.2f} [{self.low:+.2f}, {self.high:+.2f}]"


def paired_difference(
    one: Mapping[str, ImagePrediction],
    other: Mapping[str, ImagePrediction],
    n_samples: int = 2000,
    seed: int = 0,
    measure: Measure = "mean_iou",
) -> Interval:
    """Return a measure of `one` minus that of `other`, with a paired bootstrap over images.

    Images are drawn with replacement, the same ones for both methods. The measure is computed over
    all pixels of a draw; the interval contains 95 % of the differences.

    Parameters
    ----------
    one, other : mapping of name to RegionPrediction or ClassPrediction
        Predictions on the same images.
    n_samples : int
    seed : int
    measure : {"mean_iou", "mean_recall", "accuracy"}

    Raises
    ------
    ValueError
        If the images differ.
    """
    if set(one) != set(other) or not one:
        raise ValueError("other: expected predictions on the same images, at least one")
    names = sorted(one)
    counts = [_stacked(predictions, names) for predictions in (one, other)]
    drawn = _draws(len(names), n_samples, seed)
    found = [_measure(_sums(drawn, c), measure) for c in counts]
    whole = [_measure(c.sum(axis=0), measure) for c in counts]
    return _interval_of(float(whole[0] - whole[1]), found[0] - found[1])


def interval(
    predictions: Mapping[str, ImagePrediction],
    n_samples: int = 2000,
    seed: int = 0,
    measure: Measure = "mean_iou",
) -> Interval:
    """Return a measure in per cent with its 95 % interval, by a bootstrap over images."""
    counts = _stacked(predictions, sorted(predictions))
    found = _measure(_sums(_draws(len(counts), n_samples, seed), counts), measure)
    return _interval_of(float(_measure(counts.sum(axis=0), measure)), found)


def _measure(counts: FloatArray, measure: Measure) -> FloatArray:
    """Return a measure of confusion matrices, shape (…, K, K).

    Means are over the classes that are present; with two classes, over both.
    """
    counted = (counts.sum(axis=-1) > 0) | (counts.shape[-1] == 2)
    return measure_of_confusion(counts, measure, counted)


def _stacked(predictions: Mapping[str, ImagePrediction], names: Sequence[str]) -> FloatArray:
    return np.stack([predictions[name].matrix.counts for name in names]).astype(np.float64)


def _draws(n_images: int, n_samples: int, seed: int) -> Int64Array:
    rng = np.random.default_rng(seed)
    return rng.multinomial(n_images, np.full(n_images, 1 / n_images), n_samples)


def _sums(drawn: Int64Array, counts: FloatArray) -> FloatArray:
    flat: FloatArray = drawn @ counts.reshape(len(counts), -1)
    return flat.reshape(len(drawn), *counts.shape[1:])


def _interval_of(whole: float, found: FloatArray) -> Interval:
    low, high = np.percentile(found, [2.5, 97.5])
    return Interval(100 * whole, 100 * float(low), 100 * float(high))
