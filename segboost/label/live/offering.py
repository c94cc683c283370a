"""The choice of the next image to label: one similar to many that the model is uncertain about.

The most uncertain image is often an outlier, from which little is learned about the others.
With S_ij the similarity of two images, u_j the uncertainty of an image and P the painted ones, the
offer is the image i with the largest gain

    ``Σ_j u_j max(0, S_ij − max_{p ∈ P} S_pj)``
"""

from __future__ import annotations

import numpy as np

from segboost._types import BoolArray, Float32Array, FloatArray

MOST_IMAGES = 800
"""Maximum number of unpainted images (the most uncertain), and of painted ones, to compare."""


def offer_gain(means: Float32Array, unsure: FloatArray, painted: BoolArray) -> FloatArray:
    """Return the gain of every image; 0 for painted ones.

    Parameters
    ----------
    means : ndarray of shape (n, D)
        The mean features of the images.
    unsure : ndarray of shape (n,)
        Their mean entropies.
    painted : ndarray of bool, shape (n,)
    """
    alike = similarity(means)
    covered = alike[painted].max(axis=0, initial=0.0)
    gain: FloatArray = np.maximum(alike - covered, 0.0) @ unsure
    return np.where(painted, 0.0, gain)


def similarity(means: Float32Array) -> FloatArray:
    """Return ``exp(−d² / median d²)`` of the standardised means, shape (n, n)."""
    x = means.astype(np.float64)
    x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-9)
    squares = (x**2).sum(axis=1)
    distance = np.maximum(squares[:, None] + squares - 2 * x @ x.T, 0.0)
    apart = distance[~np.eye(len(x), dtype=bool)]
    scale = float(np.median(apart)) if apart.size else 0.0
    return np.exp(-distance / (scale or 1.0))
