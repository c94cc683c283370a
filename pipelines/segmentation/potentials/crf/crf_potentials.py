"""From scores and borders to the potentials of the CRF."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segboost._types import FloatArray, Int64Array
from segboost.baselines.crf_structured_svm import CRFStructuredSVM
from segboost.estimators.crf import CRFStructBoost
from segboost.pipelines.segmentation.config.stage_settings import Loss, PotentialSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.tasks.crf import CRFInstance
from segboost.tasks.crf_instance import UNKNOWN

CRFModel = CRFStructBoost | CRFStructuredSVM


def crf_instance(
    image: SuperpixelImage,
    scores: FloatArray,
    settings: PotentialSettings,
    with_truth: bool = True,
    class_weight: FloatArray | None = None,
) -> CRFInstance:
    """Return the CRF of an image: ``U_t(x, y) = −y F'_t(x)`` and the pairwise potentials.

    Parameters
    ----------
    image : SuperpixelImage
    scores : ndarray of shape (P, T)
        F', positive for foreground.
    settings : PotentialSettings
    with_truth : bool
        Whether the instance has labels and their weights, for learning; the labels of superpixels
        without labelled pixels are unknown.
    class_weight : ndarray of shape (2,), optional
        Weight of a pixel of each class in a balanced loss.
    """
    labels: Int64Array | None = None
    weight: FloatArray | None = None
    if with_truth:
        labelled = image.labelled
        labels = np.where(labelled > 0, image.labels, UNKNOWN)
        counted = (labelled > 0).astype(np.float64)
        weight = counted
        if settings.loss != "superpixels":
            weight = labelled / float(image.area.mean())
        if settings.loss == "balanced" and class_weight is not None:
            weight = weight * class_weight[image.labels]
    return CRFInstance(-scores, image.edges, pairwise(image, scores, settings), labels, weight)


def pairwise(image: SuperpixelImage, scores: FloatArray, settings: PotentialSettings) -> FloatArray:
    """Return V, shape (E, L): V1 of colour, V2 of length, and those that the settings add.

    Parameters
    ----------
    image : SuperpixelImage
    scores : ndarray of shape (P, T)
        F'; if agreement is used, its last two columns are the trees' and the context's, or its
        only column is the context's.
    settings : PotentialSettings
    """
    columns = border_columns(image, settings)
    if settings.agreement:
        colour = np.asarray(image.luv_difference, dtype=np.float64)
        length = np.asarray(image.boundary_length, dtype=np.float64)
        one, other = image.edges.T
        strong = np.abs(scores[one, -2:] - scores[other, -2:])
        trees, context = strong[:, 0], strong[:, -1]  # the same if there is only one score
        columns.append(length * np.exp(-context))
        columns.append(length * np.exp(-0.07 * colour - context))
        columns.append(length * np.exp(-2.0 * trees))
    return np.column_stack(columns)


def border_columns(image: SuperpixelImage, settings: PotentialSettings) -> list[FloatArray]:
    """Return the potentials that need no scores: V1 of colour, V2 of length, and mixed ones."""
    colour = np.asarray(image.luv_difference, dtype=np.float64)
    length = np.asarray(image.boundary_length, dtype=np.float64)
    columns = [np.exp(-settings.beta * colour), length]
    return columns + [length * np.exp(-beta * colour) for beta in settings.contrasts]


def loss_weights(images: Sequence[SuperpixelImage], loss: Loss, n_classes: int) -> FloatArray:
    """Return the weight of a pixel of each class in the loss, shape (K,); 1 unless balanced.

    If balanced, all classes that occur count the same in total, and a pixel counts 1 on average.
    """
    if loss != "balanced":
        return np.ones(n_classes)
    pixels = np.sum([i.class_counts.sum(axis=0) for i in images], axis=0).astype(np.float64)
    occurs = pixels > 0
    weight = np.where(occurs, pixels.sum() / np.maximum(pixels, 1.0), 0.0)
    found: FloatArray = weight / occurs.sum()
    return found
