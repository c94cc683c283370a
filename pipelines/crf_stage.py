"""Learning the CRF: choices on validation images, then all training images."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from segboost.baselines.crf_structured_svm import CRFStructuredSVM
from segboost.estimators.crf import CRFStructBoost
from segboost.pipelines.calibration import Calibration, fit_calibration
from segboost.pipelines.metrics import SegmentationEvaluation, SegmentationScores
from segboost.pipelines.offsets import best_offset
from segboost.pipelines.potentials import Loss, PotentialSettings, crf_instance
from segboost.pipelines.segmentation_config import SegmentationConfig
from segboost.pipelines.superpixel_image import SuperpixelImage
from segboost.weak.ramp import RampLearner

FloatArray = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
CRFModel = CRFStructBoost | CRFStructuredSVM
ALL = 1_000_000
"""More features than there are."""
ENOUGH_IMAGES = 50
"""From here on a unary learner may fall."""


@dataclass(frozen=True)
class Trial:
    """A choice of C and loss with its scores on the validation images."""

    C: float
    loss: Loss
    scores: SegmentationScores


OnTrial = Callable[[int, int, Trial | None], Any]


@dataclass(frozen=True, eq=False)
class LearnedCRF:
    """The CRF of all training images, and how its settings were chosen.

    `offset` is the node score from which on a superpixel counts as foreground, `calibration` the
    probability of foreground by what a node score exceeds it.
    """

    model: CRFModel
    potentials: PotentialSettings
    C: float
    trials: tuple[Trial, ...]
    offset: float = 0.0
    calibration: Calibration | None = None


def learn_crf(
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    config: SegmentationConfig,
    n_jobs: int = 1,
    callback: Callable[[Any], Any] | None = None,
    on_trial: OnTrial | None = None,
) -> LearnedCRF:
    """Choose C and loss on a block of the images, then learn from all of them.

    Parameters
    ----------
    images : sequence of SuperpixelImage
        Training images with truth.
    scores : sequence of ndarray of shape (P, T)
        Their out-of-fold unary scores, scaled.
    config : SegmentationConfig
    n_jobs : int
        Choices tried side by side.
    callback : callable, optional
        Called with the steps of the last fit.
    on_trial : callable, optional
        Called with the number of choices tried, how many there are, and the best so far.
    """
    choices = _choices(config)
    trials: list[Trial] = []
    if len(choices) > 1:
        first = max(1, round(len(images) * (1 - config.validation_share)))
        known, held = slice(0, first), slice(first, None)
        if first >= len(images):
            raise ValueError("choosing C needs at least two training images; or set C")
        jobs = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
        tried = jobs(
            delayed(_try)(images[known], scores[known], images[held], scores[held], config, *choice)
            for choice in choices
        )
        trials = _gather(tried, choices, on_trial or (lambda *_: None))
        best = max(trials, key=lambda t: t.scores.mean_iou)
        choices = [(best.C, best.loss)]
    C, loss = choices[0]
    potentials = config.crf_potentials(loss)
    instances = [crf_instance(i, s, potentials) for i, s in zip(images, scores, strict=True)]
    model = make_crf(config, C, scores, callback).fit(instances)
    parts = scored_parts(model, images, scores, potentials)
    offset = best_offset(parts)
    calibration = fit_calibration((s - offset, f, b) for s, f, b in parts)
    return LearnedCRF(model, potentials, C, tuple(trials), offset, calibration)


def _gather(
    tried: Iterable[Trial], choices: Sequence[tuple[float, Loss]], tell: OnTrial
) -> list[Trial]:
    """Return the trials in the order of the choices, whichever ends first."""
    found: list[Trial] = []
    tell(0, len(choices), None)
    for trial in tried:
        found.append(trial)
        tell(len(found), len(choices), max(found, key=lambda t: t.scores.mean_iou))
    return sorted(found, key=lambda t: choices.index((t.C, t.loss)))


def crf_offset(
    model: CRFModel,
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    potentials: PotentialSettings,
) -> float:
    """Return the node score to cut at, by the out-of-fold unaries of the training images."""
    return best_offset(scored_parts(model, images, scores, potentials))


def scored_parts(
    model: CRFModel,
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    potentials: PotentialSettings,
) -> list[tuple[FloatArray, Counts, Counts]]:
    """Return every image's node scores with the true pixels of either class."""
    return [
        (model.score_nodes(crf_instance(i, s, potentials, with_truth=False)), *i.truth)
        for i, s in zip(images, scores, strict=True)
    ]


def make_crf(
    config: SegmentationConfig,
    C: float,
    scores: Sequence[FloatArray],
    callback: Callable[[Any], Any] | None = None,
) -> CRFModel:
    """Return the unfitted learner of the config's method for the scores of the training images.

    Pairwise learners of StructBoost only rise: each potential is made so that more of it speaks
    for one label on both sides. Unary learners may fall where there are enough images to tell: a
    score that knows the scene takes away from one that knows object and scene. Among few images
    such a sign is chance, and turns predictions round where the final classifiers are surer than
    the out-of-fold ones.
    """
    if config.method == "ssvm":
        return CRFStructuredSVM(C=C, callback=callback)
    n_rising = 0 if len(scores) >= ENOUGH_IMAGES else scores[0].shape[1]
    return CRFStructBoost(
        C=C,
        n_iterations=config.n_iterations,
        weak_learner=RampLearner(min_width=config.ramp_width, n_rising=n_rising),
        pairwise_learner=RampLearner(n_rising=ALL),
        random_state=config.seed,
        callback=callback,
    )


def evaluate_crf(
    model: CRFModel,
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    potentials: PotentialSettings,
    offset: float = 0.0,
) -> SegmentationScores:
    """Return the scores of a CRF on images with truth, by its min-marginals above `offset`."""
    evaluation = SegmentationEvaluation()
    for image, unary in zip(images, scores, strict=True):
        instance = crf_instance(image, unary, potentials, with_truth=False)
        node = model.score_nodes(instance) - offset
        evaluation.add_regions(node > 0, *image.truth, node)
    return evaluation.result()


def _choices(config: SegmentationConfig) -> list[tuple[float, Loss]]:
    values = config.C_choices if config.C is None else (config.C,)
    return [(C, loss) for loss in config.losses for C in values]


def _try(
    known: Sequence[SuperpixelImage],
    known_scores: Sequence[FloatArray],
    held: Sequence[SuperpixelImage],
    held_scores: Sequence[FloatArray],
    config: SegmentationConfig,
    C: float,
    loss: Loss,
) -> Trial:
    potentials = config.crf_potentials(loss)
    pairs = zip(known, known_scores, strict=True)
    instances = [crf_instance(i, s, potentials) for i, s in pairs]
    model = make_crf(config, C, known_scores).fit(instances)
    offset = crf_offset(model, known, known_scores, potentials)
    return Trial(C, loss, evaluate_crf(model, held, held_scores, potentials, offset))
