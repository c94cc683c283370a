"""The data that a report shows about a run with several classes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from segboost._types import FloatArray
from segboost.io.legend import ClassLegend
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.images.working_size import reduce_items
from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix
from segboost.pipelines.segmentation.metrics.predictions import ClassPrediction, ImagePrediction
from segboost.pipelines.segmentation.model.class_segmenter import ClassSegmentationModel
from segboost.progress import Progress, track
from segboost.report.run_data.class_pictures import draw_class_pictures
from segboost.report.run_data.load_runs import Run
from segboost.report.run_data.measurements import choose_images
from segboost.report.run_data.pictures import Pictures
from segboost.report.run_data.tested_images import find_predictions, find_test_items


@dataclass(frozen=True, eq=False)
class ClassMeasurements:
    """Confusion matrices over all test images and of each image."""

    matrix: ConfusionMatrix
    images: dict[str, ConfusionMatrix]

    def ranked(self) -> list[str]:
        """Return the image names ordered by mean IoU, worst first."""
        value = {name: matrix.mean_iou for name, matrix in self.images.items()}
        return sorted(value, key=lambda name: (value[name], name))


@dataclass(frozen=True, eq=False)
class ShownClasses:
    """A test image shown in the report."""

    name: str
    rank: str
    pictures: Pictures
    matrix: ConfusionMatrix


@dataclass(frozen=True, eq=False)
class ClassReportData:
    """Contents of the report on a data set of several classes.

    Parameters
    ----------
    main : Run
        The run shown in detail.
    runs : list of Run
    legend : ClassLegend
    measured : dict of method to ClassMeasurements
        For all runs whose predictions are known.
    images : list of ShownClasses
        The worst, median and best.
    reliability : ndarray of shape (B, 3) or None
        Mean probability, share of that class, and share of all pairs of pixel and class.
    missing_reason : str
        Why images are missing; empty if all are shown.
    """

    main: Run
    runs: list[Run]
    legend: ClassLegend
    measured: dict[str, ClassMeasurements]
    images: list[ShownClasses]
    reliability: FloatArray | None
    missing_reason: str


def collect_classes(
    runs: Sequence[Run],
    data_root: str | os.PathLike[str] | None,
    n_jobs: int,
    progress: Progress,
    widest: int,
) -> ClassReportData:
    """Collect the contents of the report on one data set of several classes.

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
    items, missing_reason = find_test_items(main, data_root)
    predictions = {run.method: find_predictions(run, items, n_jobs, progress) for run in runs}
    measured = {method: measure_classes(found) for method, found in predictions.items() if found}
    own = measured.get(main.method)
    shown: list[ShownClasses] = []
    if own is not None and items:
        ranks = choose_images(own.ranked())
        wanted = [(name, rank) for rank, names in ranks.items() for name in names]
        model = main.model
        assert isinstance(model, ClassSegmentationModel)
        for name, rank in track(wanted, progress, "pictures", len(wanted)):
            if name in items:
                pictures = _look(model, items[name], widest)
                shown.append(ShownClasses(name, rank, pictures, own.images[name]))
        if len(shown) < len(wanted):
            missing_reason = (
                f"{len(wanted) - len(shown)} of {len(wanted)} images were changed or deleted."
            )
    bins = class_reliability(predictions[main.method]) if predictions[main.method] else None
    return ClassReportData(main, list(runs), main.legend, measured, shown, bins, missing_reason)


def measure_classes(predictions: Mapping[str, ImagePrediction]) -> ClassMeasurements:
    """Return the confusion matrices over all images and of each image."""
    images = {name: found.matrix for name, found in predictions.items()}
    total = sum((m.counts for m in images.values()), np.int64(0))
    return ClassMeasurements(ConfusionMatrix(np.asarray(total)), images)


def class_reliability(predictions: Mapping[str, ImagePrediction]) -> FloatArray:
    """Return mean probability, share of the class and share of all pairs per bin, shape (B, 3)."""
    bins = [a.calibration for a in predictions.values() if isinstance(a, ClassPrediction)]
    held, right, count = np.sum(bins, axis=0).T
    used = count > 0
    n = count[used]
    return np.column_stack([held[used] / n, right[used] / n, n / n.sum()])


def _look(model: ClassSegmentationModel, item: TrainingImage, widest: int) -> Pictures:
    """Segment one image at the model's working size, as in the evaluation; return its pictures."""
    (small,) = reduce_items([item], model.config.longest_side)
    image, truth = small.image(), small.mask()
    with single_threaded():
        scores = model.score_pixels(model.prepare(image, item.name))
        confidence = model.probabilities(scores).max(axis=2)
    mask = np.argmax(scores, axis=2).astype(np.uint8)
    return draw_class_pictures(image[..., :3], truth, mask, confidence, model.legend, widest)
