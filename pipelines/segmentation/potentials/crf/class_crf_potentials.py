"""From the log-probabilities of several classes to the potentials of the CRF."""

from __future__ import annotations

import numpy as np

from segboost._types import FloatArray
from segboost.graphs.graph import Graph
from segboost.graphs.minimiser import best_labels
from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.crf.crf_potentials import CRFModel, border_columns
from segboost.tasks.crf import CRFInstance
from segboost.tasks.crf_instance import UNKNOWN

FLOOR = -12.0
"""Log-probabilities below this are raised to it in unary potentials."""
SHARPNESS = 4.0
"""How fast smoothing decays with the difference between the probabilities of neighbours."""


def class_instance(
    image: SuperpixelImage,
    scores: FloatArray,
    settings: PotentialSettings,
    class_weight: FloatArray | None = None,
) -> CRFInstance:
    """Return the CRF of an image: ``U_k = −log p_k`` and the pairwise potentials.

    Parameters
    ----------
    image : SuperpixelImage
    scores : ndarray of shape (P, K)
        Log-probabilities.
    settings : PotentialSettings
    class_weight : ndarray of shape (K,), optional
        Weight of a pixel of each class in the loss. If given, the instance has labels, for
        learning; those of superpixels without labelled pixels are unknown.
    """
    unary = -np.maximum(scores, FLOOR)
    pairwise = class_pairwise(image, scores, settings)
    if class_weight is None:
        return CRFInstance(unary, image.edges, pairwise)
    labelled = image.labelled
    labels = np.where(labelled > 0, image.labels, UNKNOWN)
    weight = (labelled > 0).astype(np.float64)
    if settings.loss != "superpixels":
        weight = labelled / float(image.area.mean()) * class_weight[image.labels]
    return CRFInstance(unary, image.edges, pairwise, labels, weight)


def class_pairwise(
    image: SuperpixelImage, scores: FloatArray, settings: PotentialSettings
) -> FloatArray:
    """Return V, shape (E, L): the potentials of colour, length and contrasts, and of agreement.

    Agreement is measured by the total variation ``d = ½ Σ_k |p_k − q_k|`` of two neighbours'
    probabilities: ``length · exp(−SHARPNESS d)``, and the same with the contrast of colours.
    """
    columns = border_columns(image, settings)
    if settings.agreement:
        probability = np.exp(scores)
        one, other = image.edges.T
        apart = np.abs(probability[one] - probability[other]).sum(axis=1) / 2
        length = np.asarray(image.boundary_length, dtype=np.float64)
        colour = np.asarray(image.luv_difference, dtype=np.float64)
        columns.append(length * np.exp(-SHARPNESS * apart))
        columns.append(length * np.exp(-0.07 * colour - SHARPNESS * apart))
    return np.column_stack(columns)


def crf_class_scores(
    model: CRFModel,
    image: SuperpixelImage,
    scores: FloatArray,
    potentials: PotentialSettings,
    n_classes: int,
) -> FloatArray:
    """Return the scores of all K classes, shape (P, K), by a CRF that knows some of them.

    With y* the labelling of low energy that is found, the score of class k at superpixel p is
    ``E(y*) − E(y* with y_p = k)``: 0 for the label of p, and less for the others. A class that the
    CRF did not see scores less than all others. The min-marginals of `score_nodes`, which let the
    neighbours change their labels, take 50 times as long for 11 classes.
    """
    instance = class_instance(image, scores, potentials)
    theta, capacity = model.energy_terms(instance)
    labels = best_labels(Graph(instance.n_nodes, instance.edges), theta, capacity)
    energy = theta.copy()
    for here, there in (instance.edges.T, instance.edges.T[::-1]):
        # An edge adds its cost to all labels but that of the neighbour.
        energy += np.bincount(here, capacity, instance.n_nodes)[:, None]
        np.subtract.at(energy, (here, labels[there]), capacity)
    known = energy[np.arange(len(labels)), labels][:, None] - energy
    found = np.full((len(known), n_classes), known.min() - 1.0)
    found[:, model.classes_] = known
    return found
