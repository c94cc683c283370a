"""Check the training images, then train with every stage reported and logged."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import numpy as np

from segboost._types import Int64Array
from segboost.io.legend import TWO_CLASSES, VOID, ClassLegend
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.runtime.run_log import RunLog
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.crops import crop_items, describe_crops
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.stages.crf import SINGLE_IMAGE
from segboost.pipelines.segmentation.training import Trained, train_segmenter
from segboost.progress import Progress, Report

logger = logging.getLogger(__name__)

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


def check_and_train(
    items: Sequence[TrainingImage],
    config: SegmentationConfig,
    store: ArtefactStore,
    n_jobs: int,
    report: StageReporter,
    vocabulary: Sequence[TrainingImage] | None = None,
    test: Sequence[TrainingImage] = (),
    legend: ClassLegend = TWO_CLASSES,
) -> Trained:
    """Check the training and the test images, then train on the training images."""
    check_enough_images(items, config, legend)
    for warning in check_items(items, report, test, legend):
        logger.warning(warning)
    cropped = crop_items(items, config.longest_side)
    for line in describe_crops(items, cropped):
        logger.warning(line)
    with single_threaded():
        return train_segmenter(cropped, config, store, n_jobs, report, vocabulary, legend)


def check_enough_images(
    items: Sequence[TrainingImage], config: SegmentationConfig, legend: ClassLegend = TWO_CLASSES
) -> None:
    """Raise ValueError if C is to be chosen and there is only one image to choose it on.

    A large image is cut into several crops, which are enough.
    """
    if config.C is not None or len(config.C_choices) == 1 or not config.learns_crf:
        return
    if len(items) != 1 or len(crop_items(items, config.longest_side)) != 1:
        return
    if legend.n_classes > 2 or not config.fixes_crf(1):
        raise ValueError(SINGLE_IMAGE)


def check_items(
    items: Sequence[TrainingImage],
    report: StageReporter,
    test: Sequence[TrainingImage] = (),
    legend: ClassLegend = TWO_CLASSES,
) -> list[str]:
    """Raise ValueError for images that cannot be used, before the work begins.

    Parameters
    ----------
    items : sequence of TrainingImage
        Training images.
    report : StageReporter
    test : sequence of TrainingImage
        Test images.
    legend : ClassLegend

    Returns
    -------
    list of str
        Warnings about classes that occur in only one training image, or in none.
    """
    if not items:
        raise ValueError("there are no training images")
    images_with = np.zeros(legend.n_classes, dtype=np.int64)
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
        found = np.bincount(mask.ravel(), minlength=VOID + 1)
        odd = np.flatnonzero(found[legend.n_classes : VOID])
        if odd.size:
            raise ValueError(
                f"{item.name}: the mask value {odd[0] + legend.n_classes} is not a class: expected "
                f"0 … {legend.n_classes - 1}, or {VOID} for void"
            )
        if done < len(items):
            images_with += found[: legend.n_classes] > 0
    report(Report(CHECKING, total, total))
    return _check_classes(images_with, legend, len(items))


def _check_classes(images_with: Int64Array, legend: ClassLegend, n_images: int) -> list[str]:
    """Return warnings on classes that are rare or missing; ValueError if there are not two."""
    present = images_with > 0
    if legend.n_classes == 2 and not present.all():
        missing = "background" if present[1] else "foreground"
        raise ValueError(
            f"no training image has a {missing} pixel: masks need 0 for background and 1 (or 255 "
            "where there is no 1) for foreground"
        )
    if present.sum() < 2:
        only = f"only {legend.names[int(np.argmax(present))]!r}" if present.any() else "no class"
        raise ValueError(f"the training masks have {only}: at least two classes are needed")
    if legend.n_classes == 2:
        return []
    warnings = []
    absent = [name for name, n in zip(legend.names, images_with, strict=True) if n == 0]
    single = [name for name, n in zip(legend.names, images_with, strict=True) if n == 1]
    if absent:
        them = "it" if len(absent) == 1 else "them"
        warnings.append(
            f"no training image has {_few(absent)}: the model will never predict {them}"
        )
    if single and n_images > 1:
        warnings.append(
            f"only one training image has {_few(single)}: settings cannot be validated on it, and "
            "its scores are unreliable"
        )
    return warnings


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more classes" if len(names) > 5 else ""
    return ", ".join(repr(name) for name in names[:5]) + more
