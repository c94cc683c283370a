"""Learn to classify the doubtful pixels near borders between several classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import log_softmax

from segboost._types import Float32Array, FloatArray, Int64Array
from segboost.boosting.settings import BoosterSettings
from segboost.io.legend import VOID
from segboost.pipelines.runtime.parallel_map import map_tasks
from segboost.pipelines.segmentation.borders.class_refinement import (
    ClassRefinement,
    doubtful_pixels,
    pixel_describer,
)
from segboost.pipelines.segmentation.borders.learning import BORDERS, FEWEST_PIXELS
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.metrics.confusion import class_counts
from segboost.pipelines.segmentation.potentials.class_table_trees import ClassTableLearner
from segboost.pipelines.segmentation.potentials.class_truth import BALANCE
from segboost.pipelines.segmentation.potentials.out_of_fold import in_threads, learn_out_of_fold
from segboost.progress import Progress, Report


@dataclass(frozen=True, eq=False)
class DoubtfulPixels:
    """Sampled doubtful pixels of one image, and pixel counts away from them.

    Parameters
    ----------
    columns : ndarray of float32, shape (n, D)
    labels, superpixel : ndarray of int64, shape (n,)
    weight : float
        Number of labelled doubtful pixels that each sample represents.
    away : ndarray of int64, shape (P, K)
        Labelled pixels of every superpixel that are not doubtful, by class.
    """

    columns: Float32Array
    labels: Int64Array
    superpixel: Int64Array
    weight: float
    away: Int64Array


@dataclass(frozen=True, eq=False)
class LearnedRefinement:
    """The refinement, with the out-of-fold scores of all training pixels, for the offsets.

    Parameters
    ----------
    refinement : ClassRefinement
    scores : ndarray of shape (M, K)
        Log-probabilities of sampled pixels and of superpixels away from them.
    counts : ndarray of int64, shape (M, K)
        Their true pixels by class.
    fold : ndarray of int64, shape (M,)
    """

    refinement: ClassRefinement
    scores: FloatArray
    counts: Int64Array
    fold: Int64Array


def sample_doubtful(
    shared: tuple[BorderSettings, int, int], given: tuple[int, SuperpixelImage, FloatArray, Any]
) -> DoubtfulPixels:
    """Return doubtful pixels of one image.

    Parameters
    ----------
    shared : tuple of (BorderSettings, int, int)
        The settings, the random seed and the number of classes.
    given : tuple of (int, SuperpixelImage, ndarray, ndarray)
        The number of the image, the image with its pixels, the log-probabilities of its
        superpixels and its mask.
    """
    settings, seed, n_classes = shared
    number, image, nodes, mask = given
    doubtful = doubtful_pixels(image, nodes, settings.width)
    rows, columns = np.nonzero(doubtful & (mask != VOID))
    away = class_counts(image.superpixels, np.where(doubtful, VOID, mask), n_classes)
    count = min(settings.pixels_per_image, rows.size)
    rng = np.random.default_rng([seed, 4, number])
    chosen = np.sort(rng.choice(rows.size, count, replace=False))
    n_labelled, rows, columns = rows.size, rows[chosen], columns[chosen]
    return DoubtfulPixels(
        pixel_describer(image, nodes, settings)(rows, columns),
        mask[rows, columns].astype(np.int64),
        image.superpixels[rows, columns].astype(np.int64),
        n_labelled / max(count, 1),
        away,
    )


def learn_refinement(
    images: Sequence[SuperpixelImage],
    items: Sequence[TrainingImage],
    nodes: Sequence[FloatArray],
    fold: Int64Array,
    settings: BorderSettings,
    booster: BoosterSettings,
    seed: int,
    n_jobs: int,
    progress: Progress,
) -> LearnedRefinement | None:
    """Learn the refinement; None if doubtful labelled pixels are too few or of one class.

    Parameters
    ----------
    images : sequence of SuperpixelImage
    items : sequence of TrainingImage
        The same images, with pixels and masks.
    nodes : sequence of ndarray of shape (P, K)
        Log-probabilities of the superpixels, from out-of-fold unaries.
    fold : ndarray of int, shape (N,)
        The folds of all superpixels.
    settings : BorderSettings
    booster : BoosterSettings
    seed : int
    n_jobs : int
    progress : Progress
    """
    n_classes = nodes[0].shape[1]
    given = list(zip(range(len(images)), images, nodes, items, strict=True))
    tables = []
    progress(Report(BORDERS, 0, len(given)))
    shared = (settings, seed, n_classes)
    for table in map_tasks(sample_doubtful, shared, given, n_jobs, prepare=_read):
        tables.append(table)
        progress(Report(BORDERS, len(tables), len(given)))
    labels = np.concatenate([t.labels for t in tables])
    if len(labels) < FEWEST_PIXELS or (labels == labels[0]).all():
        return None
    represented = np.concatenate([np.full(len(t.labels), t.weight) for t in tables])
    share = np.bincount(labels, represented, n_classes) / represented.sum()
    emphasis = np.maximum(share, 1e-4) ** -BALANCE
    starts = np.cumsum([0, *(i.n_superpixels for i in images)])[:-1]
    learner = ClassTableLearner(
        np.concatenate([t.columns for t in tables]),
        labels,
        n_classes,
        represented * emphasis[labels],
        np.concatenate([fold[s + t.superpixel] for s, t in zip(starts, tables, strict=True)]),
        booster,
        (seed, 3),
    )
    learned = learn_out_of_fold(learner, in_threads(n_jobs), "in sample")
    pixels = np.zeros(learned.out_of_fold.shape, np.int64)
    pixels[np.arange(len(labels)), labels] = np.maximum(np.rint(represented), 1)
    return LearnedRefinement(
        ClassRefinement(learned.model, settings),
        np.concatenate([log_softmax(learned.out_of_fold, axis=1), *nodes]),
        np.concatenate([pixels, *(t.away for t in tables)]),
        np.concatenate([learner.fold, fold]),
    )


def _read(given: tuple[int, SuperpixelImage, FloatArray, Any]) -> tuple[Any, ...]:
    number, image, nodes, item = given
    return number, replace(image, pixels=item.image()), nodes, item.mask()
