"""A trained segmenter: from an image to a mask and a score map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from segboost._types import FloatArray
from segboost.features import Preset
from segboost.features.image import ImageLike
from segboost.io.legend import TWO_CLASSES, ClassLegend
from segboost.pipelines.segmentation.borders.refinement import BorderRefinement
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings
from segboost.pipelines.segmentation.decisions.calibration import Calibration
from segboost.pipelines.segmentation.images.page_view import PageView
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.model.segmentation import (
    Preparation,
    Segmentation,
    at_full_size,
)
from segboost.pipelines.segmentation.model.unary_model import UnaryModel
from segboost.pipelines.segmentation.potentials.crf.crf_potentials import CRFModel, crf_instance
from segboost.pipelines.segmentation.potentials.crf.fixed_crf import smoothed_scores
from segboost.pipelines.segmentation.potentials.linear_words import LinearWords


@dataclass(frozen=True, eq=False)
class SegmentationModel:
    """A trained segmenter, which is saved in a folder.

    Parameters
    ----------
    config : SegmentationConfig
    preset : Preset
        The preset with its codebook.
    unary : UnaryModel
    crf : CRFStructBoost, CRFStructuredSVM or None
        None for the methods that classify superpixels one by one, and if the CRF has fixed
        weights, which are in the settings.
    potentials : PotentialSettings
    words : LinearWords or None
        The classifier of method "svm".
    threshold : float
        Subtracted from every score, so that those above 0 are foreground.
    calibration : Calibration or None
        Maps scores minus the threshold to probabilities; None for models of older versions.
    borders : BorderRefinement or None
        Classifies the pixels near borders one by one.
    widths : mapping of str to int
        The number of columns that each group had in training; empty for models of older versions.
    legend : ClassLegend
        Names and colours of background and foreground.
    """

    config: SegmentationConfig
    preset: Preset
    unary: UnaryModel
    crf: CRFModel | None
    potentials: PotentialSettings
    words: LinearWords | None = None
    threshold: float = 0.0
    calibration: Calibration | None = None
    borders: BorderRefinement | None = None
    widths: Mapping[str, int] = field(default_factory=dict)
    legend: ClassLegend = TWO_CLASSES

    @property
    def n_classes(self) -> int:
        """The number of classes: two."""
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
        """Return a score for every superpixel, shape (P,): positive where foreground.

        For a CRF the exact min-marginals ``min_{y: y_p = 0} E − min_{y: y_p = 1} E``, else the
        score of the superpixel classifier; the model's threshold is subtracted from either.
        """
        return self._raw_scores(image) - self.threshold

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Return the probability of foreground for scores of this model, in their shape.

        Raises
        ------
        ValueError
            If the model was trained without calibration, by an older version.
        """
        if self.calibration is None:
            raise ValueError(
                "this model was trained by an older segboost and has no probabilities: train it "
                "again, or use its scores"
            )
        return self.calibration(scores)

    @property
    def probability_cut(self) -> float:
        """The probability of the score 0, at which masks are thresholded."""
        return float(self.probabilities(np.zeros(1))[0])

    def _raw_scores(self, image: SuperpixelImage) -> FloatArray:
        if self.words is not None:
            return self.words(image.groups["words"])
        if self.config.method == "adaboost":
            return self.unary.stumps["words"].scores(image.groups["words"])[:, 0]
        scores = self.unary.scores(image)
        if self.crf is None:
            settings, fixed = self.config.linear, self.unary.linear is not None
            fixed = fixed and self.config.learns_crf and settings.smoothness > 0
            return smoothed_scores(image, scores[:, -1], settings) if fixed else scores[:, -1]
        return self.crf.score_nodes(crf_instance(image, scores, self.potentials, False))

    def score_pixels(self, image: SuperpixelImage) -> FloatArray:
        """Return the score of every pixel, shape (H, W): positive where foreground."""
        node = self.node_scores(image)
        if self.borders is None:
            return node[image.superpixels]
        margin = self.borders.margins(node)
        scores = margin[image.superpixels]
        band = self.borders.band(image, margin)
        scores[band.rows, band.columns] = band.score
        return scores

    def predict(
        self, image: ImageLike, name: str = "", page: PageView | None = None
    ) -> Segmentation:
        """Segment one image or, with `page`, a part of a large page."""
        prepared = self.prepare(image, name, page)
        scores = at_full_size(self.score_pixels(prepared), image, page)
        superpixels = at_full_size(prepared.superpixels, image, page)
        return Segmentation((scores > 0).astype(np.uint8), scores, superpixels)
