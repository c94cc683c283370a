"""The classifiers of the feature groups, cached on disk with their out-of-fold scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from segboost._types import AnyArray, BoolArray, FloatArray, Int64Array
from segboost.baselines.stump_sum import StumpSum
from segboost.pipelines.runtime.artefact_store import Artefact, KeyParts
from segboost.pipelines.runtime.parallel_map import map_tasks
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.potentials.crf.potential_scale import PotentialScale
from segboost.pipelines.segmentation.potentials.folds import assign_folds
from segboost.pipelines.segmentation.potentials.group_classifier import GroupLearner
from segboost.pipelines.segmentation.potentials.out_of_fold import Learned, learn_out_of_fold
from segboost.pipelines.segmentation.stages.features import FeatureStage
from segboost.progress import Progress, Report

CLASSIFIERS = "classifiers of feature groups"
"""The name of the stage in progress reports."""


@dataclass(frozen=True, eq=False)
class SuperpixelTruth:
    """Labels and folds of all training superpixels, one image after the other."""

    labels: Int64Array
    known: BoolArray
    area: FloatArray
    fold: Int64Array
    pixels: tuple[Int64Array, Int64Array]

    @classmethod
    def of(cls, images: Sequence[SuperpixelImage], config: SegmentationConfig) -> SuperpixelTruth:
        """Return the truth of images, with the folds of their superpixels."""
        area = np.concatenate([i.labelled for i in images])
        sizes = [i.n_superpixels for i in images]
        labels = np.concatenate([i.labels for i in images])
        fold = assign_folds(labels, area > 0, sizes, config.unary.n_folds)
        foreground, background = zip(*(i.truth for i in images), strict=True)
        pixels = np.concatenate(foreground), np.concatenate(background)
        return cls(labels, area > 0, area, fold, pixels)


@dataclass(frozen=True, eq=False)
class UnaryStage:
    """The classifiers of the groups, one artefact each."""

    features: FeatureStage
    items: Sequence[TrainingImage]
    truth: SuperpixelTruth
    config: SegmentationConfig
    keys: tuple[str, ...]

    def table(self, name: str) -> AnyArray:
        """Return a group's features of all images, shape (N, d)."""
        return np.concatenate([self.features.group(item, name) for item in self.items])

    def learner(self, name: str) -> GroupLearner:
        """Return the learner of a group's classifier, with the group's features."""
        truth, config = self.truth, self.config
        return GroupLearner(
            self.table(name), truth.labels, truth.known, truth.fold, config.unary, config.seed
        )

    def scale(self, scores: FloatArray) -> PotentialScale:
        """Return the scale of out-of-fold scores, shape (N, T), for the CRF of the settings."""
        if self.config.fixes_crf(len(self.items)):  # it takes the log-odds as they are
            return PotentialScale.identity(scores.shape[1])
        return PotentialScale.fit(scores, self.truth.labels, self.truth.known)

    def find(self, name: str) -> Artefact | None:
        """Return a group's classifier and out-of-fold scores from the store, or None."""
        return self.features.store.get("unary", self._parts(name))

    def keep(self, name: str, learned: Learned[StumpSum]) -> Artefact:
        """Store a group's classifier and out-of-fold scores; return them as they will be read."""
        arrays = {**learned.model.pack(), "out_of_fold": learned.out_of_fold}
        made = Artefact(arrays).as_read()
        self.features.store.put("unary", self._parts(name), made)
        return made

    def _parts(self, name: str) -> KeyParts:
        parameters = {"group": name, "seed": self.config.seed, **asdict(self.config.unary)}
        preset = self.features.preset.to_key()
        return KeyParts({**parameters, **preset}, (*self.keys, self.features.codebook_key))


def learn_unaries(
    stage: UnaryStage, n_jobs: int, progress: Progress
) -> dict[str, Learned[StumpSum]]:
    """Return the classifiers of all groups with their out-of-fold scores, by group.

    Those that are not in the store are trained, several at a time.
    """
    names = [g.name for g in stage.features.preset.groups]
    found = {name: artefact for name in names if (artefact := stage.find(name)) is not None}
    todo = [name for name in names if name not in found]
    progress(Report(CLASSIFIERS, len(found), len(names)))
    made = map_tasks(_learn, None, todo, n_jobs, prepare=stage.learner, keep=stage.keep)
    for name, artefact in zip(todo, made, strict=True):
        found[name] = artefact
        progress(Report(CLASSIFIERS, len(found), len(names), name))
    return {name: _unpack(found[name]) for name in names}


def _learn(shared: None, learner: GroupLearner) -> Learned[StumpSum]:
    return learn_out_of_fold(learner)


def _unpack(artefact: Artefact) -> Learned[StumpSum]:
    arrays = dict(artefact.arrays)
    out_of_fold = arrays.pop("out_of_fold")
    return Learned(StumpSum.unpack(arrays), out_of_fold)
