"""The strong potentials, learned from images and their mirrored copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from segboost._types import FloatArray
from segboost.pipelines.segmentation.images.mirrored import mirrored_copies
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.stages.features import extract_all
from segboost.pipelines.segmentation.stages.group_classifiers import SuperpixelTruth, UnaryStage
from segboost.pipelines.segmentation.stages.strong_potentials import (
    StrongPotentials,
    learn_strong_potentials,
)
from segboost.progress import Progress


def learn_strong_with_copies(
    stage: UnaryStage,
    images: Sequence[SuperpixelImage],
    first: FloatArray,
    n_jobs: int,
    progress: Progress,
) -> StrongPotentials:
    """Learn the strong potentials, from mirrored copies as well if the settings say so.

    Their out-of-fold scores are those of the images, shape (N, T), without the copies.
    """
    if not stage.config.mirrors(len(images)):
        return learn_strong_potentials(stage, images, first, n_jobs, progress)
    sizes = [image.n_superpixels for image in images]
    copies, folds = mirrored_copies(stage.items, stage.truth.fold, sizes)
    extract_all(stage.features, copies, n_jobs, progress)
    mirrored = [stage.features.graph(copy, with_truth=True) for copy in copies]
    everything = [*images, *mirrored]
    fold = np.repeat(folds, [image.n_superpixels for image in mirrored])
    truth = replace(
        SuperpixelTruth.of(everything, stage.config),
        fold=np.concatenate([stage.truth.fold, fold]),
    )
    larger = replace(
        stage,
        items=[*stage.items, *copies],
        truth=truth,
        keys=(*stage.keys, "mirrored"),
    )
    # Without group classifiers there are no first scores, so that copies need none.
    empty = np.empty((len(truth.labels), 0))
    strong = learn_strong_potentials(larger, everything, empty, n_jobs, progress)
    return replace(strong, out_of_fold=strong.out_of_fold[: len(first)])
