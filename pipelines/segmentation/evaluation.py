"""Scores of a segmenter on labelled images, one image at a time, several at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost.pipelines.runtime.artefact_store import Artefact, KeyParts
from segboost.pipelines.runtime.parallel_map import active_cluster, map_tasks
from segboost.pipelines.runtime.progress import Progress, QuietProgress, track
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.working_size import reduce_items
from segboost.pipelines.segmentation.metrics.scores import (
    SegmentationEvaluation,
    SegmentationScores,
)
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.pipelines.segmentation.stages.features import FeatureStage, TrainingImage


@dataclass(frozen=True)
class EvaluationCache:
    """Where features and answers are kept.

    Parameters
    ----------
    features : FeatureStage
        Of the preset and the codebook of the model.
    model_key : str
        A digest of the model: another model has other answers.
    """

    features: FeatureStage
    model_key: str

    def parts(self, item: TrainingImage) -> KeyParts:
        """Return what the answer for an image depends on."""
        return KeyParts({}, (self.model_key, item.image_key(), item.mask_key()))

    def image(self, item: TrainingImage) -> SuperpixelImage:
        """Return an image with its features, which are there, and without its truth."""
        names = [g.name for g in self.features.preset.groups]
        groups = {name: self.features.group(item, name) for name in names}
        return replace(self.features.graph(item, with_truth=False), groups=groups)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What was measured.

    Parameters
    ----------
    scores : SegmentationScores
        Over all pixels of all images.
    images : dict of name to SegmentationScores
        Those of every image alone.
    answers : dict of name to RegionAnswer
        What they were measured on.
    """

    scores: SegmentationScores
    images: dict[str, SegmentationScores]
    answers: dict[str, RegionAnswer]

    def without(self, names: Collection[str]) -> SegmentationScores:
        """Return the scores over all images but these."""
        total = SegmentationEvaluation()
        for name, found in self.answers.items():
            if name not in names:
                _add(total, found)
        return total.result()

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        images = {name: scores.to_dict() for name, scores in self.images.items()}
        return {"scores": self.scores.to_dict(), "images": images}


@dataclass(frozen=True, eq=False)
class RegionAnswer:
    """The scores and the true pixels of an image's superpixels, each of shape (P,)."""

    score: npt.NDArray[np.float64]
    foreground: npt.NDArray[np.int64]
    background: npt.NDArray[np.int64]


def evaluate_model(
    model: SegmentationModel,
    items: Sequence[TrainingImage],
    n_jobs: int = 1,
    progress: Progress | None = None,
    cache: EvaluationCache | None = None,
) -> Evaluation:
    """Segment labelled images and measure over all their pixels; void ones count nowhere.

    Parameters
    ----------
    model : SegmentationModel
    items : sequence of TrainingImage
    n_jobs : int
        Processes; the scores do not depend on it.
    progress : Progress, optional
    cache : EvaluationCache, optional

    Raises
    ------
    ValueError
        Names the image that cannot be read or does not fit its mask.
    """
    if not items:
        raise ValueError("there are no images to evaluate on; choose another --split")
    items = reduce_items(items, model.config.longest_side)
    tell = progress or QuietProgress()
    answer = _answer_remotely if active_cluster() else _answer_here
    answers = answer(model, items, n_jobs, cache)
    total = SegmentationEvaluation()
    images, kept = {}, {}
    for item, found in zip(items, track(answers, tell, "evaluation", len(items)), strict=True):
        images[item.name] = _add(total, found)
        kept[item.name] = found
    return Evaluation(total.result(), images, kept)


def _add(total: SegmentationEvaluation, found: RegionAnswer) -> SegmentationScores:
    return total.add_regions(found.score > 0, found.foreground, found.background, found.score)


def answer_image(
    model: SegmentationModel, item: TrainingImage, cache: EvaluationCache | None = None
) -> RegionAnswer:
    """Return the scores of an image's superpixels beside their truth."""
    if cache is None:
        return _answer(model, check_pair(model.prepare(item.image(), item.name), item))

    def make() -> Artefact:
        cache.features.make(item)
        return Artefact(vars(_answer(model, check_pair(cache.image(item), item))))

    store = cache.features.store
    return RegionAnswer(**store.get_or_make("evaluation", cache.parts(item), make).arrays)


def _answer_here(
    model: SegmentationModel,
    items: Sequence[TrainingImage],
    n_jobs: int,
    cache: EvaluationCache | None,
) -> Iterator[RegionAnswer]:
    yield from map_tasks(_answer_task, (model, cache), items, n_jobs)


def _answer_task(
    shared: tuple[SegmentationModel, EvaluationCache | None], item: TrainingImage
) -> RegionAnswer:
    model, cache = shared
    return answer_image(model, item, cache)


def _answer_remotely(
    model: SegmentationModel,
    items: Sequence[TrainingImage],
    n_jobs: int,
    cache: EvaluationCache | None,
) -> Iterator[RegionAnswer]:
    """Send pixels, or features where they are there; keep here what comes back."""
    if cache is None:
        pixels = ((item.name, item.image(), item.mask()) for item in items)
        for _, answer in map_tasks(_answer_pixels, model, pixels, n_jobs):
            yield answer
        return
    features = cache.features
    todo = [item for item in items if not features.store.has("evaluation", cache.parts(item))]
    sent = ((i.name, cache.image(i) if features.has(i) else i.image(), i.mask()) for i in todo)
    made = map_tasks(_answer_pixels, model, sent, n_jobs)
    for item in items:
        if item in todo:
            image, answer = next(made)
            if image is not None:
                features.keep(item, image)
            features.store.put("evaluation", cache.parts(item), Artefact(vars(answer)))
        yield answer_image(model, item, cache)


def _answer_pixels(
    model: SegmentationModel,
    item: tuple[str, npt.NDArray[np.uint8] | SuperpixelImage, npt.NDArray[np.uint8]],
) -> tuple[SuperpixelImage | None, RegionAnswer]:
    """Return the answer for an image, with the features where they were computed here."""
    name, given, mask = item
    image = given if isinstance(given, SuperpixelImage) else model.prepare(given, name)
    answer = _answer(model, _add_truth(image, mask, name))
    return None if image is given else image, answer


def check_pair(image: SuperpixelImage, item: TrainingImage) -> SuperpixelImage:
    """Return the image with the truth of its mask; ValueError where their sizes differ."""
    return _add_truth(image, item.mask(), item.name)


def _add_truth(image: SuperpixelImage, mask: npt.NDArray[np.uint8], name: str) -> SuperpixelImage:
    if mask.shape != image.superpixels.shape:
        (height, width), (tall, wide) = image.superpixels.shape, mask.shape
        raise ValueError(
            f"{name}: the image is {width}×{height}, its mask {wide}×{tall}: make them equal"
        )
    return image.with_truth(mask)


def _answer(model: SegmentationModel, image: SuperpixelImage) -> RegionAnswer:
    return RegionAnswer(model.node_scores(image), *image.truth)
