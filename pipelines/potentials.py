"""From scores and borders to the potentials of the CRF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from segboost.pipelines.superpixel_image import SuperpixelImage
from segboost.tasks.crf import CRFInstance

FloatArray = npt.NDArray[np.float64]

Loss = Literal["superpixels", "pixels"]


@dataclass(frozen=True)
class PotentialSettings:
    """Which pairwise potentials there are and how the loss counts.

    Parameters
    ----------
    beta : float
        Of ``V1 = exp(−β‖ΔLUV‖)``; 1 in the paper.
    contrast : float or None
        β of ``V3 = length · exp(−β‖ΔLUV‖)``; None leaves V3 out, as the paper does.
    loss : "superpixels" or "pixels"
        The Hamming loss counts superpixels, or their labelled pixels.
    """

    beta: float = 1.0
    contrast: float | None = 0.07
    loss: Loss = "superpixels"


def crf_instance(
    image: SuperpixelImage,
    scores: FloatArray,
    settings: PotentialSettings,
    with_truth: bool = True,
) -> CRFInstance:
    """Return the CRF of an image: ``U_t(x, y) = −y F'_t(x)`` and the pairwise potentials.

    Parameters
    ----------
    image : SuperpixelImage
    scores : ndarray of shape (P, T)
        F', positive for foreground.
    settings : PotentialSettings
    with_truth : bool
        Whether the labels and their weights are part of it, for learning.
    """
    labels: npt.NDArray[np.int64] | None = None
    weight: FloatArray | None = None
    if with_truth:
        labels = image.labels
        labelled = image.labelled
        counted = (labelled > 0).astype(np.float64)
        weight = labelled / float(image.area.mean()) if settings.loss == "pixels" else counted
    return CRFInstance(-scores, image.edges, pairwise(image, settings), labels, weight)


def pairwise(image: SuperpixelImage, settings: PotentialSettings) -> FloatArray:
    """Return V, shape (E, L): V1 of colour, V2 of length, V3 of both."""
    colour = np.asarray(image.luv_difference, dtype=np.float64)
    length = np.asarray(image.boundary_length, dtype=np.float64)
    columns = [np.exp(-settings.beta * colour), length]
    if settings.contrast is not None:
        columns.append(length * np.exp(-settings.contrast * colour))
    return np.column_stack(columns)
