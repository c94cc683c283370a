"""Means and deviations of the values in objects, merged from band to band."""

from __future__ import annotations

import numpy as np

from segboost._types import AnyArray, FloatArray, Int32Array


class RunningStatistics:
    """Mean and standard deviation of the finite values in each of the objects 1 … n.

    Bands are merged by the sums of squares around their own means (Chan, Golub and LeVeque),
    which is accurate even if the values are large compared with their deviation.

    Parameters
    ----------
    count : int
        The number of objects n.
    """

    def __init__(self, count: int) -> None:
        self._n = np.zeros(count)
        self._mean = np.zeros(count)
        self._squares = np.zeros(count)

    def add(self, labels: Int32Array, values: AnyArray) -> None:
        """Add a band: labels 0 … n and values, both of shape (h, w)."""
        where = (labels > 0) & np.isfinite(values)
        numbers, inside = labels[where] - 1, values[where].astype(float)
        count = len(self._n)
        n = np.bincount(numbers, minlength=count)
        mean = np.bincount(numbers, inside, minlength=count) / np.maximum(n, 1)
        squares = np.bincount(numbers, (inside - mean[numbers]) ** 2, minlength=count)
        total = np.maximum(self._n + n, 1)
        step = mean - self._mean
        self._squares += squares + step**2 * self._n * n / total
        self._mean += step * n / total
        self._n += n

    @property
    def mean(self) -> FloatArray:
        """The means, shape (n,); NaN where there is no finite value."""
        return np.where(self._n > 0, self._mean, np.nan)

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations, shape (n,); NaN where there is no finite value."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found: FloatArray = np.sqrt(self._squares / self._n)
        return found
