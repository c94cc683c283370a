"""Learning the CRF: choices on validation images, then all training images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


Choice = tuple[float, Loss]
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
    """Choose C and loss on blocks of the images, then learn from all of them.

    Every contiguous block of images is labelled by CRFs learned on the other blocks; a choice is
    judged by all blocks together.

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
        if len(images) < 2:
            raise ValueError("choosing C needs at least two training images; or set C")
        tell = on_trial or (lambda *_: None)
        trials = _try_all(images, scores, config, choices, n_jobs, tell)
        choices = [_best(trials)]
    C, loss = choices[0]
    potentials = config.crf_potentials(loss)
    instances = [crf_instance(i, s, potentials) for i, s in zip(images, scores, strict=True)]
    model = make_crf(config, C, scores, callback).fit(instances)
    parts = scored_parts(model, images, scores, potentials)
    offset = best_offset(parts)
    calibration = fit_calibration((s - offset, f, b) for s, f, b in parts)
    return LearnedCRF(model, potentials, C, tuple(trials), offset, calibration)


def _try_all(
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    config: SegmentationConfig,
    choices: Sequence[Choice],
    n_jobs: int,
    tell: OnTrial,
) -> list[Trial]:
    """Return the trials in the order of the choices, whichever ends first."""
    n = len(images)
    blocks = np.array_split(np.arange(n), min(config.validation_blocks, n))
    jobs = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    found: dict[Choice, dict[int, list[FloatArray]]] = {choice: {} for choice in choices}
    trials: dict[Choice, Trial] = {}
    tell(0, len(choices), None)
    for choice, first, margins in jobs(
        delayed(_try)(images, scores, config, choice, int(held[0]), int(held[-1]) + 1)
        for choice in choices
        for held in blocks
    ):
        found[choice][first] = margins
        if len(found[choice]) == len(blocks):
            in_order = [m for _, part in sorted(found[choice].items()) for m in part]
            trials[choice] = Trial(choice[0], choice[1], score_margins(images, in_order))
            best = max(trials.values(), key=lambda t: t.scores.mean_iou)
            tell(len(trials), len(choices), best)
    return [trials[choice] for choice in choices]


def _best(trials: Sequence[Trial]) -> Choice:
    best = max(trials, key=lambda t: t.scores.mean_iou)
    return best.C, best.loss


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


def _choices(config: SegmentationConfig) -> list[Choice]:
    values = config.C_choices if config.C is None else (config.C,)
    return [(C, loss) for loss in config.losses for C in values]


def _try(
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    config: SegmentationConfig,
    choice: Choice,
    first: int,
    stop: int,
) -> tuple[Choice, int, list[FloatArray]]:
    """Return the node scores above the cut in images first to stop, by a CRF of the others."""
    C, loss = choice
    potentials = config.crf_potentials(loss)
    known = [*images[:first], *images[stop:]]
    known_scores = [*scores[:first], *scores[stop:]]
    pairs = zip(known, known_scores, strict=True)
    instances = [crf_instance(i, s, potentials) for i, s in pairs]
    model = make_crf(config, C, known_scores).fit(instances)
    offset = crf_offset(model, known, known_scores, potentials)
    held = scored_parts(model, images[first:stop], scores[first:stop], potentials)
    return choice, first, [node - offset for node, _, _ in held]


def score_margins(
    images: Sequence[SuperpixelImage], margins: Sequence[FloatArray]
) -> SegmentationScores:
    """Return the scores of node scores above the cut, over all images."""
    evaluation = SegmentationEvaluation()
    for image, margin in zip(images, margins, strict=True):
        evaluation.add_regions(margin > 0, *image.truth, margin)
    return evaluation.result()
