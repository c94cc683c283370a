"""A trained segmenter of several classes: from an image to a mask and a score map per class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from segboost._types import Float32Array, FloatArray
from segboost.features.image import ImageLike
from segboost.features.presets import Preset
from segboost.io.legend import ClassLegend
from segboost.pipelines.segmentation.borders.class_refinement import ClassRefinement
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings
from segboost.pipelines.segmentation.decisions.class_calibration import ClassCalibration
from segboost.pipelines.segmentation.images.page_view import PageView
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.model.class_unary_model import ClassUnaryModel
from segboost.pipelines.segmentation.model.segmentation import (
    Preparation,
    Segmentation,
    at_full_size,
)
from segboost.pipelines.segmentation.potentials.crf.class_crf_potentials import crf_class_scores
from segboost.pipelines.segmentation.potentials.crf.crf_potentials import CRFModel


@dataclass(frozen=True, eq=False)
class ClassSegmentationModel:
    """A trained segmenter of several classes, which is saved in a folder.

    Parameters
    ----------
    config : SegmentationConfig
    preset : Preset
        The preset with its codebook.
    legend : ClassLegend
        Names and colours of the K classes.
    unary : ClassUnaryModel
    crf : CRFStructBoost, CRFStructuredSVM or None
        None for the method "trees".
    potentials : PotentialSettings
    calibration : ClassCalibration
        Maps the scores of superpixels to log-probabilities.
    offsets : ndarray of shape (K,)
        Added to the scores of pixels before the largest is chosen.
    probability : ClassCalibration
        Maps the scores of pixels, offsets included, to log-probabilities.
    borders : ClassRefinement or None
        Classifies doubtful pixels one by one.
    widths : mapping of str to int
        The number of columns that each group had in training.
    """

    config: SegmentationConfig
    preset: Preset
    legend: ClassLegend
    unary: ClassUnaryModel
    crf: CRFModel | None
    potentials: PotentialSettings
    calibration: ClassCalibration
    offsets: FloatArray
    probability: ClassCalibration
    borders: ClassRefinement | None = None
    widths: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_classes(self) -> int:
        """The number of classes K."""
        return self.legend.n_classes

    def prepare(
        self, image: ImageLike, name: str = "", page: PageView | None = None
    ) -> SuperpixelImage:
        """Compute the superpixels and features of an image, at its working size.

        With `page`, the image is a part of a large page.
        """
        maps = None if self.borders is None else self.borders.settings.wanted_maps
        prepare = Preparation(self.preset, self.widths, self.config.longest_side, maps)
        return prepare(image, name, page)

    def node_scores(self, image: SuperpixelImage) -> FloatArray:
        """Return the log-probabilities of the classes for every superpixel, shape (P, K)."""
        scores = self.unary.scores(image)
        if self.crf is not None:
            scores = crf_class_scores(self.crf, image, scores, self.potentials, self.n_classes)
        return self.calibration(scores)

    def score_pixels(self, image: SuperpixelImage) -> Float32Array:
        """Return the scores of the classes for every pixel, shape (H, W, K); the largest wins."""
        nodes = self.node_scores(image)
        if self.borders is None:
            found: Float32Array = nodes.astype(np.float32)[image.superpixels]
        else:
            found = self.borders.refine(image, nodes)
        found += self.offsets.astype(np.float32)
        return found

    def probabilities(self, scores: npt.NDArray[np.floating]) -> FloatArray:
        """Return the probabilities of the classes for scores of this model, shape (…, K)."""
        return np.exp(self.probability(scores))

    def predict(
        self, image: ImageLike, name: str = "", page: PageView | None = None
    ) -> Segmentation:
        """Segment one image or, with `page`, a part of a large page."""
        prepared = self.prepare(image, name, page)
        scores = at_full_size(self.score_pixels(prepared), image, page)
        superpixels = at_full_size(prepared.superpixels, image, page)
        return Segmentation(scores.argmax(axis=-1).astype(np.uint8), scores, superpixels)
