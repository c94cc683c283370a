"""A whole training run: learn, save, measure on the test images, with a log and a lock."""

from __future__ import annotations

import json
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
from segboost.pipelines.segmentation.checked_training import StageReporter, train_on
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.evaluation import EVALUATION, Evaluation, evaluate_saved
from segboost.pipelines.segmentation.model.files import save_segmenter
from segboost.pipelines.segmentation.run_folder import (
    CACHE,
    LOG,
    SCORES,
    SETTINGS,
    check_run_folder,
)
from segboost.pipelines.segmentation.saved_predictions import keep_answers
from segboost.pipelines.segmentation.training import Trained
from segboost.progress import Progress
from segboost.storage.leftovers import remove_leftovers
from segboost.storage.whole_file import write_whole

__all__ = ["CACHE", "LOG", "SCORES", "SETTINGS", "TrainingRun", "run_training"]


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """The result of a run.

    Parameters
    ----------
    folder : Path
        With the model.
    evaluation : Evaluation or None
        Evaluation on the test images; None if there are none.
    C : float or None
        As chosen; None for the methods without a CRF.
    stages : tuple of StageTime
    seconds : float
        Wall time of the whole run.
    peak_bytes : int
        Largest memory of this process and its workers.
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
    """Train on a data set, save the model, measure it on the test images.

    Parameters
    ----------
    data : SegmentationDataset
    config : SegmentationConfig
    output : Path
        The model folder; it gets ``run.json``, the log, ``scores.json`` and the answers on the
        test images too.
    cache : Path
        The folder of the artefacts.
    n_jobs : int
    progress : Progress
    options : mapping
        What the run was asked for, kept in ``run.json`` so that it can be resumed.
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
        write_whole(output / SETTINGS, _json(dict(options)))
        with StageReporter(progress, log) as report:
            trained = train_on(data.train, config, store, n_jobs, report, test=data.test)
        extra = {"dataset": data.name, "n_train": len(data.train), "notes": list(data.notes)}
        save_segmenter(trained.model, output, extra)
        evaluation = None
        if data.test:
            with log.stage(EVALUATION, images=len(data.test)) as notes:
                evaluation = evaluate_saved(
                    output, trained.model, data.train, data.test, store, n_jobs, progress
                )
                notes["scores"] = evaluation.scores.to_dict()
            keep_answers(output, data.test, evaluation.answers)
        write_whole(output / SCORES, _json(_scores(data, config, trained, evaluation)))
        after = read_usage()
        C = None if trained.crf is None else trained.crf.C
        wall = after.wall - before.wall
        # Workers that ended since are in the log's readings only.
        peak = max(after.peak_total, log.peak_total)
        return TrainingRun(output, evaluation, C, tuple(log.stages), wall, peak)


def _scores(
    data: SegmentationDataset,
    config: SegmentationConfig,
    trained: Trained,
    evaluation: Evaluation | None,
) -> dict[str, Any]:
    crf = trained.crf
    trials = () if crf is None else crf.trials
    return {
        "dataset": data.name,
        "notes": list(data.notes),
        "preset": config.preset_name,
        "method": config.method,
        "n_train": len(data.train),
        "C": None if crf is None else crf.C,
        "loss": None if crf is None else crf.potentials.loss,
        "validation": [{"C": t.C, "loss": t.loss, **t.scores.to_dict()} for t in trials],
        "test": None if evaluation is None else evaluation.to_dict(),
    }


def _json(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()
