"""The data that a report shows about one data set, computed from the runs on it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from segboost._types import FloatArray
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.images.working_size import reduce_items
from segboost.pipelines.segmentation.metrics.predictions import ImagePrediction, RegionPrediction
from segboost.pipelines.segmentation.metrics.scores import PixelCounts
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.pipelines.segmentation.model.segmenter_files import as_two_class_model
from segboost.pipelines.segmentation.potentials.crf.crf_potentials import pairwise
from segboost.progress import Progress, track
from segboost.report.run_data.learned_functions import LearnedCRF, learned_functions
from segboost.report.run_data.load_runs import Run
from segboost.report.run_data.measurements import Measurements, choose_images, measure, reliability
from segboost.report.run_data.pictures import Pictures, draw_pictures
from segboost.report.run_data.tested_images import find_predictions, find_test_items

Values = dict[str, FloatArray]
FOREGROUND, BACKGROUND = "front", "back"
"""Kinds of values: foreground and background superpixels, or pairs across and within regions."""


@dataclass(frozen=True, eq=False)
class ShownImage:
    """A test image shown in the report."""

    name: str
    rank: str
    pictures: Pictures
    counts: PixelCounts


@dataclass(frozen=True, eq=False)
class ReportData:
    """Contents of the report on a data set of two classes.

    Parameters
    ----------
    main : Run
        The run shown in detail.
    runs : list of Run
    measured : dict of method to Measurements
        For all runs whose predictions are known.
    images : list of ShownImage
        The worst, median and best.
    functions : LearnedCRF or None
    unary_values, pairwise_values : list of Values
        Values of the potentials in the shown images; empty if there are no such images.
    reliability : ndarray of shape (B, 3) or None
    missing_reason : str
        Why images are missing; empty if all are shown.
    """

    main: Run
    runs: list[Run]
    measured: dict[str, Measurements]
    images: list[ShownImage]
    functions: LearnedCRF | None
    unary_values: list[Values]
    pairwise_values: list[Values]
    reliability: FloatArray | None
    missing_reason: str


def collect(
    runs: Sequence[Run],
    data_root: str | os.PathLike[str] | None,
    n_jobs: int,
    progress: Progress,
    widest: int,
) -> ReportData:
    """Collect the contents of the report on one data set of two classes.

    Parameters
    ----------
    runs : sequence of Run
        All runs on this data set, ordered by method; the first is shown in detail.
    data_root : path, optional
    n_jobs : int
        Number of processes, if predictions have to be recomputed.
    progress : Progress
    widest : int
        Maximum width and height of the pictures in pixels.
    """
    main = runs[0]
    model = as_two_class_model(main.model)
    items, missing_reason = find_test_items(main, data_root)
    predictions = {
        run.method: _regions(find_predictions(run, items, n_jobs, progress)) for run in runs
    }
    measured = {method: measure(found) for method, found in predictions.items() if found}
    own = measured.get(main.method)
    shown: list[ShownImage] = []
    seen: list[tuple[SuperpixelImage, FloatArray]] = []
    if own is not None and items:
        ranks = choose_images(own.ranked())
        wanted = [(name, rank) for rank, names in ranks.items() for name in names]
        for name, rank in track(wanted, progress, "pictures", len(wanted)):
            if name in items:
                pictures, prepared = _look(model, items[name], widest)
                shown.append(ShownImage(name, rank, pictures, own.images[name]))
                seen.append(prepared)
        if len(shown) < len(wanted):
            missing_reason = (
                f"{len(wanted) - len(shown)} of {len(wanted)} images were changed or deleted."
            )
    calibration, found = model.calibration, predictions[main.method]
    return ReportData(
        main,
        list(runs),
        measured,
        shown,
        learned_functions(model),
        _unary_values(seen),
        _pairwise_values(model, seen),
        reliability(found, calibration) if found and calibration is not None else None,
        missing_reason,
    )


def _regions(predictions: Mapping[str, ImagePrediction]) -> dict[str, RegionPrediction]:
    return {
        name: found for name, found in predictions.items() if isinstance(found, RegionPrediction)
    }


def _look(
    model: SegmentationModel, item: TrainingImage, widest: int
) -> tuple[Pictures, tuple[SuperpixelImage, FloatArray]]:
    """Segment one image; return its pictures and its potentials.

    Everything is at the model's working size, as in the evaluation.
    """
    (small,) = reduce_items([item], model.config.longest_side)
    image, truth = small.image(), small.mask()
    with single_threaded():
        prepared = model.prepare(image, item.name)
        scores = model.score_pixels(prepared)
        unary = model.unary.scores(prepared) if model.crf is not None else np.zeros((0, 0))
    mask = (scores > 0).astype(np.uint8)
    pictures = draw_pictures(image[..., :3], truth, mask, _heat(model, scores), widest)
    return pictures, (prepared.with_truth(truth).without_groups(), unary)


def _heat(model: SegmentationModel, scores: FloatArray) -> FloatArray:
    """Return the probability, or a score squashed to [0, 1] if the model is not calibrated."""
    if model.calibration is not None:
        return model.calibration(scores)
    scale = float(np.abs(scores).mean()) or 1.0
    return np.asarray(1.0 / (1.0 + np.exp(-2.0 * scores / scale)))


def _unary_values(seen: Sequence[tuple[SuperpixelImage, FloatArray]]) -> list[Values]:
    if not seen or not seen[0][1].size:
        return []
    scores = np.concatenate([unary for _, unary in seen])
    labels = np.concatenate([image.labels for image, _ in seen])
    known = np.concatenate([image.labelled for image, _ in seen]) > 0
    front, back = known & (labels == 1), known & (labels == 0)
    return [{BACKGROUND: column[back], FOREGROUND: column[front]} for column in scores.T]


def _pairwise_values(
    model: SegmentationModel, seen: Sequence[tuple[SuperpixelImage, FloatArray]]
) -> list[Values]:
    if not seen or not seen[0][1].size:
        return []
    columns = np.concatenate([pairwise(image, unary, model.potentials) for image, unary in seen])
    border = np.concatenate(
        [image.labels[image.edges[:, 0]] != image.labels[image.edges[:, 1]] for image, _ in seen]
    )
    return [{BACKGROUND: column[~border], FOREGROUND: column[border]} for column in columns.T]
