"""Second-stage features, computed from the first-stage scores around a superpixel.

All are computed from the image itself: the superpixel's own scores, those of rings of neighbours,
samples of the score map at fixed offsets, statistics of the whole image, position and size, and
how much the superpixel looks like the confident regions of the image.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.special import expit

from segboost._types import Float32Array, FloatArray, Int64Array
from segboost.features.page import FIELD
from segboost.pipelines.segmentation.images.page_view import PageScores
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.own_appearance import own_model_scores, own_totals

RINGS = (1, 2, 4)
"""Radii, in steps, of the neighbourhoods whose mean scores are features."""
RADII = (0.04, 0.08, 0.16, 0.28)
"""Distances of the samples, as shares of the mean of height and width."""
DIRECTIONS = 8
QUANTILES = (10.0, 50.0, 90.0, 99.0)
OWN_MODELS = ("colour", "words", "words4", "lbp48")
"""Groups of histograms, from which models of the image's own regions are made."""


def context_features(image: SuperpixelImage, scores: FloatArray) -> Float32Array:
    """Return the features of every superpixel, shape (P, D).

    Parameters
    ----------
    image : SuperpixelImage
        The image with the groups of `OWN_MODELS`, if its preset has them.
    scores : ndarray of shape (P, T)
        First-stage scores; the last one, on the scale of log-odds, is the score map.
    """
    score = scores[:, -1]
    parts = [scores, *ring_means(image, scores), sampled_at(image, score, RADII)]
    parts += [_image_statistics(image, scores, score), _place(image, score)]
    of_page = page_scores(image)
    totals = {} if of_page is None else of_page.own
    parts += [
        own_model_scores(image.groups[g], score, image.area, totals.get(g))
        for g in OWN_MODELS
        if g in image.groups
    ]
    return np.column_stack(parts).astype(np.float32)


def ring_means(image: SuperpixelImage, own: FloatArray) -> list[FloatArray]:
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


def sampled_at(image: SuperpixelImage, scores: FloatArray, radii: Sequence[float]) -> FloatArray:
    """Return the scores of the superpixels at fixed offsets, clamped to the image.

    Parameters
    ----------
    image : SuperpixelImage
    scores : ndarray of shape (P,) or (P, K)
    radii : sequence of float
        Lengths of the offsets, as shares of the mean of height and width; in large pages, of
        `FIELD`, and at most half a block.
    """
    height, width = image.superpixels.shape
    lengths = [radius * (height + width) / 2 for radius in radii]
    if image.page is not None:
        # Tiles do not see farther than half a block around their core.
        lengths = [min(radius * FIELD, image.page.part.block / 2) for radius in radii]
    samples = []
    for length in lengths:
        for angle in 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS:
            row = image.centres[:, 0] + round(length * np.sin(angle))
            column = image.centres[:, 1] + round(length * np.cos(angle))
            at = image.superpixels[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]
            samples.append(scores[at])
    return np.column_stack(samples)


def _image_statistics(image: SuperpixelImage, own: FloatArray, score: FloatArray) -> FloatArray:
    """Return the mean of every score over the image and quantiles of the score map."""
    of_page = page_scores(image)
    if of_page is not None and of_page.quantiles is not None:
        mean, quantiles = of_page.mean, of_page.quantiles
    else:
        mean = np.average(own, axis=0, weights=image.area)
        quantiles = np.percentile(score, QUANTILES)
    return np.tile(np.concatenate([mean, quantiles]), (image.n_superpixels, 1))


def _place(image: SuperpixelImage, score: FloatArray) -> FloatArray:
    """Return position, size, and position relative to the likely foreground's centre."""
    position, of_page = image.positions, page_scores(image)
    if of_page is not None and of_page.centre is not None:
        centre = of_page.centre
    else:
        centre = _foreground_centre(position, score, image.area)
    return np.column_stack([position, np.log(image.area), position - centre])


def _foreground_centre(position: FloatArray, score: FloatArray, area: Int64Array) -> FloatArray:
    # Clipped at extreme scores, where the weights of all superpixels would round to zero.
    weight = expit(np.maximum(score, -500.0)) * area
    centre: FloatArray = weight @ position / weight.sum()
    return centre


def page_scores(image: SuperpixelImage) -> PageScores | None:
    """Return the scores of the page that an image is a part of; None if it is not a part."""
    if image.page is None:
        return None
    if image.page.scores is None:
        raise ValueError("scores: the context of a part of a page needs the scores of the page")
    return image.page.scores


def summarise_page(blocks: Sequence[SuperpixelImage], scores: Sequence[FloatArray]) -> PageScores:
    """Return the scores over a page that `context_features` needs, from some of its blocks.

    Parameters
    ----------
    blocks : sequence of SuperpixelImage
        Parts of the page.
    scores : sequence of ndarray of shape (P, T)
        Their first-stage scores.
    """
    every = np.concatenate(scores)
    best = every[:, -1]
    area = np.concatenate([block.area for block in blocks])
    places = np.concatenate([block.positions for block in blocks])
    part = blocks[0].page.part if blocks[0].page is not None else None
    share = 1.0 if part is None else part.height * part.width / area.sum()
    own = {
        g: share * own_totals(np.concatenate([b.groups[g] for b in blocks]), best, area)
        for g in OWN_MODELS
        if g in blocks[0].groups
    }
    mean = np.average(every, axis=0, weights=area)
    quantiles = np.percentile(best, QUANTILES)
    return PageScores(mean, quantiles, _foreground_centre(places, best, area), own)
