"""The decision stage of several classes: CRF, calibration, doubtful pixels, offsets."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from segboost._types import FloatArray
from segboost.pipelines.runtime.artefact_store import Artefact, KeyParts, array_key
from segboost.pipelines.segmentation.borders.class_learning import (
    LearnedRefinement,
    learn_refinement,
)
from segboost.pipelines.segmentation.borders.class_refinement import ClassRefinement
from segboost.pipelines.segmentation.borders.learning import BORDERS
from segboost.pipelines.segmentation.decisions.class_calibration import (
    ClassCalibration,
    fit_class_calibration,
)
from segboost.pipelines.segmentation.decisions.class_offsets import transferable_offsets
from segboost.pipelines.segmentation.stages.class_crf import (
    ClassCRFData,
    LearnedClassCRF,
    node_scores,
)
from segboost.pipelines.segmentation.stages.class_crf_cache import find_or_learn_class_crf
from segboost.pipelines.segmentation.stages.class_potentials import ClassStage
from segboost.progress import Report

logger = logging.getLogger(__name__)

SCHEMA = 3
"""Increase whenever the same images and settings give another refinement."""


@dataclass(frozen=True, eq=False)
class ClassDecision:
    """The learned parts that turn log-probabilities into labels."""

    crf: LearnedClassCRF | None
    calibration: ClassCalibration
    borders: ClassRefinement | None
    offsets: FloatArray
    probability: ClassCalibration


def decide_classes(stage: ClassStage, scores: FloatArray) -> ClassDecision:
    """Learn to label from the out-of-fold log-probabilities of all superpixels, shape (N, K)."""
    config, truth = stage.config, stage.truth
    crf = None
    if config.learns_crf:
        by_image = stage.by_image(scores)
        data = ClassCRFData(stage.images, by_image, config, truth.n_classes)
        crf = find_or_learn_class_crf(stage.features.store, data, stage.n_jobs, stage.progress)
        learned = np.concatenate(
            node_scores(crf.model, stage.images, by_image, crf.potentials, truth.n_classes)
        )
        if np.ptp(learned) > 0:
            scores = learned
        else:
            logger.warning(
                "C = %g is so small that the CRF has no weights: pixels are labelled without it; "
                "set a larger C",
                crf.C,
            )
            crf = None
    # Only a scale: constants per class would reflect the training images.
    calibration = fit_class_calibration(scores, truth.counts, constants=False)
    nodes = calibration(scores)
    refined = _refine(stage, nodes)
    if refined is None:
        final, counts, fold = nodes, truth.counts, truth.fold
    else:
        final, counts, fold = refined.scores, refined.counts, refined.fold
    offsets = transferable_offsets(final, counts, fold, config.select)
    return ClassDecision(
        crf,
        calibration,
        None if refined is None else refined.refinement,
        offsets,
        fit_class_calibration(final + offsets, counts),
    )


def _refine(stage: ClassStage, nodes: FloatArray) -> LearnedRefinement | None:
    """Return the refinement from the store, or learn it; None if borders are not refined."""
    config, n = stage.config, len(stage.items)
    if not config.borders.refine:
        return None

    def make() -> Artefact:
        found = learn_refinement(
            stage.images, stage.items, stage.by_image(nodes), stage.truth.fold,
            config.borders, config.border_booster, config.seed, stage.n_jobs, stage.progress,
        )  # fmt: skip
        return Artefact({"none": np.zeros(0)}) if found is None else _pack(found)

    parameters: dict[str, Any] = {
        "borders": asdict(config.borders),
        "border_booster": asdict(config.border_booster),
        "seed": config.seed,
    }
    inputs = (*stage.keys, array_key(nodes, stage.truth.fold))
    stage.progress(Report(BORDERS, 0, n))
    made = stage.features.store.get_or_make(
        "class-borders", KeyParts(parameters, inputs, SCHEMA), make
    )
    none = "none" in made.arrays
    note = "too few doubtful pixels are labelled: nothing is refined" if none else ""
    stage.progress(Report(BORDERS, n, n, note))
    return None if none else _unpack(stage, made)


def _pack(found: LearnedRefinement) -> Artefact:
    arrays = found.refinement.to_arrays()
    rows = {"all_scores": found.scores, "all_counts": found.counts, "all_folds": found.fold}
    return Artefact({**arrays, **rows})


def _unpack(stage: ClassStage, made: Artefact) -> LearnedRefinement:
    arrays = dict(made.arrays)
    rows = [arrays.pop(name) for name in ("all_scores", "all_counts", "all_folds")]
    return LearnedRefinement(ClassRefinement.from_arrays(arrays, stage.config.borders), *rows)
