"""Training of a segmenter of several classes, in stages, each an artefact on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from segboost._types import FloatArray
from segboost.io.legend import ClassLegend
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.mirrored import mirrored_copies
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.model.class_segmenter import ClassSegmentationModel
from segboost.pipelines.segmentation.potentials.class_folds import assign_class_folds
from segboost.pipelines.segmentation.potentials.class_truth import class_truth
from segboost.pipelines.segmentation.stages.class_crf import LearnedClassCRF
from segboost.pipelines.segmentation.stages.class_decision import decide_classes
from segboost.pipelines.segmentation.stages.class_potentials import (
    ClassStage,
    learn_class_potentials,
)
from segboost.pipelines.segmentation.stages.features import (
    FeatureStage,
    extract_all,
)
from segboost.progress import Progress


def train_classes(
    features: FeatureStage,
    items: Sequence[TrainingImage],
    legend: ClassLegend,
    config: SegmentationConfig,
    n_jobs: int,
    progress: Progress,
) -> tuple[ClassSegmentationModel, LearnedClassCRF | None, dict[str, FloatArray]]:
    """Train a segmenter of the classes of a legend on images whose features are in the store.

    Returns
    -------
    model : ClassSegmentationModel
    crf : LearnedClassCRF or None
    out_of_fold : dict of class name to ndarray of shape (N,)
        Log-probabilities of the training superpixels.
    """
    check_method(config, legend)
    graphs = [features.graph(item, with_truth=False) for item in items]
    images = [
        graph.with_truth(item.mask(), legend.n_classes)
        for graph, item in zip(graphs, items, strict=True)
    ]
    keys = tuple(k for item in items for k in (item.image_key(), item.mask_key()))
    truth = class_truth(images, _folds(images, config))
    stage = ClassStage(features, items, images, truth, config, keys, n_jobs, progress)
    larger = _with_copies(stage) if config.mirrors(len(items)) else stage
    unary, scores = learn_class_potentials(larger)
    scores = scores[: len(truth.labels)]
    decided = decide_classes(stage, scores)
    model = ClassSegmentationModel(
        config,
        features.preset,
        legend,
        unary,
        None if decided.crf is None else decided.crf.model,
        config.potentials if decided.crf is None else decided.crf.potentials,
        decided.calibration,
        decided.offsets,
        decided.probability,
        decided.borders,
        features.widths(items[0]),
    )
    return model, decided.crf, dict(zip(legend.names, scores.T, strict=True))


def _with_copies(stage: ClassStage) -> ClassStage:
    """Return the stage with a mirrored copy of every image appended."""
    copies, folds = mirrored_copies(stage.items, stage.truth.fold, stage.truth.sizes)
    extract_all(stage.features, copies, stage.n_jobs, stage.progress)
    n_classes = stage.truth.n_classes
    images = [
        stage.features.graph(c, with_truth=False).with_truth(c.mask(), n_classes) for c in copies
    ]
    fold = np.repeat(folds, [i.n_superpixels for i in images])
    everything = [*stage.images, *images]
    return replace(
        stage,
        items=[*stage.items, *copies],
        images=everything,
        truth=class_truth(everything, np.concatenate([stage.truth.fold, fold])),
        keys=(*stage.keys, "mirrored"),
    )


def check_method(config: SegmentationConfig, legend: ClassLegend) -> None:
    """Raise ValueError if a method cannot learn this number of classes."""
    if config.method in ("adaboost", "svm") and legend.n_classes > 2:
        raise ValueError(
            f"method {config.method} separates two classes, but the legend has {legend.n_classes}: "
            "use structboost, ssvm or trees, or choose one class with --foreground"
        )


def _folds(images: Sequence[SuperpixelImage], config: SegmentationConfig) -> np.ndarray:
    labels = np.concatenate([i.labels for i in images])
    known = np.concatenate([i.labelled for i in images]) > 0
    sizes = [i.n_superpixels for i in images]
    return assign_class_folds(labels, known, sizes, config.unary.n_folds)
