"""The prediction for one labelled image, with the truth that it is compared with."""

from __future__ import annotations

import numpy as np

from segboost._types import ByteArray
from segboost.io.legend import VOID
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.metrics.predictions import (
    ClassPrediction,
    ImagePrediction,
    RegionPrediction,
)
from segboost.pipelines.segmentation.metrics.scores import region_counts
from segboost.pipelines.segmentation.model.class_segmenter import ClassSegmentationModel
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter

STEPS = 64
"""Scores of single pixels are rounded to this many steps per unit of log-odds."""
CALIBRATION_STEP = 4
"""Step in rows and columns at which probabilities of several classes are compared with truth."""

LabelledInput = tuple[str, ByteArray | SuperpixelImage, ByteArray]
"""The name of an image, its pixels or its features, and its mask."""


def read_labelled(item: TrainingImage) -> LabelledInput:
    """Return name, pixels and mask of an image."""
    return item.name, item.image(), item.mask()


def predict_labelled(
    model: Segmenter, given: LabelledInput
) -> tuple[SuperpixelImage | None, ImagePrediction]:
    """Return the prediction for an image, and its features if they were computed here."""
    name, pixels, mask = given
    known = isinstance(pixels, SuperpixelImage)
    image = pixels if isinstance(pixels, SuperpixelImage) else model.prepare(pixels, name)
    checked = add_truth(image, mask, name, model.legend.n_classes)
    new = None if known else image
    if isinstance(model, ClassSegmentationModel):
        return new, predict_classes(model, checked, mask)
    return new, predict_regions(model, checked, mask)


def predict_classes(
    model: ClassSegmentationModel, image: SuperpixelImage, mask: ByteArray
) -> ClassPrediction:
    """Return the pixels of an image by true and predicted class, with their probabilities."""
    scores = model.score_pixels(image)
    some = scores[::CALIBRATION_STEP, ::CALIBRATION_STEP]
    return ClassPrediction.of(scores, mask, model.probabilities(some), CALIBRATION_STEP)


def predict_regions(
    model: SegmentationModel, image: SuperpixelImage, mask: ByteArray
) -> RegionPrediction:
    """Return the scores of an image's superpixels and of the pixels near refined borders.

    Those pixels are grouped by their scores, rounded to steps that keep the sign.
    """
    node = model.node_scores(image)
    if model.borders is None:
        return RegionPrediction(node, *image.truth)
    margin = model.borders.margins(node)
    band = model.borders.band(image, margin)
    away = mask.copy()
    away[band.rows, band.columns] = VOID
    foreground, background = region_counts(image.superpixels, away)
    steps, place = np.unique(np.ceil(band.score * STEPS), return_inverse=True)
    near = mask[band.rows, band.columns]
    counts = [np.bincount(place[near == c], minlength=steps.size) for c in (1, 0)]
    return RegionPrediction(
        np.concatenate([margin, (steps - 0.5) / STEPS]),
        np.concatenate([foreground, counts[0]]),
        np.concatenate([background, counts[1]]),
    )


def add_truth(
    image: SuperpixelImage, mask: ByteArray, name: str, n_classes: int = 2
) -> SuperpixelImage:
    """Return the image with the truth of its mask; ValueError if they do not fit."""
    if mask.shape != image.superpixels.shape:
        (height, width), (tall, wide) = image.superpixels.shape, mask.shape
        raise ValueError(
            f"{name}: the image is {width}×{height}, its mask {wide}×{tall}: make them equal"
        )
    try:
        return image.with_truth(mask, n_classes)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
