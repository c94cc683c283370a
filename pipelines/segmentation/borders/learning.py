"""Learn to refine borders, from pixels near those that the CRF found on training images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from segboost._types import Float32Array, FloatArray, Int64Array
from segboost.boosting.settings import BoosterSettings
from segboost.pipelines.runtime.parallel_map import map_tasks
from segboost.pipelines.segmentation.borders.border_band import band_pixels, border_distance
from segboost.pipelines.segmentation.borders.refinement import (
    BorderRefinement,
    margins,
    pixel_describer,
)
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings, Measure
from segboost.pipelines.segmentation.decisions.calibration import Calibration, fit_calibration
from segboost.pipelines.segmentation.decisions.threshold import best_threshold
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.metrics.scores import region_counts
from segboost.pipelines.segmentation.potentials.out_of_fold import in_threads, learn_out_of_fold
from segboost.pipelines.segmentation.potentials.table_trees import TableLearner
from segboost.progress import Progress, Report

BORDERS = "borders"
"""The name of the stage in progress reports."""
FEWEST_PIXELS = 500
"""Minimum number of labelled pixels near borders; with fewer, nothing is refined.

Counted per class with two classes, in total with more.
"""
FIXED = 1e6
"""The score given to pixels outside the refined band when the threshold is chosen."""


@dataclass(frozen=True, eq=False)
class PixelTable:
    """Sampled pixels near the borders of one image, and pixel counts away from them.

    Parameters
    ----------
    columns : ndarray of float32, shape (n, D)
    labels : ndarray of int64, shape (n,)
    superpixel : ndarray of int64, shape (n,)
    weight : int
        Number of labelled pixels of the band that each sample represents.
    margin : ndarray of shape (P,)
    foreground, background : ndarray of int64, shape (P,)
        Labelled pixels of every superpixel away from the border.
    """

    columns: Float32Array
    labels: Int64Array
    superpixel: Int64Array
    weight: int
    margin: FloatArray
    foreground: Int64Array
    background: Int64Array


@dataclass(frozen=True, eq=False)
class LearnedBorders:
    """The refinement, and the calibration of the scores after it."""

    refinement: BorderRefinement
    calibration: Calibration


def sample_band(
    shared: tuple[Calibration, BorderSettings, int],
    given: tuple[int, SuperpixelImage, FloatArray, Any],
) -> PixelTable:
    """Return pixels near the border of one image.

    Parameters
    ----------
    shared : tuple of (Calibration, BorderSettings, int)
        The last is the random seed.
    given : tuple of (int, SuperpixelImage, ndarray, ndarray)
        The number of the image, the image with its pixels, the scores of its superpixels and its
        mask.
    """
    calibration, settings, seed = shared
    number, image, node, mask = given
    margin = margins(calibration, node)
    distance = border_distance((margin > 0)[image.superpixels])
    rows, columns = band_pixels(distance, settings.width)
    labelled = np.flatnonzero(mask[rows, columns] != 255)
    away = mask.copy()
    away[rows, columns] = 255
    foreground, background = region_counts(image.superpixels, away)
    count = min(settings.pixels_per_image, labelled.size)
    rng = np.random.default_rng([seed, 4, number])
    chosen = np.sort(rng.choice(labelled, count, replace=False))
    rows, columns = rows[chosen], columns[chosen]
    describe = pixel_describer(image, margin, distance, settings)
    return PixelTable(
        describe(rows, columns),
        (mask[rows, columns] == 1).astype(np.int64),
        image.superpixels[rows, columns].astype(np.int64),
        max(1, round(labelled.size / max(count, 1))),
        margin,
        foreground,
        background,
    )


def learn_borders(
    images: Sequence[SuperpixelImage],
    items: Sequence[TrainingImage],
    nodes: Sequence[FloatArray],
    fold: Int64Array,
    calibration: Calibration,
    settings: BorderSettings,
    booster: BoosterSettings,
    seed: int,
    n_jobs: int,
    progress: Progress,
    measure: Measure = "mean_iou",
) -> LearnedBorders | None:
    """Learn the refinement; None if there are too few labelled pixels near borders.

    Parameters
    ----------
    images : sequence of SuperpixelImage
    items : sequence of TrainingImage
        The same images, with pixels and masks.
    nodes : sequence of ndarray of shape (P,)
        Scores of the superpixels minus the threshold, from out-of-fold unaries.
    fold : ndarray of int, shape (N,)
        The folds of all superpixels.
    calibration : Calibration
        Maps these scores to probabilities.
    settings : BorderSettings
    booster : BoosterSettings
    seed : int
    n_jobs : int
    progress : Progress
    measure : "mean_iou", "mean_recall" or "accuracy"
        The measure by which the threshold of the refined scores is chosen.
    """
    tables = []
    given = list(zip(range(len(images)), images, nodes, items, strict=True))
    shared = (calibration, settings, seed)
    made = map_tasks(sample_band, shared, given, n_jobs, prepare=_read)
    progress(Report(BORDERS, 0, len(given)))
    for table in made:
        tables.append(table)
        progress(Report(BORDERS, len(tables), len(given)))
    labels = np.concatenate([t.labels for t in tables])
    if np.bincount(labels, minlength=2).min() < FEWEST_PIXELS:
        return None
    starts = np.cumsum([0, *(i.n_superpixels for i in images)])
    learner = TableLearner(
        np.concatenate([t.columns for t in tables]),
        labels,
        np.concatenate([np.full(len(t.labels), float(t.weight)) for t in tables]),
        np.concatenate([fold[s + t.superpixel] for s, t in zip(starts[:-1], tables, strict=True)]),
        booster,
        (seed, 3),
    )
    learned = learn_out_of_fold(learner, in_threads(n_jobs))
    scores = np.split(learned.out_of_fold, np.cumsum([len(t.labels) for t in tables])[:-1])
    threshold = best_threshold([*_band_parts(tables, scores), *map(_fixed_part, tables)], measure)
    refinement = BorderRefinement(learned.model, calibration, threshold, settings)
    final = [*_band_parts(tables, [s - threshold for s in scores])]
    final += [(t.margin, t.foreground, t.background) for t in tables]
    return LearnedBorders(refinement, fit_calibration(final))


def _read(given: tuple[int, SuperpixelImage, FloatArray, Any]) -> tuple[Any, ...]:
    number, image, node, item = given
    return number, replace(image, pixels=item.image()[..., :3]), node, item.mask()


Part = tuple[FloatArray, Int64Array, Int64Array]


def _band_parts(tables: Sequence[PixelTable], scores: Sequence[FloatArray]) -> list[Part]:
    """Return scores and counts of the sampled pixels, weighted by the pixels they represent."""
    return [
        (score, t.labels * t.weight, (1 - t.labels) * t.weight)
        for t, score in zip(tables, scores, strict=True)
    ]


def _fixed_part(table: PixelTable) -> Part:
    """Return the pixels away from borders, with scores that no threshold changes."""
    score = np.where(table.margin > 0, FIXED, -FIXED)
    return score, table.foreground, table.background
