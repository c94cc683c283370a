"""A CRF with fixed weights: log-probabilities per area, and borders that follow contrasts."""

from __future__ import annotations

import numpy as np

from segboost._types import FloatArray
from segboost.graphs.graph import Graph
from segboost.graphs.minimiser import label_scores
from segboost.pipelines.segmentation.config.stage_settings import LinearSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage


def border_costs(image: SuperpixelImage, smoothness: float, contrast: float) -> FloatArray:
    """Return the costs of borders between superpixels, shape (E,).

    ``smoothness · length · exp(−contrast · ‖ΔLUV‖)``, lengths in side lengths of a mean superpixel.
    """
    length = np.asarray(image.boundary_length, np.float64) / np.sqrt(image.mean_area)
    colour = np.asarray(image.luv_difference, np.float64)
    found: FloatArray = smoothness * length * np.exp(-contrast * colour)
    return found


def smoothed_scores(
    image: SuperpixelImage, log_odds: FloatArray, settings: LinearSettings
) -> FloatArray:
    """Return the min-marginal ``min_{y: y_p = 0} E − min_{y: y_p = 1} E``, shape (P,).

    ``E(y) = −Σ_p y_p z_p a_p + Σ_(p,q) [y_p ≠ y_q] border_cost`` with y in {0, 1}, the log-odds z
    and the areas a in mean superpixels: the scores are positive where the labels of least energy
    are foreground.

    Parameters
    ----------
    image : SuperpixelImage
    log_odds : ndarray of shape (P,)
    settings : LinearSettings
    """
    gain = log_odds * image.area / image.mean_area
    theta = np.column_stack([np.zeros_like(gain), -gain])
    capacity = border_costs(image, settings.smoothness, settings.contrast)
    found: FloatArray = label_scores(Graph(len(gain), image.edges), theta, capacity, None)
    return found
