"""Training in stages, each an artefact on disk: a change re-runs only what depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from segboost._types import FloatArray
from segboost.io.legend import TWO_CLASSES, ClassLegend
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.class_training import train_classes
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.images.working_size import reduce_items
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter
from segboost.pipelines.segmentation.stages.class_crf import LearnedClassCRF
from segboost.pipelines.segmentation.stages.crf import LearnedCRF
from segboost.pipelines.segmentation.stages.features import extract_all, feature_stage
from segboost.pipelines.segmentation.two_class_training import train_two_classes
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
    train = train_classes if legend.n_classes > 2 else train_two_classes
    return Trained(*train(features, items, legend, config, n_jobs, progress))
