"""Training in stages, each an artefact on disk: a change re-runs only what depends on it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from segboost.baselines.stump_sum import StumpSum
from segboost.features.extract import extract_features
from segboost.features.presets import Preset, find_preset
from segboost.features.words import Codebook, learn_codebook
from segboost.pipelines.artefacts import Artefact, ArtefactStore, KeyParts
from segboost.pipelines.calibration import fit_calibration
from segboost.pipelines.crf_cache import cached_crf, crf_key
from segboost.pipelines.crf_progress import CRFProgress
from segboost.pipelines.crf_stage import LearnedCRF, learn_crf
from segboost.pipelines.offsets import best_offset
from segboost.pipelines.raw_booster import ImageReader
from segboost.pipelines.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation_model import SegmentationModel, UnaryModel
from segboost.pipelines.strong_potentials import StrongPotentials, strong_potentials
from segboost.pipelines.superpixel_image import SuperpixelImage
from segboost.pipelines.task_map import active_cluster, map_tasks
from segboost.pipelines.unary_training import (
    FoldTable,
    TrainedUnary,
    fold_names,
    fold_of_image,
    join_folds,
    train_fold,
    train_unary,
)
from segboost.pipelines.word_classifiers import fit_linear_words
from segboost.pipelines.working_size import reduce_items

log = logging.getLogger(__name__)

FloatArray = npt.NDArray[np.float64]

MUTED = 1e30
"""What the scores of a worthless potential are divided by."""

Report = Callable[[str, int, int | None, str], Any]
"""Called with stage, done, total (None where nobody knows) and a note."""


class TrainingImage(Protocol):
    """What training needs of a labelled image; `segboost.datasets.LabelledImage` has it."""

    @property
    def name(self) -> str:
        """A name that no other image of the set has."""
        ...

    def image(self) -> npt.NDArray[np.uint8]:
        """Return the image, shape (H, W, 3)."""
        ...

    def mask(self) -> npt.NDArray[np.uint8]:
        """Return the mask, shape (H, W): 0, 1, and 255 for void."""
        ...

    def image_key(self) -> str:
        """Return a digest of the image."""
        ...

    def mask_key(self) -> str:
        """Return a digest of the mask."""
        ...


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model with what its report needs."""

    model: SegmentationModel
    crf: LearnedCRF | None
    out_of_fold: dict[str, FloatArray]


@dataclass(frozen=True, eq=False)
class FeatureStage:
    """The features of images, one artefact a group, so that a learner reads only its own."""

    store: ArtefactStore
    preset: Preset
    codebook_key: str

    def parts(self, image_key: str) -> KeyParts:
        """Return what an image's features depend on."""
        return KeyParts(self.preset.to_config(), (image_key, self.codebook_key))

    def make(self, item: TrainingImage) -> None:
        """Compute and keep the features of an image, unless they are there."""
        if not self.has(item):
            self.keep(item, compute_features(self.preset, (item.name, item.image())))

    def has(self, item: TrainingImage) -> bool:
        """Whether all features of an image are there."""
        parts = self.parts(item.image_key())
        stages = [*(f"features-{g.name}" for g in self.preset.groups), "superpixels"]
        return all(self.store.has(stage, parts) for stage in stages)

    def keep(self, item: TrainingImage, image: SuperpixelImage) -> None:
        """Put the features of an image into the store."""
        parts = self.parts(item.image_key())
        for group in self.preset.groups:
            values = Artefact({"values": image.groups[group.name]})
            self.store.put(f"features-{group.name}", parts, values)
        self.store.put("superpixels", parts, image.without_groups().to_artefact())

    def group(self, item: TrainingImage, name: str) -> npt.NDArray[Any]:
        """Return one group's features of an image, shape (P, d)."""
        found = self.store.get(f"features-{name}", self.parts(item.image_key()))
        if found is None:
            raise RuntimeError(f"the features of {item.name} are gone from {self.store.root}")
        return found.arrays["values"]

    def graph(self, item: TrainingImage, with_truth: bool) -> SuperpixelImage:
        """Return an image without features, with the truth of its mask where that is wanted."""
        found = self.store.get("superpixels", self.parts(item.image_key()))
        if found is None:
            raise RuntimeError(f"the superpixels of {item.name} are gone from {self.store.root}")
        image = SuperpixelImage.from_artefact(item.name, found)
        return image.with_truth(item.mask()) if with_truth else image

    def whole(self, item: TrainingImage) -> SuperpixelImage:
        """Return an image with all its features and its truth."""
        image = self.graph(item, with_truth=True)
        groups = {g.name: self.group(item, g.name) for g in self.preset.groups}
        return SuperpixelImage(**{**vars(image), "groups": groups})


def compute_features(preset: Preset, item: tuple[str, npt.NDArray[np.uint8]]) -> SuperpixelImage:
    """Return an image, given as name and pixels, with all its features."""
    name, image = item
    features = extract_features(image, preset, name=name, dtype="uint8")
    return SuperpixelImage.from_features(name, features)


def train_segmenter(
    items: Sequence[TrainingImage],
    config: SegmentationConfig,
    store: ArtefactStore,
    n_jobs: int = 1,
    report: Report | None = None,
    vocabulary: Sequence[TrainingImage] | None = None,
) -> Trained:
    """Train a segmenter through all its stages.

    Parameters
    ----------
    items : sequence of TrainingImage
    config : SegmentationConfig
    store : ArtefactStore
    n_jobs : int
        Processes; the model does not depend on it.
    report : callable, optional
    vocabulary : sequence of TrainingImage, optional
        The images that visual words are learned from, `items` by default. Their masks are not
        asked for, so that features need not wait for labels nor change with them.
    """
    tell = report or (lambda *_: None)
    items = reduce_items(items, config.longest_side)
    stage = feature_stage(items if vocabulary is None else vocabulary, config, store, tell)
    extract_all(stage, items, n_jobs, tell)
    images = [stage.graph(item, with_truth=True) for item in items]
    keys = tuple(k for item in items for k in (item.image_key(), item.mask_key()))
    truth = _Truth.of(images, config)
    unaries = _unaries(stage, items, truth, config, keys, n_jobs, tell)
    first = np.column_stack([oof for _, oof in unaries.values()])
    strong = _strong(stage, items, images, first, truth, config, keys, n_jobs, tell)
    scores = first if strong is None else np.column_stack([first, strong.out_of_fold])
    scale = potential_scale(scores, truth.labels, truth.known)
    model_unary = UnaryModel(
        {name: s for name, (s, _) in unaries.items()},
        None if strong is None else strong.trees,
        None if strong is None else strong.context,
        scale,
    )
    words, learned = None, None
    if config.method in ("structboost", "ssvm"):
        by_image = np.split(scores / scale, np.cumsum([i.n_superpixels for i in images])[:-1])
        learning = CRFProgress(tell, config)
        learned = cached_crf(
            store,
            crf_key(images, by_image, config),
            config.method,
            lambda: learn_crf(images, by_image, config, n_jobs, learning.step, learning.trial),
        )
        learning.end(learned)
        offset, calibration = learned.offset, learned.calibration
    else:
        alone = unaries["words"][1]
        if config.method == "svm":
            table = np.concatenate([stage.group(item, "words") for item in items])
            words, alone = fit_linear_words(
                table, truth.labels, truth.known, truth.fold, truth.area
            )
        offset = best_offset([(alone, *truth.pixels)])
        calibration = fit_calibration([(alone - offset, *truth.pixels)])
    model = SegmentationModel(
        config,
        stage.preset,
        model_unary,
        None if learned is None else learned.model,
        config.potentials if learned is None else learned.potentials,
        words,
        offset,
        calibration,
    )
    names = [*unaries, *(() if strong is None else ("trees", "context"))]
    return Trained(model, learned, dict(zip(names, scores.T, strict=True)))


def potential_scale(
    scores: FloatArray, labels: npt.NDArray[np.int64], known: npt.NDArray[np.bool_]
) -> FloatArray:
    """Return what each score is divided by: its deviation, or `MUTED` where it is worthless.

    A classifier whose out-of-fold scores are no higher on the foreground knows nothing that holds
    for new images; a CRF might turn its sign and be wrong where the final classifier is right.

    Parameters
    ----------
    scores : ndarray of shape (N, T)
        Out of fold.
    labels : ndarray of int, shape (N,)
    known : ndarray of bool, shape (N,)
    """
    foreground = scores[known & (labels == 1)].mean(axis=0)
    background = scores[known & (labels == 0)].mean(axis=0)
    scale = np.maximum(scores.std(axis=0), 1e-12)
    return np.where(foreground > background, scale, MUTED)


def feature_stage(
    items: Sequence[TrainingImage], config: SegmentationConfig, store: ArtefactStore, tell: Report
) -> FeatureStage:
    """Return the feature stage with the codebook of the training images."""
    items = reduce_items(items, config.longest_side)
    preset = find_preset(config.preset)
    parts = KeyParts({"seed": config.seed}, tuple(item.image_key() for item in items))
    tell("codebook", 0, 1, "")
    made = store.get_or_make(
        "codebook",
        parts,
        lambda: Artefact(
            learn_codebook((item.image() for item in items), random_state=config.seed).to_arrays()
        ),
    )
    tell("codebook", 1, 1, "")
    codebook = Codebook.from_arrays(dict(made.arrays))
    return FeatureStage(store, preset.with_codebook(codebook), parts.key("codebook"))


def extract_all(
    stage: FeatureStage, items: Sequence[TrainingImage], n_jobs: int, tell: Report
) -> None:
    """Compute the features of all images, several at a time."""
    tell("features", 0, len(items), "")
    extract = _extract_remotely if active_cluster() else _extract_here
    for done, _ in enumerate(extract(stage, items, n_jobs), start=1):
        tell("features", done, len(items), "")


def _extract_here(
    stage: FeatureStage, items: Sequence[TrainingImage], n_jobs: int
) -> Iterator[None]:
    """Let processes write what they made: features are large."""
    yield from map_tasks(FeatureStage.make, stage, items, n_jobs)


def _extract_remotely(
    stage: FeatureStage, items: Sequence[TrainingImage], n_jobs: int
) -> Iterator[None]:
    """Write here what the workers of a cluster made: they need not share a disk."""
    todo = [item for item in items if not stage.has(item)]
    yield from [None] * (len(items) - len(todo))
    pixels = ((item.name, item.image()) for item in todo)
    made = map_tasks(compute_features, stage.preset, pixels, n_jobs)
    for item, image in zip(todo, made, strict=True):
        stage.keep(item, image)
        yield


@dataclass(frozen=True, eq=False)
class _Truth:
    """Labels and folds of all training superpixels, one image after the other."""

    labels: npt.NDArray[np.int64]
    known: npt.NDArray[np.bool_]
    area: FloatArray
    fold: npt.NDArray[np.int64]
    image_fold: npt.NDArray[np.int64]
    pixels: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

    @classmethod
    def of(cls, images: Sequence[SuperpixelImage], config: SegmentationConfig) -> _Truth:
        area = np.concatenate([i.labelled for i in images])
        image_fold = fold_of_image(len(images), config.unary.n_folds)
        sizes = [i.n_superpixels for i in images]
        labels = np.concatenate([i.labels for i in images])
        foreground, background = zip(*(i.truth for i in images), strict=True)
        pixels = np.concatenate(foreground), np.concatenate(background)
        return cls(labels, area > 0, area, np.repeat(image_fold, sizes), image_fold, pixels)


def _unaries(
    stage: FeatureStage,
    items: Sequence[TrainingImage],
    truth: _Truth,
    config: SegmentationConfig,
    keys: tuple[str, ...],
    n_jobs: int,
    tell: Report,
) -> dict[str, tuple[StumpSum, FloatArray]]:
    """Train the classifiers of all groups, several at a time."""
    names = [g.name for g in stage.preset.groups]
    tell("unaries", 0, len(names), "")
    learn = _learn_remotely if active_cluster() else _learn_here
    found = learn(UnaryStage(stage, items, truth, config, keys), names, n_jobs)
    unaries = {}
    for done, (name, artefact) in enumerate(zip(names, found, strict=True), start=1):
        arrays = dict(artefact.arrays)
        out_of_fold = arrays.pop("out_of_fold")
        unaries[name] = (StumpSum.unpack(arrays), out_of_fold)
        tell("unaries", done, len(names), name)
    return unaries


@dataclass(frozen=True, eq=False)
class UnaryStage:
    """The classifiers of the groups, an artefact each."""

    features: FeatureStage
    items: Sequence[TrainingImage]
    truth: _Truth
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


def _strong(
    stage: FeatureStage,
    items: Sequence[TrainingImage],
    images: Sequence[SuperpixelImage],
    first: FloatArray,
    truth: _Truth,
    config: SegmentationConfig,
    keys: tuple[str, ...],
    n_jobs: int,
    tell: Report,
) -> StrongPotentials | None:
    """Train the two strong potentials, where the config has them."""
    if not config.uses_context:
        return None
    groups = [g.name for g in stage.preset.groups]
    reader = ImageReader(len(items), groups, lambda i, group: stage.group(items[i], group))
    parameters = {
        "seed": config.seed,
        "unary": asdict(config.unary),
        "preset": stage.preset.to_config(),
    }
    parts = KeyParts(parameters, (*keys, stage.codebook_key))
    return strong_potentials(
        stage.store, parts, reader, images, first, truth.image_fold, config, n_jobs, tell
    )
