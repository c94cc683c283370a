"""The CRF stage: choose C and loss by cross-validation, then learn from all training images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segboost._types import FloatArray, Int64Array
from segboost.baselines.crf_structured_svm import CRFStructuredSVM
from segboost.estimators.crf import CRFStructBoost
from segboost.pipelines.runtime.parallel_map import map_tasks
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import Loss, Measure, PotentialSettings
from segboost.pipelines.segmentation.decisions.calibration import Calibration, fit_calibration
from segboost.pipelines.segmentation.decisions.threshold import best_threshold
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.metrics.scores import (
    SegmentationEvaluation,
    SegmentationScores,
)
from segboost.pipelines.segmentation.potentials.crf.crf_potentials import (
    CRFModel,
    crf_instance,
    loss_weights,
)
from segboost.progress import Progress, QuietProgress, Report, step_reporter
from segboost.tasks.crf_instance import CRFInstance
from segboost.weak.ramp import RampLearner

CRF_GAP = 1e-3
"""Gap of StructBoost's cutting planes. At 1e-2 new learners are priced by inaccurate weights:
on left-out blocks of Graz-02 the mean IoU of people is 0.3 to 0.4 points lower and that of bike
0.1 on average over C (from 0.05 higher to 0.2 lower), for about the same time."""
CHOOSING, LEARNING = "choosing C and loss", "learning the CRF"
"""The names of the two stages in progress reports."""
SINGLE_IMAGE = (
    "C cannot be chosen on a single training image: give --C, such as --C 10, or more images"
)
ENOUGH_IMAGES = 50
"""With at least this many images, unary ramps may decrease."""


@dataclass(frozen=True)
class Trial:
    """A choice of C and loss with its scores on the validation images."""

    C: float
    loss: Loss
    scores: SegmentationScores

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"C": self.C, "loss": self.loss, **self.scores.to_dict()}


Choice = tuple[float, Loss]


@dataclass(frozen=True, eq=False)
class _Tried:
    """A trial with the node scores of all images minus the threshold, by CRFs of other images."""

    trial: Trial
    margins: list[FloatArray]

    @property
    def choice(self) -> Choice:
        return self.trial.C, self.trial.loss


@dataclass(frozen=True, eq=False)
class LearnedCRF:
    """The CRF of all training images, and how its settings were chosen.

    `threshold` is the node score above which a superpixel is foreground; `calibration` maps node
    scores minus the threshold to probabilities of foreground.
    """

    model: CRFModel
    potentials: PotentialSettings
    C: float
    trials: tuple[Trial, ...]
    threshold: float
    calibration: Calibration


def learn_crf(
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    config: SegmentationConfig,
    n_jobs: int = 1,
    progress: Progress | None = None,
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
        Number of processes that try choices.
    progress : Progress, optional
    """
    progress = progress or QuietProgress()
    tried = _search(images, scores, config, n_jobs, progress)
    C, loss = _best(tried, config).choice if tried else _first_choices(config)[0]
    potentials = config.crf_potentials(loss)
    instances = _instances(images, scores, potentials)
    rounds = _count_rounds(images, config)
    model = make_crf(config, C, scores, step_reporter(progress, LEARNING, rounds))
    model.fit(instances)
    model.callback = None  # it refers to the display
    parts = scored_parts(model, images, scores, potentials)
    threshold = best_threshold(parts, config.select)
    if tried:  # CRFs are less confident on images that they did not learn from
        pairs = zip(_best(tried, config).margins, images, strict=True)
        threshold += best_threshold(((m, *image.truth) for m, image in pairs), config.select)
    # Not from the margins above: a CRF of fewer images has scores of another scale. On synthetic
    # sets of 12 to 60 images, using them doubled the calibration error on new images.
    calibration = fit_calibration((node - threshold, fore, back) for node, fore, back in parts)
    trials = tuple(t.trial for t in tried)
    return LearnedCRF(model, potentials, C, trials, threshold, calibration)


def _count_rounds(images: Sequence[SuperpixelImage], config: SegmentationConfig) -> int | None:
    """Return the number of rounds of the fit, None if it is not known beforehand.

    A structured SVM adds cutting planes until its gap is closed; partial labels take two fits.
    """
    partial = any((image.labelled == 0).any() for image in images)
    return config.n_iterations if config.method == "structboost" and not partial else None


def _search(
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    config: SegmentationConfig,
    n_jobs: int,
    progress: Progress,
) -> list[_Tried]:
    """Return the trials: of every C with the first loss, then of the other losses at the best C."""
    of_C = _first_choices(config)
    n_choices = len(of_C) + len(config.losses) - 1
    if n_choices == 1:
        return []
    if len(images) < 2 and len(of_C) == 1:
        return []  # C is given, and the loss cannot be compared: the first one is used
    if len(images) < 2:
        raise ValueError(SINGLE_IMAGE)
    tried: list[_Tried] = []

    def run(choices: Sequence[Choice]) -> None:
        ended: list[_Tried] = []
        for one in _try_all(images, scores, config, choices, n_jobs):
            ended.append(one)
            so_far = [*tried, *ended]
            best = _best(so_far, config).trial
            score = getattr(best.scores, config.select)
            note = describe_best(best.C, best.loss, config.select, score)
            progress(Report(CHOOSING, len(so_far), n_choices, note))
        tried.extend(sorted(ended, key=lambda t: choices.index(t.choice)))

    progress(Report(CHOOSING, 0, n_choices))
    run(of_C)
    run([(_best(tried, config).trial.C, loss) for loss in config.losses[1:]])
    return tried


def describe_best(C: float, loss: str, measure: str, score: float) -> str:
    """Return the line that reports the best trial so far."""
    name = measure.replace("_", " ").replace("iou", "IoU")
    return f"best so far: C = {C:g}, loss by {loss}, validation {name} {score:.4f}"


def _try_all(
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    config: SegmentationConfig,
    choices: Sequence[Choice],
    n_jobs: int,
) -> Iterator[_Tried]:
    """Yield one trial per choice, in the order in which they finish."""
    n = len(images)
    blocks = np.array_split(np.arange(n), min(config.validation_blocks, n))
    tasks = [(choice, int(b[0]), int(b[-1]) + 1) for choice in choices for b in blocks]
    shared = (images, scores, config)
    found: dict[Choice, dict[int, list[FloatArray]]] = {choice: {} for choice in choices}
    for choice, first, margins in map_tasks(_try, shared, tasks, n_jobs, ordered=False):
        found[choice][first] = margins
        if len(found[choice]) == len(blocks):
            in_order = [m for _, part in sorted(found[choice].items()) for m in part]
            trial = Trial(choice[0], choice[1], score_margins(images, in_order))
            yield _Tried(trial, in_order)


def _best(tried: Sequence[_Tried], config: SegmentationConfig) -> _Tried:
    return max(tried, key=lambda t: float(getattr(t.trial.scores, config.select)))


def _instances(
    images: Sequence[SuperpixelImage], scores: Sequence[FloatArray], potentials: PotentialSettings
) -> list[CRFInstance]:
    """Return the CRFs of images with their labels, weighted by the loss."""
    weight = loss_weights(images, potentials.loss, 2)
    pairs = zip(images, scores, strict=True)
    return [crf_instance(i, s, potentials, class_weight=weight) for i, s in pairs]


def crf_threshold(
    model: CRFModel,
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    potentials: PotentialSettings,
    measure: Measure = "mean_iou",
) -> float:
    """Return the best threshold on node scores, with the out-of-fold unaries of the images."""
    return best_threshold(scored_parts(model, images, scores, potentials), measure)


def scored_parts(
    model: CRFModel,
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    potentials: PotentialSettings,
) -> list[tuple[FloatArray, Int64Array, Int64Array]]:
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

    Pairwise learners of StructBoost only increase: a larger potential always favours equal labels.
    Unary learners may decrease if there are enough images: a score that detects the scene can
    correct one that mixes object and scene. With few images such a sign is random, and it inverts
    predictions if the final classifiers are more confident than the out-of-fold ones.
    """
    if config.method == "ssvm":
        return CRFStructuredSVM(C=C, callback=callback)
    n_rising = 0 if len(scores) >= ENOUGH_IMAGES else scores[0].shape[1]
    return CRFStructBoost(
        C=C,
        n_iterations=config.n_iterations,
        gap=CRF_GAP,
        weak_learner=RampLearner(min_width=config.ramp_width, n_rising=n_rising),
        pairwise_learner=RampLearner(n_rising=None),
        random_state=config.seed,
        callback=callback,
    )


def _first_choices(config: SegmentationConfig) -> list[Choice]:
    values = config.C_choices if config.C is None else (config.C,)
    return [(C, config.losses[0]) for C in values]


def _try(
    shared: tuple[Sequence[SuperpixelImage], Sequence[FloatArray], SegmentationConfig],
    part: tuple[Choice, int, int],
) -> tuple[Choice, int, list[FloatArray]]:
    """Return the node scores of images first to stop minus the threshold, by a CRF of the rest."""
    images, scores, config = shared
    choice, first, stop = part
    C, loss = choice
    potentials = config.crf_potentials(loss)
    known = [*images[:first], *images[stop:]]
    known_scores = [*scores[:first], *scores[stop:]]
    model = make_crf(config, C, known_scores).fit(_instances(known, known_scores, potentials))
    threshold = crf_threshold(model, known, known_scores, potentials, config.select)
    held = scored_parts(model, images[first:stop], scores[first:stop], potentials)
    return choice, first, [node - threshold for node, _, _ in held]


def score_margins(
    images: Sequence[SuperpixelImage], margins: Sequence[FloatArray]
) -> SegmentationScores:
    """Evaluate node scores minus the threshold over all images."""
    evaluation = SegmentationEvaluation()
    for image, margin in zip(images, margins, strict=True):
        evaluation.add_regions(margin > 0, *image.truth, margin)
    return evaluation.result()
