"""The test images of a finished run, and the predictions of its model."""

from __future__ import annotations

import os
from collections.abc import Mapping

from segboost.datasets.base import DatasetError
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.segmentation.evaluation import evaluate_model
from segboost.pipelines.segmentation.images.crops import crop_items
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.metrics.predictions import ImagePrediction
from segboost.pipelines.segmentation.recorded_data import recorded_dataset
from segboost.pipelines.segmentation.saved_predictions import SavedPrediction
from segboost.progress import Progress
from segboost.report.run_data.load_runs import Run


def find_test_items(
    run: Run, data_root: str | os.PathLike[str] | None
) -> tuple[dict[str, TrainingImage], str]:
    """Return the unchanged test images by name, and a message if there are none."""
    if run.document["test"] is None:
        return {}, "The run had no test images."
    names = set(run.document["test"]["images"])
    try:
        data = recorded_dataset(run.options, run.dataset, data_root)
        every = crop_items(data.split("all"), run.model.config.longest_side)
        items = {item.name: item for item in every if item.name in names}
        kept = run.predictions
        if kept is not None:
            items = {name: item for name, item in items.items() if _same(item, kept.get(name))}
    except (DatasetError, OSError, ValueError, TypeError) as error:
        return {}, f"The test images could not be loaded: {error}."
    if not items:
        return {}, "The test images were deleted or changed after the run."
    return items, ""


def find_predictions(
    run: Run, items: Mapping[str, TrainingImage], n_jobs: int, progress: Progress
) -> dict[str, ImagePrediction]:
    """Return the predictions for the test images: stored ones, else recomputed."""
    if run.predictions is not None:
        return {name: kept.prediction for name, kept in run.predictions.items()}
    if run.document["test"] is None or set(items) != set(run.document["test"]["images"]):
        return {}
    with single_threaded():
        return evaluate_model(run.model, list(items.values()), n_jobs, progress).predictions


def _same(item: TrainingImage, kept: SavedPrediction | None) -> bool:
    if kept is None:
        return False
    return (item.image_key(), item.mask_key()) == (kept.image_key, kept.mask_key)
