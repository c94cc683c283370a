"""Training with its images checked first and its stages reported and logged."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.runtime.run_log import RunLog
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.stages.features import TrainingImage
from segboost.pipelines.segmentation.training import Trained, train_segmenter
from segboost.progress import Progress, Report

CHECKING = "checking images"
"""The name of the first stage in progress reports."""


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
    test: Sequence[TrainingImage] = (),
) -> Trained:
    """Check the images, those of a test part included, then train on the former."""
    check_items(items, report, test)
    with single_threaded():
        return train_segmenter(items, config, store, n_jobs, report, vocabulary)


def check_items(
    items: Sequence[TrainingImage], report: StageReporter, test: Sequence[TrainingImage] = ()
) -> None:
    """Refuse images that cannot be learned from or measured on, before the work begins."""
    if not items:
        raise ValueError("there are no training images: give some")
    foreground = background = False
    total = len(items) + len(test)
    for done, item in enumerate((*items, *test)):
        report(Report(CHECKING, done, total))
        image, mask = item.image(), item.mask()
        if image.shape[:2] != mask.shape:
            (height, width), (tall, wide) = image.shape[:2], mask.shape
            raise ValueError(
                f"{item.name}: the image is {width}×{height}, its mask {wide}×{tall}: "
                "make them equal"
            )
        if done < len(items):
            foreground |= bool((mask == 1).any())
            background |= bool((mask == 0).any())
    report(Report(CHECKING, total, total))
    if not (foreground and background):
        missing = "background" if foreground else "foreground"
        raise ValueError(
            f"no training image has a {missing} pixel: masks need 0 for background and 1 (or 255 "
            "where there is no 1) for foreground"
        )
