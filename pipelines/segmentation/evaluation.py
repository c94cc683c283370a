"""Scores of a segmenter on labelled images, computed image by image in parallel."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from segboost.io.legend import TWO_CLASSES, ClassLegend
from segboost.pipelines.runtime.artefact_key import file_key
from segboost.pipelines.runtime.artefact_store import Artefact, ArtefactStore, KeyParts
from segboost.pipelines.runtime.parallel_map import map_tasks
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.segmentation.image_evaluation import (
    LabelledInput,
    predict_labelled,
    read_labelled,
)
from segboost.pipelines.segmentation.images.crops import working_items
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.metrics.predictions import (
    ImagePrediction,
    Scores,
    new_total,
    prediction_from_arrays,
)
from segboost.pipelines.segmentation.metrics.scores import ConfusionMatrix
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter
from segboost.pipelines.segmentation.stages.features import (
    FeatureStage,
    feature_stage,
)
from segboost.progress import Progress, QuietProgress, track
from segboost.storage.folder import DOCUMENT

EVALUATION = "test images"
"""The name of the stage in progress reports."""
STAGE = "evaluation"
"""The stage of predictions in an artefact store."""


@dataclass(frozen=True)
class EvaluationCache:
    """The cache of features and predictions.

    Parameters
    ----------
    features : FeatureStage
        Feature stage with the preset and the codebook of the model.
    model_key : str
        A digest of the model, on which the predictions depend.
    with_pixels : bool
        Whether the model needs the pixels in addition to the features.
    """

    features: FeatureStage
    model_key: str
    with_pixels: bool = False

    def parts(self, item: TrainingImage) -> KeyParts:
        """Return everything that the prediction for an image depends on."""
        return KeyParts({}, (self.model_key, item.image_key(), item.mask_key()))

    def has(self, item: TrainingImage) -> bool:
        """Whether the prediction for an image is in the cache."""
        return self.features.store.has(STAGE, self.parts(item))

    def prediction(self, item: TrainingImage) -> ImagePrediction:
        """Return the prediction for an image, which must be in the cache."""
        found = self.features.store.get(STAGE, self.parts(item))
        if found is None:
            raise RuntimeError(
                f"the prediction for {item.name} is no longer cached: evaluate again"
            )
        return prediction_from_arrays(found.arrays)

    def read(self, item: TrainingImage) -> LabelledInput:
        """Return name, features (or pixels if there are none yet) and mask of an image."""
        features = self.features
        if not features.has(item):
            return read_labelled(item)
        names = [g.name for g in features.preset.groups]
        groups = {name: features.group(item, name) for name in names}
        pixels = item.image() if self.with_pixels else None
        image = replace(features.graph(item, with_truth=False), groups=groups, pixels=pixels)
        return item.name, image, item.mask()

    def keep(
        self, item: TrainingImage, made: tuple[SuperpixelImage | None, ImagePrediction]
    ) -> ImagePrediction:
        """Store the prediction for an image, and its features if they are new."""
        image, prediction = made
        if image is not None:
            self.features.keep(item, image)
        self.features.store.put(STAGE, self.parts(item), Artefact(vars(prediction)))
        return prediction


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of a segmenter on labelled images.

    Parameters
    ----------
    scores : SegmentationScores or ClassScores
        Over all pixels of all images; `SegmentationScores` for two classes.
    images : dict of name to SegmentationScores or ClassScores
        The scores of each image.
    predictions : dict of name to RegionPrediction or ClassPrediction
        The predictions and the truth that they were computed from.
    legend : ClassLegend
        Names and colours of the classes.
    """

    scores: Scores
    images: dict[str, Scores]
    predictions: dict[str, ImagePrediction]
    legend: ClassLegend = TWO_CLASSES

    def without(self, names: Collection[str]) -> Scores:
        """Return the scores over all images but these."""
        total = new_total(self.legend.n_classes)
        for name, found in self.predictions.items():
            if name not in names:
                found.add_to(total)
        return total.result()

    @property
    def matrix(self) -> ConfusionMatrix:
        """Pixels of all images by true and predicted class."""
        matrix = ConfusionMatrix.empty(self.legend.n_classes)
        for found in self.predictions.values():
            matrix = matrix + found.matrix
        return matrix

    def summary(self) -> dict[str, Any]:
        """Return the scores over all images as JSON values, with those of each class."""
        matrix = self.matrix
        classes = matrix.class_rows(self.legend.names)
        counts = {"classes": classes, "confusion": matrix.counts.tolist()}
        return {**self.scores.to_dict(), **counts}

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        images = {name: scores.to_dict() for name, scores in self.images.items()}
        return {"scores": self.summary(), "images": images}


def evaluate_model(
    model: Segmenter,
    items: Sequence[TrainingImage],
    n_jobs: int = 1,
    progress: Progress | None = None,
    cache: EvaluationCache | None = None,
) -> Evaluation:
    """Segment labelled images and measure over all their pixels, ignoring void ones.

    Parameters
    ----------
    model : SegmentationModel or ClassSegmentationModel
    items : sequence of TrainingImage
    n_jobs : int
        Number of processes; the scores do not depend on it.
    progress : Progress, optional
    cache : EvaluationCache, optional

    Raises
    ------
    ValueError
        Names the image that cannot be read or does not fit its mask.
    """
    if not items:
        raise ValueError("there are no images to evaluate on: choose another --split")
    items = working_items(items, model.config.longest_side)
    tell = progress or QuietProgress()
    predictions = predict_all(model, items, n_jobs, cache)
    total = new_total(model.legend.n_classes)
    images: dict[str, Scores] = {}
    kept: dict[str, ImagePrediction] = {}
    for item, found in zip(items, track(predictions, tell, EVALUATION, len(items)), strict=True):
        images[item.name] = found.add_to(total)
        kept[item.name] = found
    return Evaluation(total.result(), images, kept, model.legend)


def evaluate_saved(
    folder: Path,
    model: Segmenter,
    train: Sequence[TrainingImage],
    test: Sequence[TrainingImage],
    store: ArtefactStore,
    n_jobs: int,
    progress: Progress,
) -> Evaluation:
    """Evaluate a model that was saved in a folder, caching features and predictions in a store.

    Parameters
    ----------
    folder : Path
    model : SegmentationModel or ClassSegmentationModel
        The same model, in memory.
    train : sequence of TrainingImage
        The images that it was trained on, which identify its visual words in the store.
    test : sequence of TrainingImage
    store : ArtefactStore
    n_jobs : int
    progress : Progress
    """
    with single_threaded():
        features = feature_stage(train, model.config, store, QuietProgress())
        needs_pixels = model.borders is not None
        cached = EvaluationCache(features, file_key(folder / DOCUMENT), needs_pixels)
        return evaluate_model(model, test, n_jobs, progress, cached)


def predict_all(
    model: Segmenter,
    items: Sequence[TrainingImage],
    n_jobs: int,
    cache: EvaluationCache | None = None,
) -> Iterator[ImagePrediction]:
    """Yield the prediction for every image, with its truth.

    Cached predictions and features are reused; new ones are added to the cache.
    """
    if cache is None:
        found = map_tasks(predict_labelled, model, items, n_jobs, prepare=read_labelled)
        yield from (prediction for _, prediction in found)
        return
    todo = [item for item in items if not cache.has(item)]
    made = map_tasks(predict_labelled, model, todo, n_jobs, prepare=cache.read, keep=cache.keep)
    waiting = {id(item) for item in todo}
    for item in items:
        yield next(made) if id(item) in waiting else cache.prediction(item)
