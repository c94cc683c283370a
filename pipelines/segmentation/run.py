"""A whole training run: learn, save, measure on the test images, with a log and a lock."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from segboost.datasets.base import SegmentationDataset
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.runtime.folder_lock import FolderLock, shared_folder
from segboost.pipelines.runtime.resources import read_usage
from segboost.pipelines.runtime.run_log import RunLog, StageTime
from segboost.pipelines.runtime.single_thread import single_threaded
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
from segboost.pipelines.segmentation.stages.features import TrainingImage
from segboost.pipelines.segmentation.training import Trained, train_segmenter
from segboost.progress import Progress, Report
from segboost.storage.leftovers import remove_leftovers
from segboost.storage.whole_file import write_whole

__all__ = ["CACHE", "LOG", "SCORES", "SETTINGS", "StageReporter", "TrainingRun", "run_training"]

CHECKING = "checking images"
"""The name of the first stage in progress reports."""


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """What a run made.

    Parameters
    ----------
    folder : Path
        With the model.
    evaluation : Evaluation or None
        On the test images; None where there are none.
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


class StageReporter:
    """Forward the reports of training to a display and log every stage.

    Used as a context manager: leaving it ends the last stage.
    """

    def __init__(self, progress: Progress, log: RunLog | None = None) -> None:
        self._progress = progress
        self._log = log
        self._stage: Report | None = None
        self._open = ExitStack()

    def __call__(self, report: Report, /) -> None:
        """Take a report of `train_segmenter`."""
        if self._stage is None or self._stage.stage != report.stage:
            self._end(None, None, None)
            if self._log is not None:
                self._open.enter_context(self._log.stage(report.stage))
        self._stage = report
        self._progress(report)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end(kind, error, trace)

    def _end(self, *reason: Any) -> None:
        now, self._stage = self._stage, None
        closing, self._open = self._open, ExitStack()
        closing.__exit__(*reason)
        if now is not None:
            self._progress(replace(now, finished=True))


def train_on(
    items: Sequence[TrainingImage],
    config: SegmentationConfig,
    store: ArtefactStore,
    n_jobs: int,
    report: StageReporter,
    vocabulary: Sequence[TrainingImage] | None = None,
) -> Trained:
    """Check the images, then train on them."""
    check_items(items, report)
    with single_threaded():
        return train_segmenter(items, config, store, n_jobs, report, vocabulary)


def check_items(items: Sequence[TrainingImage], report: StageReporter) -> None:
    """Refuse images that nothing can be learned from, before the work begins."""
    if not items:
        raise ValueError("there are no training images: give some")
    foreground = background = False
    for done, item in enumerate(items):
        report(Report(CHECKING, done, len(items)))
        image, mask = item.image(), item.mask()
        if image.shape[:2] != mask.shape:
            (height, width), (tall, wide) = image.shape[:2], mask.shape
            raise ValueError(
                f"{item.name}: the image is {width}×{height}, its mask {wide}×{tall}: "
                "make them equal"
            )
        foreground |= bool((mask == 1).any())
        background |= bool((mask == 0).any())
    report(Report(CHECKING, len(items), len(items)))
    if not (foreground and background):
        missing = "background" if foreground else "foreground"
        raise ValueError(
            f"no training image has a {missing} pixel: masks need 0 for background and 1 (or 255 "
            "where there is no 1) for foreground"
        )


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
            trained = train_on(data.train, config, store, n_jobs, report)
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
