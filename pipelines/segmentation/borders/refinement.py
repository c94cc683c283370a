"""Refinement of the border of the foreground by a classifier of the pixels near it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import logit

from segboost._types import AnyArray, Float32Array, FloatArray, Int32Array, Int64Array
from segboost.boosting.ensemble import TreeBooster
from segboost.features.luv import rgb_to_luv
from segboost.features.pixels import columns as pixel_features
from segboost.features.pixels.columns import PixelSource
from segboost.pipelines.segmentation.borders.border_band import band_pixels, border_distance
from segboost.pipelines.segmentation.borders.border_pixels import rgb_and_maps, score_in_batches
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings
from segboost.pipelines.segmentation.decisions.calibration import Calibration
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage

CALIBRATION = "calibration_"


@dataclass(frozen=True, eq=False)
class BandScores:
    """The pixels near the border of an image and their scores, shape (n,) each."""

    rows: Int64Array
    columns: Int64Array
    score: FloatArray


@dataclass(frozen=True, eq=False)
class BorderRefinement:
    """Boosted trees over the features of pixels near borders.

    Parameters
    ----------
    trees : TreeBooster
    calibration : Calibration
        Maps scores of superpixels to probabilities, from which the trees' features are computed.
    threshold : float
        Log-odds above which a pixel is foreground.
    settings : BorderSettings
    """

    trees: TreeBooster
    calibration: Calibration
    threshold: float
    settings: BorderSettings

    def margins(self, node: FloatArray) -> FloatArray:
        """Return the margins of superpixels with these scores; see the function `margins`."""
        return margins(self.calibration, node)

    def band(self, image: SuperpixelImage, margin: FloatArray) -> BandScores:
        """Return the scores of the pixels near the border, positive for foreground.

        Parameters
        ----------
        image : SuperpixelImage
            With its pixels.
        margin : ndarray of shape (P,)
            From `margins`.
        """
        distance = border_distance((margin > 0)[image.superpixels])
        rows, columns = image.wanted_pixels(*band_pixels(distance, self.settings.width))
        if not rows.size:
            return BandScores(rows, columns, np.empty(0))
        describe = pixel_describer(image, margin, distance, self.settings)
        score = score_in_batches(
            lambda y, x: self.trees.decision_function(describe(y, x)), rows, columns
        )
        return BandScores(rows, columns, score - self.threshold)

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays that `from_arrays` takes."""
        knots = {f"{CALIBRATION}{k}": a for k, a in self.calibration.to_arrays().items()}
        return {**self.trees.to_arrays(), **knots, "cut": np.array(self.threshold)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray], settings: BorderSettings) -> Self:
        """Return the refinement from the arrays of `to_arrays`; ValueError if inconsistent."""
        knots = {
            name.removeprefix(CALIBRATION): a
            for name, a in arrays.items()
            if name.startswith(CALIBRATION)
        }
        threshold = float(arrays["cut"])
        if not np.isfinite(threshold):
            raise ValueError("the threshold of the border refinement must be finite")
        return cls(
            TreeBooster.from_arrays(arrays), Calibration.from_arrays(knots), threshold, settings
        )


def margins(calibration: Calibration, node: FloatArray) -> FloatArray:
    """Return ``logit p(s) − logit p(0)`` for scores s of superpixels, with the sign of s."""
    log_odds = logit(calibration(node)) - logit(calibration(np.zeros(1)))
    # Where the calibration is flat, keep the sign of the score.
    smallest = np.where(node > 0, 1e-6, -1e-6)
    return np.where(np.sign(log_odds) == np.sign(smallest), log_odds, smallest)


def pixel_describer(
    image: SuperpixelImage,
    margin: FloatArray,
    distance: Int32Array,
    settings: BorderSettings,
) -> Callable[[Int64Array, Int64Array], Float32Array]:
    """Return a function from rows and columns to the features of these pixels."""
    rgb, maps = rgb_and_maps(image, settings)
    source = PixelSource(rgb_to_luv(rgb), image.superpixels, margin, distance)
    return pixel_features.describe_pixels(source, maps)
