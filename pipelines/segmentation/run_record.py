"""Write the options and the results of a training run next to its model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from segboost.datasets.base import SegmentationDataset
from segboost.pipelines.segmentation.evaluation import Evaluation
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.run_folder import SCORES, SETTINGS
from segboost.pipelines.segmentation.saved_predictions import save_predictions
from segboost.pipelines.segmentation.training import Trained
from segboost.storage.whole_file import write_whole


def write_settings(folder: Path, options: Mapping[str, Any]) -> None:
    """Write the options of a run, from which it can be resumed."""
    write_whole(folder / SETTINGS, _json(dict(options)))


def write_results(
    folder: Path,
    data: SegmentationDataset,
    test: Sequence[TrainingImage],
    trained: Trained,
    evaluation: Evaluation | None,
) -> None:
    """Write the scores of a run and the predictions of its model on the test images.

    Parameters
    ----------
    folder : Path
        The folder with the model.
    data : SegmentationDataset
    test : sequence of TrainingImage
        The test images as they were measured: large ones as crops.
    trained : Trained
    evaluation : Evaluation or None
        None if there are no test images.
    """
    if evaluation is not None:
        save_predictions(folder, test, evaluation.predictions)
    write_whole(folder / SCORES, _json(_scores(data, trained, evaluation)))


def _scores(
    data: SegmentationDataset, trained: Trained, evaluation: Evaluation | None
) -> dict[str, Any]:
    crf, config = trained.crf, trained.model.config
    trials = () if crf is None else crf.trials
    return {
        "dataset": data.name,
        "notes": list(data.notes),
        "preset": config.preset_name,
        "method": config.method,
        "n_train": len(data.train),
        "classes": data.legend.to_dict(),
        "C": None if crf is None else crf.C,
        "loss": None if crf is None else crf.potentials.loss,
        "validation": [t.to_dict() for t in trials],
        "test": None if evaluation is None else evaluation.to_dict(),
    }


def _json(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()
