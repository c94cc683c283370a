"""The stage of the potentials of several classes: trees and context, or a linear classifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from segboost._types import FloatArray
from segboost.pipelines.runtime.artefact_store import Artefact, KeyParts
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.model.class_unary_model import (
    ClassUnaryModel,
    mix_log_probabilities,
)
from segboost.pipelines.segmentation.potentials.class_context_features import class_context
from segboost.pipelines.segmentation.potentials.class_linear import (
    ClassLinearPotential,
    fit_class_linear,
)
from segboost.pipelines.segmentation.potentials.class_trees import (
    ClassTreePotential,
    fit_class_trees,
)
from segboost.pipelines.segmentation.potentials.class_truth import ClassTruth
from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
from segboost.pipelines.segmentation.potentials.out_of_fold import Learned, count_parts
from segboost.pipelines.segmentation.stages.features import FeatureStage
from segboost.pipelines.segmentation.stages.strong_potentials import (
    CONTEXT,
    LINEAR,
    TREES,
    part_reporter,
)
from segboost.progress import Progress, Report

CONTEXT_SHARE = 0.5
"""The share of the context in the mean of the log-probabilities of trees and context."""
SCHEMA = 1
"""Increase whenever the same images and settings give other potentials."""


@dataclass(frozen=True, eq=False)
class ClassStage:
    """Training images of several classes, with the data that all stages share.

    Parameters
    ----------
    features : FeatureStage
    items : sequence of TrainingImage
    images : sequence of SuperpixelImage
        The same images, with their truth.
    truth : ClassTruth
    config : SegmentationConfig
    keys : tuple of str
        Digests of all images and masks.
    n_jobs : int
    progress : Progress
    """

    features: FeatureStage
    items: Sequence[TrainingImage]
    images: Sequence[SuperpixelImage]
    truth: ClassTruth
    config: SegmentationConfig
    keys: tuple[str, ...]
    n_jobs: int
    progress: Progress

    @property
    def reader(self) -> FeatureReader:
        """The raw features of the images."""
        groups = [g.name for g in self.features.preset.groups]
        return FeatureReader(
            len(self.items), groups, lambda i, group: self.features.group(self.items[i], group)
        )

    def parts(self) -> KeyParts:
        """Return everything that the potentials depend on except their own settings."""
        parameters = {
            "seed": self.config.seed,
            "folds": self.config.unary.n_folds,
            "preset": self.features.preset.to_key(),
            "n_classes": self.truth.n_classes,
            "average_folds": self.config.average_folds,
        }
        return KeyParts(parameters, (*self.keys, self.features.codebook_key), SCHEMA)

    def by_image(self, scores: FloatArray) -> list[FloatArray]:
        """Return scores of all superpixels, shape (N, K), image by image."""
        return np.split(scores, np.cumsum(self.truth.sizes)[:-1])


def learn_class_potentials(stage: ClassStage) -> tuple[ClassUnaryModel, FloatArray]:
    """Return the unaries, and the out-of-fold log-probabilities of superpixels, shape (N, K)."""
    if len(stage.items) < stage.config.linear_below:
        return _learn_linear(stage)
    trees, first = _learn_trees(stage)
    if not stage.config.uses_context:
        return ClassUnaryModel(trees), first
    context, second = _learn_context(stage, first)
    unaries = ClassUnaryModel(trees, context, context_share=CONTEXT_SHARE)
    return unaries, mix_log_probabilities(first, second, CONTEXT_SHARE)


def _learn_linear(stage: ClassStage) -> tuple[ClassUnaryModel, FloatArray]:
    def make(report: Callable[[int, int], None]) -> Learned[ClassLinearPotential]:
        config = stage.config
        return fit_class_linear(stage.reader, stage.truth, config.seed, config.average_folds)

    arrays, scores = _find_or_make(stage, LINEAR, "class-linear", stage.parts(), make)
    return ClassUnaryModel(
        linear=ClassLinearPotential.from_arrays(stage.reader.groups, arrays)
    ), scores


def _learn_trees(stage: ClassStage) -> tuple[ClassTreePotential, FloatArray]:
    config = stage.config

    def make(report: Callable[[int, int], None]) -> Learned[ClassTreePotential]:
        return fit_class_trees(
            stage.reader,
            stage.truth,
            config.tree_booster,
            (config.seed, 1),
            stage.n_jobs,
            report=report,
            average=config.average_folds,
        )

    arrays, scores = _find_or_make(stage, TREES, "class-trees", _tree_parts(stage), make)
    return ClassTreePotential.from_arrays(stage.reader.groups, arrays), scores


def _learn_context(stage: ClassStage, first: FloatArray) -> tuple[ClassTreePotential, FloatArray]:
    config = stage.config

    def make(report: Callable[[int, int], None]) -> Learned[ClassTreePotential]:
        pairs = zip(stage.images, stage.by_image(first), strict=True)
        context = np.concatenate([class_context(image, scores) for image, scores in pairs])
        return fit_class_trees(
            stage.reader,
            stage.truth,
            config.context_booster,
            (config.seed, 2),
            stage.n_jobs,
            context,
            config.context_raw_columns,
            report,
            config.average_folds,
        )

    own = {"context": asdict(config.context_booster), "raw": config.context_raw_columns}
    before = _tree_parts(stage)
    parts = KeyParts({**before.parameters, **own}, before.inputs, SCHEMA)
    arrays, scores = _find_or_make(stage, CONTEXT, "class-context", parts, make)
    return ClassTreePotential.from_arrays(stage.reader.groups, arrays), scores


def _tree_parts(stage: ClassStage) -> KeyParts:
    parts = stage.parts()
    trees = {"trees": asdict(stage.config.tree_booster)}
    return KeyParts({**parts.parameters, **trees}, parts.inputs, SCHEMA)


def _find_or_make(
    stage: ClassStage,
    name: str,
    kind: str,
    parts: KeyParts,
    make: Callable[[Callable[[int, int], None]], Learned],
) -> tuple[dict[str, np.ndarray], FloatArray]:
    """Return the arrays of a potential and its out-of-fold scores, from the store or learned."""
    n_parts = count_parts(stage.truth.fold)

    def learn() -> Artefact:
        learned = make(part_reporter(stage.progress, name))
        return Artefact({**learned.model.to_arrays(), "out_of_fold": learned.out_of_fold})

    stage.progress(Report(name, 0, n_parts))
    arrays = dict(stage.features.store.get_or_make(kind, parts, learn).arrays)
    stage.progress(Report(name, n_parts, n_parts))
    return arrays, arrays.pop("out_of_fold")
