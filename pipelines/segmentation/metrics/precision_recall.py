"""Precision–recall curves and their break-even point, accumulated image by image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray, Int64Array


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Counts for the rule "foreground if score ≥ threshold", for every distinct score.

    Parameters
    ----------
    threshold : ndarray of float64, shape (T,)
        The distinct scores, descending.
    true_positive, predicted : ndarray of int64, shape (T,)
        Foreground pixels, and all pixels, at or above each threshold.
    n_foreground : int
        Total number of foreground pixels.
    """

    threshold: FloatArray
    true_positive: Int64Array
    predicted: Int64Array
    n_foreground: int

    @property
    def precision(self) -> FloatArray:
        """``true_positive / predicted``, shape (T,)."""
        return self.true_positive / self.predicted

    @property
    def recall(self) -> FloatArray:
        """``true_positive / n_foreground``, shape (T,); NaN if there is no foreground."""
        if self.n_foreground == 0:
            return np.full(self.true_positive.shape, np.nan)
        return self.true_positive / self.n_foreground

    @property
    def break_even(self) -> float:
        """Precision where it equals recall; NaN if there is no foreground.

        The two are equal where as many pixels are called foreground as are foreground, n = P.
        Pixels of equal score form one block; if P falls inside a block, its foreground pixels are
        taken to be spread evenly over it:

            TP(P) = TP₀ + (TP₁ − TP₀) (P − n₀) / (n₁ − n₀),   break-even = TP(P) / P

        This is the mean over all orders of the block. A constant score gets the share of
        foreground; a straight line between two points of the curve would give it more.
        """
        P = self.n_foreground
        if P == 0:
            return float("nan")
        k = int(np.searchsorted(self.predicted, P))
        n = np.concatenate([[0], self.predicted])
        tp = np.concatenate([[0], self.true_positive])
        share = (P - n[k]) / (n[k + 1] - n[k])
        return float((tp[k] + share * (tp[k + 1] - tp[k])) / P)


class ScoreHistogram:
    """Foreground and background pixels of every distinct score; exact, in any order.

    Memory grows with the number of distinct scores, usually one per superpixel, not per pixel.
    """

    def __init__(self) -> None:
        self._score, self._foreground, self._background = _no_scores()
        self._waiting: list[tuple[FloatArray, Int64Array, Int64Array]] = []
        self._n_waiting = 0

    def add(
        self, score: npt.ArrayLike, n_foreground: npt.ArrayLike, n_background: npt.ArrayLike
    ) -> None:
        """Count regions of one score each: arrays of shape (P,); counts are not negative.

        Raises
        ------
        ValueError
            If shapes differ, a score is NaN or a count is negative.
        """
        values = np.asarray(score, np.float64)
        foreground = np.asarray(n_foreground, np.int64)
        background = np.asarray(n_background, np.int64)
        shapes = [values.shape, foreground.shape, background.shape]
        if values.ndim != 1 or len(set(shapes)) > 1:
            raise ValueError(f"scores and counts must be of one shape (P,), got {shapes}")
        if np.isnan(values).any():
            raise ValueError("scores must not be NaN")
        if (foreground < 0).any() or (background < 0).any():
            raise ValueError("counts of pixels must not be negative")
        self._waiting.append(_join([(values, foreground, background)]))
        self._n_waiting += self._waiting[-1][0].size
        # Merge once the pending entries outnumber the merged ones: each is copied only a few times.
        if self._n_waiting > self._score.size:
            self._merge()

    def update(self, other: ScoreHistogram) -> None:
        """Add the counts of another histogram."""
        self.add(*other.counts())

    def counts(self) -> tuple[FloatArray, Int64Array, Int64Array]:
        """Return the distinct scores, ascending, and their pixels of either kind, shape (T,)."""
        self._merge()
        return self._score.copy(), self._foreground.copy(), self._background.copy()

    def curve(self) -> PrecisionRecallCurve:
        """Return the curve over all counts so far."""
        score, foreground, background = self.counts()
        true_positive = np.cumsum(foreground[::-1])
        predicted = np.cumsum((foreground + background)[::-1])
        return PrecisionRecallCurve(
            score[::-1].copy(), true_positive, predicted, int(foreground.sum())
        )

    def _merge(self) -> None:
        if self._waiting:
            parts = [(self._score, self._foreground, self._background), *self._waiting]
            self._score, self._foreground, self._background = _join(parts)
            self._waiting, self._n_waiting = [], 0


def _join(
    parts: list[tuple[FloatArray, Int64Array, Int64Array]],
) -> tuple[FloatArray, Int64Array, Int64Array]:
    """Return the distinct scores of any pixels, with the sums of their counts."""
    distinct, place = np.unique(np.concatenate([p[0] for p in parts]), return_inverse=True)
    sums = np.zeros((2, distinct.size), np.int64)
    np.add.at(sums[0], place, np.concatenate([p[1] for p in parts]))
    np.add.at(sums[1], place, np.concatenate([p[2] for p in parts]))
    used = sums.any(axis=0)
    return distinct[used], sums[0, used], sums[1, used]


def _no_scores() -> tuple[FloatArray, Int64Array, Int64Array]:
    return np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64)
