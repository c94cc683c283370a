"""The decision stage: from scores to labels, with or without a CRF, and the borders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from segboost._types import FloatArray
from segboost.baselines.stump_sum import StumpSum
from segboost.pipelines.segmentation.decisions.calibration import Calibration, fit_calibration
from segboost.pipelines.segmentation.decisions.threshold import best_threshold
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.pipelines.segmentation.model.unary_model import UnaryModel
from segboost.pipelines.segmentation.potentials.crf.fixed_crf import smoothed_scores
from segboost.pipelines.segmentation.potentials.linear_words import LinearWords, fit_linear_words
from segboost.pipelines.segmentation.potentials.out_of_fold import Learned
from segboost.pipelines.segmentation.stages.borders import (
    BorderTask,
    LearnedBorders,
    border_stage,
)
from segboost.pipelines.segmentation.stages.crf import LearnedCRF, scored_parts
from segboost.pipelines.segmentation.stages.crf_cache import find_or_learn_crf
from segboost.pipelines.segmentation.stages.group_classifiers import UnaryStage
from segboost.progress import Progress


@dataclass(frozen=True, eq=False)
class Decided:
    """The learned parts that turn scores into labels: CRF or classifier, threshold and borders."""

    threshold: float
    calibration: Calibration
    crf: LearnedCRF | None = None
    words: LinearWords | None = None
    borders: LearnedBorders | None = None

    def model(self, stage: UnaryStage, unary: UnaryModel) -> SegmentationModel:
        """Return the segmenter."""
        crf, borders, config = self.crf, self.borders, stage.config
        return SegmentationModel(
            config,
            stage.features.preset,
            unary,
            None if crf is None else crf.model,
            config.potentials if crf is None else crf.potentials,
            self.words,
            self.threshold,
            self.calibration if borders is None else borders.calibration,
            None if borders is None else borders.refinement,
        )


def decide(
    stage: UnaryStage,
    images: Sequence[SuperpixelImage],
    scores: FloatArray,
    unaries: Mapping[str, Learned[StumpSum]],
    n_jobs: int,
    progress: Progress,
) -> Decided:
    """Learn to label from the scaled out-of-fold scores of all superpixels."""
    config, truth, store = stage.config, stage.truth, stage.features.store
    starts = np.cumsum([i.n_superpixels for i in images])[:-1]
    if config.fixes_crf(len(images)):
        pairs = zip(images, np.split(scores[:, -1], starts), strict=True)
        nodes = [smoothed_scores(i, z, config.linear) for i, z in pairs]
        # Strokes avoid borders, where the threshold matters: one tuned on strokes does not help.
        decided = Decided(0.0, fit_calibration([(np.concatenate(nodes), *truth.pixels)]))
    elif config.learns_crf:
        by_image = np.split(scores, starts)
        learned = find_or_learn_crf(
            stage.features.store, images, by_image, config, n_jobs, progress
        )
        parts = scored_parts(learned.model, images, by_image, learned.potentials)
        nodes = [node - learned.threshold for node, _, _ in parts]
        decided = Decided(learned.threshold, learned.calibration, learned)
    else:
        words, single = None, scores[:, -1]
        if config.method in ("adaboost", "svm"):
            words, single = _word_scores(stage, unaries["words"].out_of_fold)
        threshold = best_threshold([(single, *truth.pixels)], config.select)
        calibration = fit_calibration([(single - threshold, *truth.pixels)])
        nodes = np.split(single - threshold, starts)
        decided = Decided(threshold, calibration, None, words)
    task = BorderTask(images, stage.items, nodes, truth.fold, decided.calibration)
    borders = border_stage(task, config, store, n_jobs, progress)
    return replace(decided, borders=borders)


def _word_scores(
    stage: UnaryStage, words_scores: FloatArray
) -> tuple[LinearWords | None, FloatArray]:
    """Return the SVM if that is the method, and the out-of-fold scores of the classifier.

    `words_scores` are those of AdaBoost.
    """
    if stage.config.method != "svm":
        return None, words_scores
    truth = stage.truth
    learned = fit_linear_words(
        stage.table("words"), truth.labels, truth.known, truth.fold, truth.area
    )
    return learned.model, learned.out_of_fold
