"""A whole training run: learn, save and evaluate on test images, with a log and a lock."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segboost.datasets.base import SegmentationDataset
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.runtime.folder_lock import FolderLock, shared_folder
from segboost.pipelines.runtime.resources import read_usage
from segboost.pipelines.runtime.run_log import RunLog, StageTime
from segboost.pipelines.segmentation.checked_training import StageReporter, check_and_train
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.evaluation import EVALUATION, Evaluation, evaluate_saved
from segboost.pipelines.segmentation.images.crops import crop_items
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.pipelines.segmentation.run_folder import (
    CACHE,
    LOG,
    SCORES,
    SETTINGS,
    check_run_folder,
)
from segboost.pipelines.segmentation.run_record import write_results, write_settings
from segboost.progress import Progress
from segboost.storage.leftovers import remove_leftovers

__all__ = ["CACHE", "LOG", "SCORES", "SETTINGS", "TrainingRun", "run_training"]


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """The result of a run.

    Parameters
    ----------
    folder : Path
        The folder with the model.
    evaluation : Evaluation or None
        Evaluation on the test images; None if there are none.
    C : float or None
        The chosen value; None if no CRF was learned.
    stages : tuple of StageTime
    seconds : float
        Wall time of the whole run.
    peak_bytes : int
        Peak memory of this process and its workers.
    """

    folder: Path
    evaluation: Evaluation | None
    C: float | None
    stages: tuple[StageTime, ...]
    seconds: float
    peak_bytes: int


def run_training(
    data: SegmentationDataset,
    config: SegmentationConfig,
    output: Path,
    cache: Path,
    n_jobs: int,
    progress: Progress,
    options: Mapping[str, Any],
) -> TrainingRun:
    """Train on a data set, save the model and evaluate it on the test images.

    Parameters
    ----------
    data : SegmentationDataset
    config : SegmentationConfig
    output : Path
        The model folder, which also gets ``run.json``, the log, ``scores.json`` and the predictions
        on the test images.
    cache : Path
        The folder of the artefacts.
    n_jobs : int
    progress : Progress
    options : mapping
        Options of the run, kept in ``run.json`` so that it can be resumed.
    """
    before = read_usage()
    check_run_folder(output)
    store = ArtefactStore(cache)
    configuration = {"config": config.to_dict(), "options": dict(options), "n_jobs": n_jobs}
    log_file = output / LOG
    with (
        FolderLock(output),
        nullcontext() if cache.resolve() == output.resolve() else shared_folder(cache),
        RunLog(log_file, configuration, config.seed) as log,
    ):
        remove_leftovers(output)
        store.remove_leftovers()
        write_settings(output, options)
        with StageReporter(progress, log) as report:
            trained = check_and_train(
                data.train, config, store, n_jobs, report, test=data.test, legend=data.legend
            )
        train = crop_items(data.train, config.longest_side)
        test = crop_items(data.test, config.longest_side)
        extra = {"dataset": data.name, "n_train": len(data.train), "notes": list(data.notes)}
        save_segmenter(trained.model, output, extra)
        evaluation = None
        if data.test:
            with log.stage(EVALUATION, images=len(test)) as notes:
                evaluation = evaluate_saved(
                    output,
                    trained.model,
                    train,
                    test,
                    store,
                    n_jobs,
                    progress,
                )
                notes["scores"] = evaluation.summary()
        write_results(output, data, test, trained, evaluation)
        after = read_usage()
        C = None if trained.crf is None else trained.crf.C
        wall = after.wall - before.wall
        # Only the log's readings include workers that have ended since.
        peak = max(after.peak_total, log.peak_total)
        return TrainingRun(output, evaluation, C, tuple(log.stages), wall, peak)
