"""The stage of border refinement, cached as an artefact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from segboost._types import FloatArray, Int64Array
from segboost.pipelines.runtime.artefact_store import (
    Artefact,
    ArtefactStore,
    KeyParts,
    array_key,
)
from segboost.pipelines.segmentation.borders.learning import BORDERS, LearnedBorders, learn_borders
from segboost.pipelines.segmentation.borders.refinement import BorderRefinement
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.decisions.calibration import Calibration
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.progress import Progress, Report

__all__ = ["BorderTask", "LearnedBorders", "border_stage"]

SCHEMA = 1
"""Increase whenever the same images and settings give another refinement."""
FINAL = "final_"


@dataclass(frozen=True, eq=False)
class BorderTask:
    """The training data of the refinement.

    Parameters
    ----------
    images : sequence of SuperpixelImage
        With their truth.
    items : sequence of TrainingImage
        The same images, with pixels and masks.
    nodes : sequence of ndarray of shape (P,)
        Scores of their superpixels minus the threshold, from out-of-fold unaries.
    fold : ndarray of int, shape (N,)
    calibration : Calibration
        Maps these scores to probabilities.
    """

    images: Sequence[SuperpixelImage]
    items: Sequence[TrainingImage]
    nodes: Sequence[FloatArray]
    fold: Int64Array
    calibration: Calibration

    def key(self, config: SegmentationConfig) -> KeyParts:
        """Return everything that the refinement depends on."""
        parameters: dict[str, Any] = {
            "borders": asdict(config.borders),
            "border_booster": asdict(config.border_booster),
            "seed": config.seed,
        }
        if config.select != "mean_iou":
            parameters["select"] = config.select  # by default, keys are those of earlier versions
        images = zip(self.images, self.items, self.nodes, strict=True)
        inputs = (
            key
            for image, item, node in images
            for key in (item.image_key(), item.mask_key(), array_key(image.superpixels, node))
        )
        knots = self.calibration.to_arrays()
        return KeyParts(parameters, (*inputs, array_key(self.fold, *knots.values())), SCHEMA)


def border_stage(
    task: BorderTask,
    config: SegmentationConfig,
    store: ArtefactStore,
    n_jobs: int,
    progress: Progress,
) -> LearnedBorders | None:
    """Return the refinement from the store, or learn it; None if borders are not refined."""
    if not config.borders.refine:
        return None

    def make() -> Artefact:
        found = learn_borders(
            task.images, task.items, task.nodes, task.fold, task.calibration,
            config.borders, config.border_booster, config.seed, n_jobs, progress, config.select,
        )  # fmt: skip
        return Artefact({"none": np.zeros(0)}) if found is None else _pack(found)

    n = len(task.items)
    progress(Report(BORDERS, 0, n))
    made = store.get_or_make("borders", task.key(config), make)
    note = "too few labelled pixels near borders: nothing is refined"
    progress(Report(BORDERS, n, n, note if "none" in made.arrays else ""))
    return None if "none" in made.arrays else _unpack(made, config)


def _pack(found: LearnedBorders) -> Artefact:
    final = {f"{FINAL}{name}": a for name, a in found.calibration.to_arrays().items()}
    return Artefact({**found.refinement.to_arrays(), **final})


def _unpack(artefact: Artefact, config: SegmentationConfig) -> LearnedBorders:
    arrays = dict(artefact.arrays)
    final = {
        name.removeprefix(FINAL): arrays.pop(name)
        for name in list(arrays)
        if name.startswith(FINAL)
    }
    refinement = BorderRefinement.from_arrays(arrays, config.borders)
    return LearnedBorders(refinement, Calibration.from_arrays(final))
