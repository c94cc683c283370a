"""Training in stages, each an artefact on disk: a change re-runs only what depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segboost._types import FloatArray
from segboost.io.legend import TWO_CLASSES, ClassLegend
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.class_training import train_classes
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.working_size import reduce_items
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter
from segboost.pipelines.segmentation.model.unary_model import UnaryModel
from segboost.pipelines.segmentation.stages.class_crf import LearnedClassCRF
from segboost.pipelines.segmentation.stages.crf import LearnedCRF
from segboost.pipelines.segmentation.stages.decision import decide
from segboost.pipelines.segmentation.stages.features import (
    TrainingImage,
    extract_all,
    feature_stage,
)
from segboost.pipelines.segmentation.stages.group_classifiers import (
    SuperpixelTruth,
    UnaryStage,
    learn_unaries,
)
from segboost.pipelines.segmentation.stages.mirrored_training import learn_strong_with_copies
from segboost.progress import Progress, QuietProgress


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model with what its report needs."""

    model: Segmenter
    crf: LearnedCRF | LearnedClassCRF | None
    out_of_fold: dict[str, FloatArray]


def train_segmenter(
    items: Sequence[TrainingImage],
    config: SegmentationConfig,
    store: ArtefactStore,
    n_jobs: int = 1,
    progress: Progress | None = None,
    vocabulary: Sequence[TrainingImage] | None = None,
    legend: ClassLegend = TWO_CLASSES,
) -> Trained:
    """Train a segmenter through all its stages.

    Parameters
    ----------
    items : sequence of TrainingImage
    config : SegmentationConfig
    store : ArtefactStore
    n_jobs : int
        Processes; the model does not depend on it.
    progress : Progress, optional
    vocabulary : sequence of TrainingImage, optional
        The images that visual words are learned from, `items` by default. Their masks are not
        read, so that features can be computed before labels exist and do not depend on them.
    legend : ClassLegend
        The classes of the masks.
    """
    progress = progress or QuietProgress()
    items = reduce_items(items, config.longest_side)
    features = feature_stage(items if vocabulary is None else vocabulary, config, store, progress)
    extract_all(features, items, n_jobs, progress)
    if legend.n_classes > 2:
        return Trained(*train_classes(features, items, legend, config, n_jobs, progress))
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
    return Trained(model, decided.crf, out_of_fold)
