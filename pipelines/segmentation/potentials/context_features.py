"""Second-stage features, computed from the first-stage scores around a superpixel.

All are made from the scores of the image itself and from where the superpixel lies: its own
scores, those of rings of neighbours, samples of the score map at fixed offsets, statistics of
the whole image, position and size, and how much the superpixel looks like the image's own
confident regions.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from segboost._types import FloatArray
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.own_appearance import own_model_scores

RINGS = (1, 2, 4)
"""Radii, in steps, of the neighbourhoods whose mean scores are features."""
RADII = (0.04, 0.08, 0.16, 0.28)
"""Distances of the samples, as shares of the mean of height and width."""
DIRECTIONS = 8
QUANTILES = (10.0, 50.0, 90.0, 99.0)
OWN_MODELS = ("colour", "words", "words4", "lbp48")
"""Groups, all of them histograms, from which models of the image's own regions are made."""


def context_features(image: SuperpixelImage, scores: FloatArray) -> npt.NDArray[np.float32]:
    """Return the features of every superpixel, shape (P, D).

    Parameters
    ----------
    image : SuperpixelImage
        The image with the groups of `OWN_MODELS`, if its preset has them.
    scores : ndarray of shape (P, T)
        First-stage scores; the last one, in the scale of log-odds, is the map to look at.
    """
    score = scores[:, -1]
    parts = [scores, *_rings(image, scores), _samples(image, score)]
    parts += [_image_statistics(image, scores, score), _place(image, score)]
    parts += [
        own_model_scores(image.groups[g], score, image.area)
        for g in OWN_MODELS
        if g in image.groups
    ]
    return np.column_stack(parts).astype(np.float32)


def _rings(image: SuperpixelImage, own: FloatArray) -> list[FloatArray]:
    """Return the area-weighted mean scores of the neighbours up to a number of steps away."""
    p = image.n_superpixels
    row, column = image.edges.T if len(image.edges) else np.empty((2, 0), dtype=np.int64)
    step = sparse.csr_array((np.ones(len(row)), (row, column)), shape=(p, p))
    step = step + step.T + sparse.eye_array(p, format="csr")
    reach, found, means = step, 1, []
    area = image.area.astype(np.float64)
    for ring in RINGS:
        while found < ring:
            reach, found = reach @ reach, 2 * found
            reach.data[:] = 1.0
        weight = reach @ area
        means.append((reach @ (own * area[:, None])) / weight[:, None])
    return means


def _samples(image: SuperpixelImage, score: FloatArray) -> FloatArray:
    """Return the score of the superpixels at fixed offsets, clamped to the image."""
    height, width = image.superpixels.shape
    unit = (height + width) / 2
    samples = []
    for radius in RADII:
        for angle in 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS:
            row = image.centres[:, 0] + round(radius * unit * np.sin(angle))
            column = image.centres[:, 1] + round(radius * unit * np.cos(angle))
            at = image.superpixels[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]
            samples.append(score[at])
    return np.column_stack(samples)


def _image_statistics(image: SuperpixelImage, own: FloatArray, score: FloatArray) -> FloatArray:
    """Return the mean of every score over the image and quantiles of the map."""
    mean = np.average(own, axis=0, weights=image.area)
    quantiles = np.percentile(score, QUANTILES)
    return np.tile(np.concatenate([mean, quantiles]), (image.n_superpixels, 1))


def _place(image: SuperpixelImage, score: FloatArray) -> FloatArray:
    """Return position, size, and position relative to the likely foreground's centre."""
    size = np.array(image.superpixels.shape)
    position = image.centres / size
    # Clipped at extreme scores, where the weights of all superpixels would round to zero.
    weight = expit(np.maximum(score, -500.0)) * image.area
    centre = weight @ position / weight.sum()
    return np.column_stack([position, np.log(image.area), position - centre])
