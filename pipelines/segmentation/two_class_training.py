"""Training of a segmenter of two classes, in stages, each an artefact on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from segboost._types import FloatArray
from segboost.io.legend import ClassLegend
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.pipelines.segmentation.model.unary_model import UnaryModel
from segboost.pipelines.segmentation.stages.crf import LearnedCRF
from segboost.pipelines.segmentation.stages.decision import decide
from segboost.pipelines.segmentation.stages.features import FeatureStage
from segboost.pipelines.segmentation.stages.group_classifiers import (
    SuperpixelTruth,
    UnaryStage,
    learn_unaries,
)
from segboost.pipelines.segmentation.stages.mirrored_training import learn_strong_with_copies
from segboost.progress import Progress


def train_two_classes(
    features: FeatureStage,
    items: Sequence[TrainingImage],
    legend: ClassLegend,
    config: SegmentationConfig,
    n_jobs: int,
    progress: Progress,
) -> tuple[SegmentationModel, LearnedCRF | None, dict[str, FloatArray]]:
    """Train a segmenter of foreground and background on images whose features are in the store.

    Returns
    -------
    model : SegmentationModel
    crf : LearnedCRF or None
    out_of_fold : dict of potential name to ndarray of shape (N,)
        Scores of the training superpixels.
    """
    images = [features.graph(item, with_truth=True) for item in items]
    keys = tuple(k for item in items for k in (item.image_key(), item.mask_key()))
    stage = UnaryStage(features, items, SuperpixelTruth.of(images, config), config, keys)
    unaries = learn_unaries(stage, n_jobs, progress) if config.uses_group_classifiers else {}
    first = np.empty((len(stage.truth.labels), len(unaries)))
    for column, found in enumerate(unaries.values()):
        first[:, column] = found.out_of_fold
    strong = learn_strong_with_copies(stage, images, first, n_jobs, progress)
    scores = np.column_stack([first, strong.out_of_fold])
    scale = stage.scale(scores)
    unary = UnaryModel(
        {name: found.model for name, found in unaries.items()},
        strong.trees,
        strong.context,
        scale,
        config.trees_in_crf,
        strong.linear,
    )
    names = [*unaries, *strong.names]
    out_of_fold = dict(zip(names, scores.T, strict=True))
    decided = decide(stage, images, scale.apply(scores), unaries, n_jobs, progress)
    model = decided.model(stage, unary)
    model = replace(model, widths=features.widths(items[0]), legend=legend)
    return model, decided.crf, out_of_fold
