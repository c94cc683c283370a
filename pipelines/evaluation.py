"""Scores of a segmenter on labelled images, one image at a time, several at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from segboost.pipelines.artefacts import Artefact, KeyParts
from segboost.pipelines.metrics import SegmentationEvaluation, SegmentationScores
from segboost.pipelines.progress import Progress, QuietProgress, track
from segboost.pipelines.segmentation_model import SegmentationModel
from segboost.pipelines.segmentation_training import FeatureStage, TrainingImage
from segboost.pipelines.superpixel_image import SuperpixelImage


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
    tell = progress or QuietProgress()
    jobs = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1)
    answers = jobs(delayed(answer_image)(model, item, cache) for item in items)
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
    features = cache.features

    def make() -> Artefact:
        features.make(item)
        known = SuperpixelImage(
            **{
                **vars(check_pair(features.graph(item, with_truth=False), item)),
                "groups": {g.name: features.group(item, g.name) for g in features.preset.groups},
            }
        )
        return Artefact(vars(_answer(model, known)))

    parts = KeyParts({}, (cache.model_key, item.image_key(), item.mask_key()))
    return RegionAnswer(**features.store.get_or_make("evaluation", parts, make).arrays)


def check_pair(image: SuperpixelImage, item: TrainingImage) -> SuperpixelImage:
    """Return the image with the truth of its mask; ValueError where their sizes differ."""
    mask = item.mask()
    if mask.shape != image.superpixels.shape:
        (height, width), (tall, wide) = image.superpixels.shape, mask.shape
        raise ValueError(
            f"{item.name}: the image is {width}×{height}, its mask {wide}×{tall}: make them equal"
        )
    return image.with_truth(mask)


def _answer(model: SegmentationModel, image: SuperpixelImage) -> RegionAnswer:
    return RegionAnswer(model.node_scores(image), *image.truth)
