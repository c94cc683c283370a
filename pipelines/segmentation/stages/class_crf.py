"""The CRF of several classes: choose C and loss by cross-validation, then learn it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from segboost._types import FloatArray, Int64Array
from segboost.baselines.crf_structured_svm import CRFStructuredSVM
from segboost.estimators.crf import CRFStructBoost
from segboost.pipelines.runtime.parallel_map import map_tasks
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import Loss, PotentialSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix
from segboost.pipelines.segmentation.potentials.crf.class_crf_potentials import (
    class_instance,
    crf_class_scores,
)
from segboost.pipelines.segmentation.potentials.crf.crf_potentials import CRFModel, loss_weights
from segboost.pipelines.segmentation.stages.crf import (
    CHOOSING,
    ENOUGH_IMAGES,
    LEARNING,
    SINGLE_IMAGE,
    Choice,
    describe_best,
)
from segboost.progress import Progress, Report, step_reporter
from segboost.weak.ramp import RampLearner

MOST_GRAPHS = 120
"""The largest number of images to learn a CRF from, evenly spread: it has few weights, and
learning them takes time in proportion to images and classes."""
CLASS_GAP = 1e-2
"""Gap of the cutting planes. Inference is approximate, so a smaller gap would not be meaningful."""


@dataclass(frozen=True, eq=False)
class ClassCRFData:
    """What a CRF is learned from.

    Parameters
    ----------
    images : sequence of SuperpixelImage
        With their truth.
    scores : sequence of ndarray of shape (P, K)
        Their out-of-fold log-probabilities.
    config : SegmentationConfig
    n_classes : int
    """

    images: Sequence[SuperpixelImage]
    scores: Sequence[FloatArray]
    config: SegmentationConfig
    n_classes: int

    def at(self, numbers: Sequence[int]) -> ClassCRFData:
        """Return the data of some of the images."""
        images, scores = [self.images[n] for n in numbers], [self.scores[n] for n in numbers]
        return replace(self, images=images, scores=scores)


@dataclass(frozen=True)
class ClassTrial:
    """A choice of C and loss with its measures on the validation images."""

    C: float
    loss: Loss
    mean_iou: float
    mean_recall: float
    accuracy: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class LearnedClassCRF:
    """The CRF of all training images, and how its settings were chosen."""

    model: CRFModel
    potentials: PotentialSettings
    C: float
    trials: tuple[ClassTrial, ...]


def learn_class_crf(data: ClassCRFData, n_jobs: int, progress: Progress) -> LearnedClassCRF:
    """Choose C and loss on blocks of the images, then learn from all of them."""
    thin, config = _thinned(data), data.config
    trials = _search(thin, n_jobs, progress)
    best = _best(trials, config)
    C, loss = (best.C, best.loss) if best else _choices(config)[0]
    rounds = config.n_iterations if config.method == "structboost" else None
    report = step_reporter(progress, LEARNING, rounds)
    model = make_class_crf(config, C, len(thin.images), thin.n_classes, report)
    _fit(model, thin, loss)
    model.callback = None  # it refers to the display
    return LearnedClassCRF(model, config.crf_potentials(loss), C, tuple(trials))


def make_class_crf(
    config: SegmentationConfig,
    C: float,
    n_images: int,
    n_classes: int,
    callback: Callable[[Any], Any] | None = None,
) -> CRFModel:
    """Return the unfitted learner of the config's method.

    All classes share the functions of their log-probabilities: rare classes have too few
    superpixels for separate functions, and a bias per class would only reflect the training images.
    As with two classes, these functions only increase if there are few images.
    """
    if config.method == "ssvm":
        return CRFStructuredSVM(
            C=C, fit_intercept=False, unary="shared", n_classes=n_classes, callback=callback
        )
    n_rising = 0 if n_images >= ENOUGH_IMAGES else 1
    return CRFStructBoost(
        C=C,
        n_iterations=config.n_iterations,
        gap=CLASS_GAP,
        weak_learner=RampLearner(min_width=config.ramp_width, n_rising=n_rising),
        pairwise_learner=RampLearner(n_rising=None),
        fit_intercept=False,
        unary="shared",
        n_classes=n_classes,
        random_state=config.seed,
        callback=callback,
    )


def node_scores(
    model: CRFModel,
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    potentials: PotentialSettings,
    n_classes: int,
) -> list[FloatArray]:
    """Return the scores of the classes at every superpixel of every image, shape (P, K) each."""
    pairs = zip(images, scores, strict=True)
    return [crf_class_scores(model, i, s, potentials, n_classes) for i, s in pairs]


def _thinned(data: ClassCRFData) -> ClassCRFData:
    """Return the data with `MOST_GRAPHS` images, and more if classes would be lost."""
    images = data.images
    if len(images) <= MOST_GRAPHS:
        return data
    chosen = set(np.linspace(0, len(images) - 1, MOST_GRAPHS).round().astype(int).tolist())
    for k in range(data.n_classes):
        shown = [n for n, image in enumerate(images) if image.class_counts[:, k].any()]
        if shown and not chosen.intersection(shown):
            chosen.add(shown[len(shown) // 2])
    return data.at(sorted(chosen))


def _choices(config: SegmentationConfig) -> list[Choice]:
    values = config.C_choices if config.C is None else (config.C,)
    return [(C, config.losses[0]) for C in values]


def _search(data: ClassCRFData, n_jobs: int, progress: Progress) -> list[ClassTrial]:
    """Return the trials: of every C with the first loss, then of the other losses at the best C."""
    images, config = data.images, data.config
    first = _choices(config)
    n_choices = len(first) + len(config.losses) - 1
    if n_choices == 1 or (len(images) < 2 and len(first) == 1):
        return []
    if len(images) < 2:
        raise ValueError(SINGLE_IMAGE)
    progress(Report(CHOOSING, 0, n_choices))
    trials = _try_all(data, first, n_jobs)
    progress(Report(CHOOSING, len(trials), n_choices, _describe(trials, config)))
    best = _best(trials, config)
    assert best is not None
    trials += _try_all(data, [(best.C, loss) for loss in config.losses[1:]], n_jobs)
    progress(Report(CHOOSING, len(trials), n_choices, _describe(trials, config)))
    return trials


def _best(trials: Sequence[ClassTrial], config: SegmentationConfig) -> ClassTrial | None:
    return max(trials, key=lambda t: float(getattr(t, config.select)), default=None)


def _describe(trials: Sequence[ClassTrial], config: SegmentationConfig) -> str:
    best = _best(trials, config)
    assert best is not None
    score = getattr(best, config.select)
    return describe_best(best.C, best.loss, config.select, score)


def _try_all(data: ClassCRFData, choices: Sequence[Choice], n_jobs: int) -> list[ClassTrial]:
    """Return one trial per choice: every block of images is labelled by a CRF of the rest."""
    n, n_classes = len(data.images), data.n_classes
    blocks = np.array_split(np.arange(n), min(data.config.validation_blocks, n))
    tasks = [(choice, int(b[0]), int(b[-1]) + 1) for choice in choices for b in blocks]
    found: dict[Choice, ConfusionMatrix] = {c: ConfusionMatrix.empty(n_classes) for c in choices}
    for (choice, _, _), matrix in zip(tasks, map_tasks(_try, data, tasks, n_jobs), strict=True):
        found[choice] += matrix
    return [
        ClassTrial(C, loss, m.mean_iou, m.mean_recall, m.accuracy) for (C, loss), m in found.items()
    ]


def _try(data: ClassCRFData, part: tuple[Choice, int, int]) -> ConfusionMatrix:
    """Return the confusion matrix of images first to stop, labelled by a CRF of the others."""
    (C, loss), first, stop = part
    known = data.at([*range(first), *range(stop, len(data.images))])
    held = data.at(range(first, stop))
    model = make_class_crf(data.config, C, len(known.images), data.n_classes)
    _fit(model, known, loss)
    potentials = data.config.crf_potentials(loss)
    scores = node_scores(model, held.images, held.scores, potentials, data.n_classes)
    labels = [np.argmax(s, axis=1) for s in scores]
    return ConfusionMatrix.of_regions(np.concatenate(labels), all_counts(held.images))


def all_counts(images: Sequence[SuperpixelImage]) -> Int64Array:
    """Return the true pixels of every superpixel of all images, shape (N, K)."""
    return np.concatenate([i.class_counts for i in images])


def _fit(model: Any, data: ClassCRFData, loss: Loss) -> None:
    potentials = data.config.crf_potentials(loss)
    weight = loss_weights(data.images, loss, data.n_classes)
    pairs = zip(data.images, data.scores, strict=True)
    model.fit([class_instance(i, s, potentials, weight) for i, s in pairs])
