"""Refinement of the borders between several classes, pixel by pixel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.ndimage import maximum_filter, minimum_filter

from segboost._types import AnyArray, BoolArray, Float32Array, FloatArray, Int64Array
from segboost.boosting.class_ensemble import ClassBooster
from segboost.features.luv import rgb_to_luv
from segboost.features.pixels.class_columns import ClassPixelSource, describe_class_pixels
from segboost.pipelines.segmentation.borders.border_pixels import rgb_and_maps, score_in_batches
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage

MANY_PIXELS = 100_000
"""In images with more pixels, and in large pages, one pixel decides for a cell of 2×2."""


@dataclass(frozen=True, eq=False)
class ClassRefinement:
    """Boosted trees over the features of pixels.

    Parameters
    ----------
    booster : ClassBooster
    settings : BorderSettings
    """

    booster: ClassBooster
    settings: BorderSettings

    def refine(self, image: SuperpixelImage, nodes: FloatArray) -> Float32Array:
        """Return the log-probabilities of every pixel, shape (H, W, K).

        Parameters
        ----------
        image : SuperpixelImage
            With its pixels.
        nodes : ndarray of shape (P, K)
            Log-probabilities of the superpixels.
        """
        found: Float32Array = nodes.astype(np.float32)[image.superpixels]
        doubtful = doubtful_pixels(image, nodes, self.settings.width)
        step = 2 if image.page is not None or doubtful.size > MANY_PIXELS else 1
        rows, columns = image.wanted_pixels(
            *(step * place for place in np.nonzero(doubtful[::step, ::step]))
        )
        if not rows.size:
            return found
        describe = pixel_describer(image, nodes, self.settings)
        scores = score_in_batches(
            lambda y, x: self.booster.log_probabilities(describe(y, x)).astype(np.float32),
            rows,
            columns,
        )
        height, width = doubtful.shape
        for down in range(step):
            for right in range(step):
                # A cell is cut off at the edges of an image of odd size.
                bottom = np.minimum(rows + down, height - 1)
                found[bottom, np.minimum(columns + right, width - 1)] = scores
        return found

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays that `from_arrays` takes."""
        return self.booster.to_arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray], settings: BorderSettings) -> Self:
        """Return the refinement from the arrays of `to_arrays`; ValueError if inconsistent."""
        return cls(ClassBooster.from_arrays(arrays), settings)


def doubtful_pixels(image: SuperpixelImage, nodes: FloatArray, width: int) -> BoolArray:
    """Return which pixels are near a border between labels, shape (H, W).

    Pixels of uncertain superpixels away from borders are left alone: on sequences of CamVid that
    the trees had not seen, classifying those as well lost 1.0 points of mean IoU.
    """
    labels = nodes.argmax(axis=1)[image.superpixels]
    size = 2 * width + 1
    found: BoolArray = maximum_filter(labels, size) != minimum_filter(labels, size)
    return found


def pixel_describer(
    image: SuperpixelImage, nodes: FloatArray, settings: BorderSettings
) -> Callable[[Int64Array, Int64Array], Float32Array]:
    """Return a function from rows and columns to the features of these pixels."""
    rgb, maps = rgb_and_maps(image, settings)
    part = None if image.page is None else image.page.part
    source = ClassPixelSource(rgb_to_luv(rgb), image.superpixels, nodes, part)
    return describe_class_pixels(source, maps)
