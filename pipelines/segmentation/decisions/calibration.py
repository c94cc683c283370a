"""From scores to probabilities: a monotone map learned from pixels of known class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from segboost._types import AnyArray, FloatArray, Int64Array
from segboost.pipelines.segmentation.metrics.precision_recall import ScoreHistogram
from segboost.weak.checks import read_array

MOST_BINS = 100
SCORES_PER_BIN = 50
"""Minimum number of distinct scores per bin, so that few training images give few steps."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """The probability of foreground as a function of the score, linear between its knots.

    Parameters
    ----------
    score : ndarray of shape (K,)
        Strictly ascending.
    probability : ndarray of shape (K,)
        Not descending, within (0, 1). Scores beyond the knots have the probability
        of the nearest one.
    """

    score: FloatArray
    probability: FloatArray

    def __post_init__(self) -> None:
        score, probability = self.score, self.probability
        if score.ndim != 1 or score.shape != probability.shape or not score.size:
            raise ValueError(
                f"a calibration needs as many scores as probabilities, at least one, got "
                f"{score.shape} and {probability.shape}"
            )
        if not (np.isfinite(score).all() and (np.diff(score) > 0).all()):
            raise ValueError("the scores of a calibration must ascend")
        if not ((probability > 0).all() and (probability < 1).all()):
            raise ValueError("the probabilities of a calibration must be between 0 and 1")
        if not (np.diff(probability) >= 0).all():
            raise ValueError("the probabilities of a calibration must not descend")

    def __call__(self, scores: npt.ArrayLike) -> FloatArray:
        """Return the probability of every score, in the shape of the scores."""
        return np.interp(np.asarray(scores, np.float64), self.score, self.probability)

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the knots."""
        return {"score": self.score, "probability": self.probability}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> Self:
        """Return the calibration from the arrays of `to_arrays`; ValueError if they are invalid."""
        score = read_array(arrays, "score", "f", (None,))
        return cls(score, read_array(arrays, "probability", "f", score.shape))


def fit_calibration(parts: Iterable[tuple[FloatArray, Int64Array, Int64Array]]) -> Calibration:
    """Learn the probability that a pixel is foreground, given the score of its superpixel.

    The labelled pixels, in the order of their scores, are cut into bins of equal size. Bin k has
    the mean score s_k and the share of foreground p_k = (F_k + 1) / (n_k + 2). Isotonic
    regression, weighted by n_k, makes the p_k monotone; a line joins neighbouring knots.

    Parameters
    ----------
    parts : iterable of (scores, foreground, background)
        For every image the scores of its superpixels and their pixels of either class. The
        scores must come from models that did not see the image, or the probabilities will be
        overconfident.
    """
    from sklearn.isotonic import isotonic_regression  # slow to import, and not used by prediction

    histogram = ScoreHistogram()
    for score, foreground, background in parts:
        histogram.add(score, foreground, background)
    scores, foreground, background = histogram.counts()
    if not scores.size:
        raise ValueError("probabilities cannot be learned without labelled pixels")
    if not np.isfinite(scores).all():
        raise ValueError("scores must be finite for probabilities to be learned from them")
    pixels = foreground + background
    # Bins by the middle of each score's block of pixels, so that ties stay together.
    n_bins = int(np.clip(scores.size // SCORES_PER_BIN, 1, MOST_BINS))
    middle = (np.cumsum(pixels) - pixels / 2) / pixels.sum()
    place = np.unique((middle * n_bins).astype(np.int64), return_inverse=True)[1]
    n = np.bincount(place, pixels)
    knots = np.bincount(place, pixels * scores) / n
    share = (np.bincount(place, foreground) + 1) / (n + 2)
    monotone = isotonic_regression(share, sample_weight=n)
    distinct = np.append(True, np.diff(knots) > 0)  # unless rounding made two means equal
    return Calibration(knots[distinct], monotone[distinct])


def calibration_error(
    probability: FloatArray, foreground: Int64Array, background: Int64Array, n_bins: int = 15
) -> float:
    """Return the expected calibration error over pixels.

    ``Σ_b (n_b / n) |F_b / n_b − mean p in b|`` over bins b of equal width in the probability,
    with F_b foreground pixels among n_b.

    Parameters
    ----------
    probability : ndarray of shape (P,)
        Probabilities of superpixels.
    foreground, background : ndarray of int, shape (P,)
        Their labelled pixels.
    n_bins : int

    Examples
    --------
    >>> calibration_error(np.array([0.2, 0.9]), np.array([20, 40]), np.array([80, 60]))
    0.25
    """
    pixels = foreground + background
    place = np.minimum((probability * n_bins).astype(np.int64), n_bins - 1)
    gap = np.bincount(place, foreground - pixels * probability)
    return float(np.abs(gap).sum() / pixels.sum())
