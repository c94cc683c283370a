"""Segmentation of images in one object: fit, predict, evaluate, save, load."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy.typing as npt
from sklearn.exceptions import NotFittedError

from segboost._types import ByteArray, FloatArray
from segboost.features.image import ImageLike
from segboost.features.presets import Preset
from segboost.io.legend import TWO_CLASSES, ClassLegend, default_legend
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.segmentation.checked_training import StageReporter, check_and_train
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.evaluation import evaluate_model
from segboost.pipelines.segmentation.images.array_images import count_classes, label_arrays
from segboost.pipelines.segmentation.metrics.predictions import Scores
from segboost.pipelines.segmentation.model.large_image import segment_image
from segboost.pipelines.segmentation.model.segmentation import Segmentation
from segboost.pipelines.segmentation.model.segmenter_files import (
    Segmenter,
    as_two_class_model,
    load_segmenter,
    save_segmenter,
)
from segboost.progress import Progress, QuietProgress


class SegmentationPipeline:
    """Segmentation into two or more classes, learned from images and masks.

    It consists of superpixels, features, boosted unary potentials trained out of fold, and a CRF
    whose weights are learned.

    Parameters
    ----------
    preset : str, Preset or mapping, optional
        Superpixels, feature groups and the settings that belong to them: "default", "fast",
        "classic", "paper", or a user-defined preset, as an object or as JSON values;
        "default" unless `settings` names one.
    method : "structboost", "ssvm", "trees", "adaboost" or "svm"
        The first two learn a CRF; `trees` uses its strongest potential alone; the last two
        classify superpixels by their visual words, which `classic` and `paper` have.
    C : float, optional
        The weight of the training loss; by default chosen by cross-validation over blocks of the
        training images.
    seed : int
        Random seed; the model does not depend on the number of jobs.
    n_jobs : int
        Number of processes.
    cache : path, optional
        A folder for the results of stages, which a later fit on the same images reuses. By
        default a temporary one.
    settings : mapping, optional
        Further entries of `SegmentationConfig` and its parts: ``{"unary": {"n_stumps": 200}}``.
    progress : Progress, optional
        Called with a report of every step.
    allow_import : collection of str
        Functions (``"package.module:function"``) and folders that a preset given as a mapping may
        use. Those of a `Preset` object are always allowed.
    classes : sequence of str or ClassLegend, optional
        The names of the classes 0 … K−1. By default, their number is taken from the masks.

    Attributes
    ----------
    model_ : SegmentationModel or ClassSegmentationModel
        After `fit` or `load`.
    """

    def __init__(
        self,
        preset: str | Preset | Mapping[str, Any] | None = None,
        method: str = "structboost",
        C: float | None = None,
        seed: int = 0,
        n_jobs: int = 1,
        cache: str | os.PathLike[str] | None = None,
        settings: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
        allow_import: Collection[str] = (),
        classes: Sequence[str] | ClassLegend | None = None,
    ) -> None:
        self.preset = preset
        self.method = method
        self.C = C
        self.seed = seed
        self.n_jobs = n_jobs
        self.cache = cache
        self.settings = settings
        self.progress = progress
        self.allow_import = allow_import
        self.classes = classes

    def config(self) -> SegmentationConfig:
        """Return the settings as one object, checked."""
        own: dict[str, Any] = {"method": self.method, "seed": self.seed}
        own |= {name: v for name in ("preset", "C") if (v := getattr(self, name)) is not None}
        if isinstance(self.preset, Preset):
            own["preset"] = self.preset.to_config()
        config = SegmentationConfig.from_dict({**(self.settings or {}), **own})
        if not isinstance(self.preset, Preset):
            config.refuse_imports(self.allow_import)
        return config

    def fit(self, images: Sequence[ImageLike], masks: Sequence[npt.ArrayLike]) -> Self:
        """Learn from images and masks.

        Parameters
        ----------
        images : sequence of images
            Arrays of shape (H, W, 3) or (H, W), uint8, uint16 or floats in [0, 1], or Pillow
            images; their sizes may differ. If they were taken in some order, keep it: folds are
            contiguous blocks, because neighbours often show the same scene.
        masks : sequence of array-like of shape (H, W)
            Booleans; or 0, 1 and 255 for void; or 0 and 255 for foreground. With more classes,
            0 … K−1 and 255 for void.
        """
        config = self.config()
        legend = self._legend(masks)
        items = label_arrays(images, masks, legend.n_classes)
        with tempfile.TemporaryDirectory() as place:
            store = ArtefactStore(Path(place if self.cache is None else self.cache))
            with StageReporter(self.progress or QuietProgress()) as report:
                self.model_ = check_and_train(
                    items, config, store, self.n_jobs, report, legend=legend
                ).model
        return self

    def predict(self, image: ImageLike) -> ByteArray:
        """Return the mask of an image, shape (H, W): the class, or 1 where foreground."""
        return self.segment(image).mask

    def predict_scores(self, image: ImageLike) -> FloatArray:
        """Return the score map of an image, shape (H, W): positive where foreground.

        With more than two classes, shape (H, W, K): highest at the class of the mask.
        """
        return self.segment(image).scores

    def predict_proba(self, image: ImageLike) -> FloatArray:
        """Return the probability of foreground of every pixel, shape (H, W).

        Calibrated: of the pixels with probability 0.7, 70 % are foreground, on images like the
        training ones. The mask of `predict` is thresholded where the measure `select`, by default
        the mean IoU, is best, which is in general not at 0.5; see `probability_cut`. With more
        than two classes, the probability of each class, shape (H, W, K).
        """
        found = self.segment(image)
        return self._fitted().probabilities(found.scores)

    @property
    def probability_cut(self) -> float:
        """The threshold of `predict`: the probability of the score 0. Two classes only."""
        return as_two_class_model(self._fitted()).probability_cut

    def segment(self, image: ImageLike) -> Segmentation:
        """Return mask, score map and superpixels of an image; large ones are cut into tiles."""
        model = self._fitted()
        with single_threaded():
            return segment_image(model, image)

    def evaluate(self, images: Sequence[ImageLike], masks: Sequence[npt.ArrayLike]) -> Scores:
        """Return the scores over all pixels of labelled images; void pixels are ignored.

        `SegmentationScores` for two classes, `ClassScores` for more.
        """
        model = self._fitted()
        with single_threaded():
            items = label_arrays(images, masks, model.legend.n_classes)
            return evaluate_model(model, items, self.n_jobs, self.progress).scores

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the model to a folder of JSON and npz, as ``segboost train`` does."""
        return save_segmenter(self._fitted(), folder)

    @classmethod
    def load(
        cls,
        folder: str | os.PathLike[str],
        n_jobs: int = 1,
        allow_import: Collection[str] = (),
    ) -> Self:
        """Return the pipeline of a model folder; its predictions are bit-identical.

        Parameters
        ----------
        folder : path
        n_jobs : int
        allow_import : collection of str
            Functions (``"package.module:function"``) and folders that the model may use.
        """
        model = load_segmenter(folder, allow_import)
        rest = model.config.to_dict()
        own = {key: rest.pop(key) for key in ("preset", "method", "C", "seed")}
        pipeline = cls(
            **own,
            n_jobs=n_jobs,
            settings=rest,
            allow_import=allow_import,
            classes=None if model.legend == TWO_CLASSES else model.legend,
        )
        pipeline.model_ = model
        return pipeline

    def _legend(self, masks: Sequence[npt.ArrayLike]) -> ClassLegend:
        if isinstance(self.classes, ClassLegend):
            return self.classes
        if self.classes is not None:
            plain = default_legend(len(self.classes))
            return ClassLegend(tuple(self.classes), plain.colours)
        n_classes = count_classes(masks)
        return TWO_CLASSES if n_classes == 2 else default_legend(n_classes)

    def _fitted(self) -> Segmenter:
        if not hasattr(self, "model_"):
            raise NotFittedError("this SegmentationPipeline is not fitted yet: call fit or load")
        return self.model_
