"""A trained segmenter: from an image to a mask and a score map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray
from segboost.features.extract import ImageFeatures, extract_features
from segboost.features.image import ImageLike
from segboost.features.presets import Preset
from segboost.pipelines.segmentation.borders.refinement import BorderRefinement
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings
from segboost.pipelines.segmentation.decisions.calibration import Calibration
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.working_size import (
    image_shape,
    reduce_image,
    resize_labels,
    to_bytes,
)
from segboost.pipelines.segmentation.model.unaries import UnaryModel
from segboost.pipelines.segmentation.potentials.crf_potentials import CRFModel, crf_instance
from segboost.pipelines.segmentation.potentials.linear_words import LinearWords


@dataclass(frozen=True, eq=False)
class Segmentation:
    """The answer for one image.

    Parameters
    ----------
    mask : ndarray of uint8, shape (H, W)
        1 where foreground.
    scores : ndarray of float64, shape (H, W)
        Higher where foreground is more likely; positive where the mask is 1.
    superpixels : ndarray of int32, shape (H, W)
    """

    mask: npt.NDArray[np.uint8]
    scores: FloatArray
    superpixels: npt.NDArray[np.int32]


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
        None for the methods that classify superpixels one by one.
    potentials : PotentialSettings
    words : LinearWords or None
        The classifier of method "svm".
    offset : float
        Subtracted from every score, so that those above 0 are foreground.
    calibration : Calibration or None
        Maps scores minus the offset to probabilities; None for models of older versions.
    borders : BorderRefinement or None
        Decides about the pixels near borders one by one.
    widths : mapping of str to int
        The number of columns that each group had in training; empty for models of older versions.
    """

    config: SegmentationConfig
    preset: Preset
    unary: UnaryModel
    crf: CRFModel | None
    potentials: PotentialSettings
    words: LinearWords | None = None
    offset: float = 0.0
    calibration: Calibration | None = None
    borders: BorderRefinement | None = None
    widths: Mapping[str, int] = field(default_factory=dict)

    def prepare(self, image: ImageLike, name: str = "") -> SuperpixelImage:
        """Compute the superpixels and features of an image, at its working size."""
        small = reduce_image(image, self.config.longest_side)
        wanted = () if self.borders is None else self.borders.wanted_maps
        features = extract_features(small, self.preset, name=name, dtype="uint8", maps=wanted)
        self._check_widths(features)
        found = SuperpixelImage.from_features(name, features)
        return found if self.borders is None else self.with_pixels(found, small)

    def with_pixels(self, image: SuperpixelImage, pixels: ImageLike) -> SuperpixelImage:
        """Return the image with its pixels, if the model needs them to refine borders."""
        if self.borders is None:
            return image
        return replace(image, pixels=to_bytes(pixels))

    def _check_widths(self, features: ImageFeatures) -> None:
        """Raise ValueError if a group has other columns than in training.

        The compiled sums and trees do not check array bounds.
        """
        for group, width in self.widths.items():
            found = features[group].shape[1]
            if found != width:
                raise ValueError(
                    f"group {group!r}: expected {width} columns as in training, got {found}"
                )

    def node_scores(self, image: SuperpixelImage) -> FloatArray:
        """Return a score for every superpixel, shape (P,): positive where foreground.

        For a CRF the exact min-marginals ``min_{y: y_p = 0} E − min_{y: y_p = 1} E``, else the
        score of the superpixel classifier; the model's offset is subtracted from either.
        """
        return self._raw_scores(image) - self.offset

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Return the probability of foreground for scores of this model, in their shape.

        Raises
        ------
        ValueError
            If the model was trained without calibration, by an older version.
        """
        if self.calibration is None:
            raise ValueError(
                "this model has no probabilities, since an older segboost trained it: train it "
                "again, or use its scores"
            )
        return self.calibration(scores)

    @property
    def probability_cut(self) -> float:
        """The probability of the score 0, at which masks are cut."""
        return float(self.probabilities(np.zeros(1))[0])

    def _raw_scores(self, image: SuperpixelImage) -> FloatArray:
        if self.words is not None:
            return self.words(image.groups["words"])
        if self.config.method == "adaboost":
            return self.unary.stumps["words"].scores(image.groups["words"])[:, 0]
        scores = self.unary.scores(image)
        if self.crf is None:
            return scores[:, -1]
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

    def predict(self, image: ImageLike, name: str = "") -> Segmentation:
        """Segment one image."""
        prepared = self.prepare(image, name)
        shape = image_shape(image)
        scores = resize_labels(self.score_pixels(prepared), shape)
        superpixels = resize_labels(prepared.superpixels, shape)
        return Segmentation((scores > 0).astype(np.uint8), scores, superpixels)
