"""Prediction for one image: labels and probabilities per superpixel, and its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from segboost._types import AnyArray, ByteArray, FloatArray, Int64Array
from segboost.pipelines.runtime.artefact_store import Artefact
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter
from segboost.pipelines.segmentation.stages.features import FeatureStage


@dataclass(frozen=True, eq=False)
class Prediction:
    """The prediction for one image.

    Parameters
    ----------
    label : ndarray of uint8, shape (P,)
        0 … K−1.
    probability : ndarray of float64, shape (P, K)
    uncertainty : float
        Uncertainty of the whole image; see `mean_entropy`.
    """

    label: ByteArray
    probability: FloatArray
    uncertainty: float

    def to_artefact(self) -> Artefact:
        """Return the prediction as arrays."""
        arrays: dict[str, AnyArray] = {
            "label": self.label,
            "probability": self.probability,
        }
        return Artefact(arrays, {"uncertainty": self.uncertainty})

    @classmethod
    def from_artefact(cls, artefact: Artefact) -> Self:
        """Return the prediction stored by `to_artefact`."""
        arrays = artefact.arrays
        return cls(arrays["label"], arrays["probability"], float(artefact.document["uncertainty"]))


def predict_image(model: Segmenter, features: FeatureStage, item: TrainingImage) -> Prediction:
    """Segment an image with features from the store; missing ones are computed."""
    features.make(item)
    groups = {g.name: features.group(item, g.name) for g in features.preset.groups}
    image = replace(features.graph(item, with_truth=False), groups=groups)
    score = model.node_scores(image)
    probability = model.probabilities(score)
    if score.ndim == 1:
        probability = np.stack([1 - probability, probability], axis=1)
    label = (score > 0 if score.ndim == 1 else score.argmax(axis=1)).astype(np.uint8)
    return Prediction(label, probability, mean_entropy(probability, image.area))


def entropy(probability: FloatArray) -> FloatArray:
    """Return ``−Σ_k p_k log p_k / log K`` of rows of probabilities: 0 is certain, 1 a guess.

    Parameters
    ----------
    probability : ndarray of shape (P, K)

    Examples
    --------
    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    p = np.clip(probability, 1e-12, 1.0)
    bits = -(p * np.log(p)).sum(axis=1) / np.log(probability.shape[1])
    return np.abs(np.round(bits, 9))  # without the rounding error of certain rows


def mean_entropy(probability: FloatArray, area: Int64Array) -> float:
    """Return the mean over pixels of the `entropy` of their superpixel.

    Examples
    --------
    >>> mean_entropy(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([30, 10]))
    0.75
    """
    return round(float(np.average(entropy(probability), weights=area)), 9)
