"""Appearance of the confident regions of an image: histograms of foreground and background.

As in interactive segmentation, but with first-stage scores instead of scribbles: the parts of a
bike's frame that they detect give the colour of the parts that they miss.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from segboost._types import AnyArray, FloatArray

FLOOR = 1e-3
"""The share of a uniform histogram that is mixed in, so that no bin has probability 0."""


def own_model_scores(
    histograms: AnyArray,
    score: FloatArray,
    area: AnyArray,
    totals: FloatArray | None = None,
) -> FloatArray:
    """Return how well a superpixel's histogram matches the image's foreground, shape (P, 2).

    With ``p = σ(score)·area`` the image's foreground has the histogram ``f = Σ_i p_i x_i``, its
    background ``b`` with 1 − σ. The first column is ``x·log(f/b)``; the second one leaves the
    superpixel itself out of f and b.

    Parameters
    ----------
    histograms : ndarray of shape (P, d)
        Not negative; normalised here.
    score : ndarray of shape (P,)
        Log-odds of the foreground.
    area : ndarray of shape (P,)
    totals : ndarray of shape (2, d), optional
        f and b of the page that the image is a part of; see `own_totals`.
    """
    x = _rows_of_sum_one(histograms)
    floor = FLOOR / x.shape[1]
    with_all, without_self = [], []
    for number, weight in enumerate(_weights(score, area)):
        total = weight @ x if totals is None else totals[number]
        with_all.append(np.log(_normal(total) + floor))
        without_self.append(np.log(_normal(np.maximum(total - weight[:, None] * x, 0.0)) + floor))
    together = x @ (with_all[0] - with_all[1])
    apart = (x * (without_self[0] - without_self[1])).sum(axis=1)
    return np.column_stack([together, apart])


def own_totals(histograms: AnyArray, score: FloatArray, area: AnyArray) -> FloatArray:
    """Return f and b of `own_model_scores`, not normalised, shape (2, d)."""
    x = _rows_of_sum_one(histograms)
    return np.stack([weight @ x for weight in _weights(score, area)])


def _rows_of_sum_one(histograms: AnyArray) -> FloatArray:
    x = histograms.astype(np.float64)
    x /= np.maximum(x.sum(axis=1, keepdims=True), 1e-9)
    return x


def _weights(score: FloatArray, area: AnyArray) -> tuple[FloatArray, FloatArray]:
    """Return the pixels of likely foreground and background of every superpixel."""
    return expit(score) * area, expit(-score) * area


def _normal(histogram: FloatArray) -> FloatArray:
    return histogram / np.maximum(histogram.sum(axis=-1, keepdims=True), 1e-9)
