"""Training in stages, each an artefact on disk: a change re-runs only what depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray
from segboost.pipelines.runtime.artefact_store import ArtefactStore, KeyParts
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.working_size import reduce_items
from segboost.pipelines.segmentation.model.calibration import Calibration, fit_calibration
from segboost.pipelines.segmentation.model.cut import best_offset
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel, UnaryModel
from segboost.pipelines.segmentation.potentials.linear_words import LinearWords, fit_linear_words
from segboost.pipelines.segmentation.potentials.trees import ImageReader
from segboost.pipelines.segmentation.stages.crf import LEARNING, LearnedCRF, learn_crf
from segboost.pipelines.segmentation.stages.crf_cache import cached_crf, crf_key
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
from segboost.pipelines.segmentation.stages.strong_potentials import (
    StrongPotentials,
    strong_potentials,
)
from segboost.progress import Progress, QuietProgress, Report

FAINT = 1e30
"""The scale of a potential whose out-of-fold scores speak against their class. A linear CRF cannot
weigh what is left of it; StructBoost's rising ramps adapt to its range and still may. It is finite
on purpose: zeros in its place would be another model."""


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model with what its report needs."""

    model: SegmentationModel
    crf: LearnedCRF | None
    out_of_fold: dict[str, FloatArray]


def train_segmenter(
    items: Sequence[TrainingImage],
    config: SegmentationConfig,
    store: ArtefactStore,
    n_jobs: int = 1,
    progress: Progress | None = None,
    vocabulary: Sequence[TrainingImage] | None = None,
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
        asked for, so that features need not wait for labels nor change with them.
    """
    progress = progress or QuietProgress()
    items = reduce_items(items, config.longest_side)
    features = feature_stage(items if vocabulary is None else vocabulary, config, store, progress)
    extract_all(features, items, n_jobs, progress)
    images = [features.graph(item, with_truth=True) for item in items]
    keys = tuple(k for item in items for k in (item.image_key(), item.mask_key()))
    stage = UnaryStage(features, items, SuperpixelTruth.of(images, config), config, keys)
    unaries = learn_unaries(stage, n_jobs, progress)
    first = np.column_stack([found.out_of_fold for found in unaries.values()])
    strong = _strong(stage, images, first, n_jobs, progress)
    scores = first if strong is None else np.column_stack([first, strong.out_of_fold])
    scale = potential_scale(scores, stage.truth.labels, stage.truth.known)
    unary = UnaryModel(
        {name: found.model for name, found in unaries.items()},
        None if strong is None else strong.trees,
        None if strong is None else strong.context,
        scale,
    )
    names = [*unaries, *(() if strong is None else ("trees", "context"))]
    out_of_fold = dict(zip(names, scores.T, strict=True))
    if config.method in ("structboost", "ssvm"):
        learned = _crf(store, images, scores / scale, config, n_jobs, progress)
        model = SegmentationModel(
            config,
            features.preset,
            unary,
            learned.model,
            learned.potentials,
            None,
            learned.offset,
            learned.calibration,
        )
        return Trained(model, learned, out_of_fold)
    words, offset, calibration = _without_crf(stage, unaries["words"].out_of_fold)
    model = SegmentationModel(
        config, features.preset, unary, None, config.potentials, words, offset, calibration
    )
    return Trained(model, None, out_of_fold)


def _crf(
    store: ArtefactStore,
    images: Sequence[SuperpixelImage],
    scores: FloatArray,
    config: SegmentationConfig,
    n_jobs: int,
    progress: Progress,
) -> LearnedCRF:
    """Return the CRF on the scaled scores of all superpixels, from the store or learned."""
    by_image = np.split(scores, np.cumsum([i.n_superpixels for i in images])[:-1])
    kept = "; kept from an earlier run"

    def learn() -> LearnedCRF:
        nonlocal kept
        kept = ""
        return learn_crf(images, by_image, config, n_jobs, progress)

    learned = cached_crf(store, crf_key(images, by_image, config), config.method, learn)
    rounds = len(learned.model.history_)
    chosen = f"C = {learned.C:g}, loss by {learned.potentials.loss}"
    progress(Report(LEARNING, rounds, rounds, chosen + kept))
    return learned


def _without_crf(
    stage: UnaryStage, words_scores: FloatArray
) -> tuple[LinearWords | None, float, Calibration]:
    """Return the SVM where that is the method, the cut and the calibration of a classifier alone.

    `words_scores` are AdaBoost's, out of fold; the SVM's own are made here.
    """
    truth, words, scores = stage.truth, None, words_scores
    if stage.config.method == "svm":
        learned = fit_linear_words(
            stage.table("words"), truth.labels, truth.known, truth.fold, truth.area
        )
        words, scores = learned.model, learned.out_of_fold
    offset = best_offset([(scores, *truth.pixels)])
    return words, offset, fit_calibration([(scores - offset, *truth.pixels)])


def potential_scale(
    scores: FloatArray, labels: npt.NDArray[np.int64], known: npt.NDArray[np.bool_]
) -> FloatArray:
    """Return what each score is divided by: its deviation, or `FAINT`.

    A classifier whose out-of-fold scores are not higher on the foreground knows nothing that holds
    for new images. A linear CRF might invert it and be wrong where the final classifier is right.

    Parameters
    ----------
    scores : ndarray of shape (N, T)
        Out of fold.
    labels : ndarray of int, shape (N,)
    known : ndarray of bool, shape (N,)
    """
    foreground = scores[known & (labels == 1)].mean(axis=0)
    background = scores[known & (labels == 0)].mean(axis=0)
    scale = np.maximum(scores.std(axis=0), 1e-12)
    return np.where(foreground > background, scale, FAINT)


def _strong(
    stage: UnaryStage,
    images: Sequence[SuperpixelImage],
    first: FloatArray,
    n_jobs: int,
    progress: Progress,
) -> StrongPotentials | None:
    """Train the two strong potentials, where the config has them."""
    config, features, items = stage.config, stage.features, stage.items
    if not config.uses_context:
        return None
    groups = [g.name for g in features.preset.groups]
    reader = ImageReader(len(items), groups, lambda i, group: features.group(items[i], group))
    parameters = {
        "seed": config.seed,
        "unary": asdict(config.unary),
        "preset": features.preset.to_config(),
    }
    parts = KeyParts(parameters, (*stage.keys, features.codebook_key))
    return strong_potentials(
        features.store,
        parts,
        reader,
        images,
        first,
        stage.truth.fold,
        config,
        n_jobs,
        progress,
    )
