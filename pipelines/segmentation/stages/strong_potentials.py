"""The stage of the strong potentials: trees and context, or a linear one with few images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from segboost._types import FloatArray, Int64Array
from segboost.pipelines.runtime.artefact_store import Artefact, ArtefactStore, KeyParts
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import LinearSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.context import (
    ContextPotential,
    RawColumns,
    fit_context,
)
from segboost.pipelines.segmentation.potentials.context_features import OWN_MODELS
from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
from segboost.pipelines.segmentation.potentials.linear import (
    LinearPotential,
    fit_linear_potential,
)
from segboost.pipelines.segmentation.potentials.out_of_fold import count_parts
from segboost.pipelines.segmentation.potentials.trees import (
    TreePotential,
    fit_tree_potential,
)
from segboost.pipelines.segmentation.stages.group_classifiers import UnaryStage
from segboost.progress import Progress, Report

TREES, CONTEXT, LINEAR = "trees over all features", "context", "linear classifier"
"""The names of the stages in progress reports."""


def part_reporter(progress: Progress, stage: str) -> Callable[[int, int], None]:
    """Return the `report` of `learn_out_of_fold`, which passes on how many parts are learned."""
    return lambda done, total: progress(Report(stage, done, total))


@dataclass(frozen=True, eq=False)
class StrongPotentials:
    """Potentials over all features at once: trees and context, or a linear one, or none.

    Parameters
    ----------
    names : tuple of str
        Names of the potentials that the CRF weighs.
    out_of_fold : ndarray of shape (N, len(names))
        Their out-of-fold scores.
    trees, context, linear
        The models that compute them.
    """

    names: tuple[str, ...]
    out_of_fold: FloatArray
    trees: TreePotential | None = None
    context: ContextPotential | None = None
    linear: LinearPotential | None = None


def learn_strong_potentials(
    stage: UnaryStage,
    images: Sequence[SuperpixelImage],
    first: FloatArray,
    n_jobs: int,
    progress: Progress,
) -> StrongPotentials:
    """Learn the strong potentials that the settings choose for this number of images."""
    config, features, items = stage.config, stage.features, stage.items
    if not config.uses_context:
        return StrongPotentials((), np.empty((len(first), 0)))
    groups = [g.name for g in features.preset.groups]
    reader = FeatureReader(len(items), groups, lambda i, group: features.group(items[i], group))
    parameters: dict[str, Any] = {
        "seed": config.seed,
        "unary": asdict(config.unary),
        "preset": features.preset.to_key(),
    }
    if config.average_folds:
        parameters["average_folds"] = True
    parts = KeyParts(parameters, (*stage.keys, features.codebook_key))
    if len(items) < config.linear_below:
        return _learn_linear(
            features.store, parts, reader, images, stage.truth.fold, config, progress
        )
    return _learn_trees_and_context(
        features.store,
        parts,
        reader,
        images,
        first,
        stage.truth.fold,
        config,
        n_jobs,
        progress,
    )


def _learn_linear(
    store: ArtefactStore,
    parts: KeyParts,
    reader: FeatureReader,
    images: Sequence[SuperpixelImage],
    fold: Int64Array,
    config: SegmentationConfig,
    progress: Progress,
) -> StrongPotentials:
    """Learn the linear potential, or take it from the store."""
    settings, usual = config.linear, LinearSettings()
    if (settings.regularisation, settings.balanced) != (usual.regularisation, usual.balanced):
        own = {"regularisation": settings.regularisation, "balanced": settings.balanced}
        parts = _more(parts, "linear", own)  # by default, keys are those of earlier versions

    def make() -> Artefact:
        average = config.average_folds
        learned = fit_linear_potential(reader, images, fold, config.seed, average, settings)
        return Artefact({**learned.model.to_arrays(), "out_of_fold": learned.out_of_fold})

    progress(Report(LINEAR, 0, 1))
    made = dict(store.get_or_make("linear", parts, make).arrays)
    progress(Report(LINEAR, 1, 1))
    scores = made.pop("out_of_fold")
    linear = LinearPotential.from_arrays(reader.groups, made)
    return StrongPotentials(("linear",), scores[:, None], linear=linear)


def _learn_trees_and_context(
    store: ArtefactStore,
    parts: KeyParts,
    reader: FeatureReader,
    images: Sequence[SuperpixelImage],
    first: FloatArray,
    fold: Int64Array,
    config: SegmentationConfig,
    n_jobs: int,
    progress: Progress,
) -> StrongPotentials:
    """Learn both potentials, or take them from the store.

    Parameters
    ----------
    store : ArtefactStore
    parts : KeyParts
        Everything that both depend on except their own settings.
    reader : FeatureReader
        The features of the images.
    images : sequence of SuperpixelImage
        With their truth.
    first : ndarray of shape (N, T)
        Out-of-fold scores of the groups' classifiers.
    fold : ndarray of int, shape (N,)
    config : SegmentationConfig
    n_jobs : int
    progress : Progress
    """

    def make_trees() -> Artefact:
        report = part_reporter(progress, TREES)
        settings, average = config.tree_booster, config.average_folds
        learned = fit_tree_potential(
            reader, images, fold, settings, config.seed, n_jobs, report, average
        )
        return Artefact({**learned.model.to_arrays(), "out_of_fold": learned.out_of_fold})

    n_parts = count_parts(fold)
    # The names in the keys are those of earlier versions, so that their caches are still found.
    with_trees = _more(parts, "raw_booster", asdict(config.tree_booster))
    progress(Report(TREES, 0, n_parts))
    made = dict(store.get_or_make("trees", with_trees, make_trees).arrays)
    progress(Report(TREES, n_parts, n_parts))
    tree_scores = made.pop("out_of_fold")
    trees = TreePotential.from_arrays(reader.groups, made)

    def make_context() -> Artefact:
        prepared = [_with_own_groups(i, reader, k) for k, i in enumerate(images)]
        scores = np.column_stack([first, tree_scores])
        settings = config.context_booster
        raw = RawColumns(reader, n_raw) if n_raw else None
        report = part_reporter(progress, CONTEXT)
        learned = fit_context(
            prepared, scores, fold, settings, config.seed, n_jobs, raw, report, config.average_folds
        )
        return Artefact({**learned.model.to_arrays(), "out_of_fold": learned.out_of_fold})

    progress(Report(CONTEXT, 0, n_parts))
    n_raw = config.context_raw_columns
    with_context = _more(with_trees, "booster", asdict(config.context_booster))
    if n_raw:
        with_context = _more(with_context, "context_raw_columns", n_raw)
    made = dict(store.get_or_make("context", with_context, make_context).arrays)
    progress(Report(CONTEXT, n_parts, n_parts))
    context_scores = made.pop("out_of_fold")
    scores = np.column_stack([tree_scores, context_scores])
    context = ContextPotential.from_arrays(made, reader.groups if n_raw else ())
    if config.trees_in_crf:
        return StrongPotentials(("trees", "context"), scores, trees, context)
    return StrongPotentials(("context",), scores[:, 1:], trees, context)


def _more(parts: KeyParts, name: str, settings: Any) -> KeyParts:
    return KeyParts({**parts.parameters, name: settings}, parts.inputs)


def _with_own_groups(image: SuperpixelImage, reader: FeatureReader, number: int) -> SuperpixelImage:
    """Return the image with the groups from which models of its own regions are made."""
    names = [g for g in OWN_MODELS if g in reader.groups]
    groups = {g: reader.group(number, g) for g in names}
    return SuperpixelImage(**{**vars(image), "groups": groups})
