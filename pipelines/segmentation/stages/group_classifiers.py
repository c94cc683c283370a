"""The classifiers of the feature groups, kept on disk with their out-of-fold scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray
from segboost.baselines.stump_sum import StumpSum
from segboost.pipelines.runtime.artefact_store import Artefact, KeyParts
from segboost.pipelines.runtime.parallel_map import active_cluster, map_tasks
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.potentials.folds import assign_folds
from segboost.pipelines.segmentation.potentials.group_classifier import (
    FoldTable,
    TrainedUnary,
    fold_names,
    join_folds,
    train_fold,
    train_unary,
)
from segboost.pipelines.segmentation.stages.features import FeatureStage, Tell, TrainingImage


@dataclass(frozen=True, eq=False)
class SuperpixelTruth:
    """Labels and folds of all training superpixels, one image after the other."""

    labels: npt.NDArray[np.int64]
    known: npt.NDArray[np.bool_]
    area: FloatArray
    fold: npt.NDArray[np.int64]
    pixels: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

    @classmethod
    def of(cls, images: Sequence[SuperpixelImage], config: SegmentationConfig) -> SuperpixelTruth:
        """Return the truth of images by their masks, in folds."""
        area = np.concatenate([i.labelled for i in images])
        sizes = [i.n_superpixels for i in images]
        labels = np.concatenate([i.labels for i in images])
        fold = assign_folds(labels, area > 0, sizes, config.unary.n_folds)
        foreground, background = zip(*(i.truth for i in images), strict=True)
        pixels = np.concatenate(foreground), np.concatenate(background)
        return cls(labels, area > 0, area, fold, pixels)


@dataclass(frozen=True, eq=False)
class UnaryStage:
    """The classifiers of the groups, an artefact each."""

    features: FeatureStage
    items: Sequence[TrainingImage]
    truth: SuperpixelTruth
    config: SegmentationConfig
    keys: tuple[str, ...]

    def table(self, name: str) -> npt.NDArray[Any]:
        """Return a group's features of all images, shape (N, d)."""
        return np.concatenate([self.features.group(item, name) for item in self.items])

    def train(self, name: str) -> Artefact:
        """Return a group's classifier and out-of-fold scores from the store, or train it."""

        def make() -> TrainedUnary:
            truth, settings = self.truth, self.config.unary
            return train_unary(
                self.table(name), truth.labels, truth.known, truth.fold, settings, self.config.seed
            )

        return self.keep(name, make)

    def keep(self, name: str, make: Callable[[], TrainedUnary]) -> Artefact:
        """Return a group's artefact from the store, or the one that is made."""

        def pack() -> Artefact:
            trained = make()
            return Artefact({**trained.stumps.pack(), "out_of_fold": trained.out_of_fold})

        return self.features.store.get_or_make("unary", self._parts(name), pack)

    def _parts(self, name: str) -> KeyParts:
        parameters = {"group": name, "seed": self.config.seed, **asdict(self.config.unary)}
        preset = self.features.preset.to_config()
        return KeyParts({**parameters, **preset}, (*self.keys, self.features.codebook_key))


def learn_unaries(
    stage: UnaryStage, n_jobs: int, tell: Tell
) -> dict[str, tuple[StumpSum, FloatArray]]:
    """Train the classifiers of all groups, several at a time; with their out-of-fold scores."""
    names = [g.name for g in stage.features.preset.groups]
    tell("unaries", 0, len(names), "")
    learn = _learn_remotely if active_cluster() else _learn_here
    unaries = {}
    found = zip(names, learn(stage, names, n_jobs), strict=True)
    for done, (name, artefact) in enumerate(found, start=1):
        arrays = dict(artefact.arrays)
        out_of_fold = arrays.pop("out_of_fold")
        unaries[name] = (StumpSum.unpack(arrays), out_of_fold)
        tell("unaries", done, len(names), name)
    return unaries


def _learn_here(stage: UnaryStage, names: Sequence[str], n_jobs: int) -> Iterator[Artefact]:
    yield from map_tasks(UnaryStage.train, stage, names, n_jobs)


def _learn_remotely(stage: UnaryStage, names: Sequence[str], n_jobs: int) -> Iterator[Artefact]:
    """Spread the folds of a group over a cluster, which gets the group's features once."""
    truth, settings = stage.truth, stage.config.unary
    folds = fold_names(truth.fold)
    for name in names:

        def make(name: str = name) -> TrainedUnary:
            table = FoldTable(stage.table(name), truth.labels, truth.known, truth.fold)
            shared = (table, settings, stage.config.seed)
            return join_folds(table, list(map_tasks(train_fold, shared, folds, n_jobs)))

        yield stage.keep(name, make)
