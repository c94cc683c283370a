"""Segment images of any size in memory: large ones by tiles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from segboost._types import ByteArray
from segboost.features.image import ImageLike
from segboost.io.scientific.window import Window
from segboost.pipelines.segmentation.images.tiling import is_large, plan_tiles
from segboost.pipelines.segmentation.images.working_size import image_shape, to_bytes
from segboost.pipelines.segmentation.model.page_survey import survey_page
from segboost.pipelines.segmentation.model.segmentation import Segmentation
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter


def segment_image(model: Segmenter, image: ImageLike, name: str = "") -> Segmentation:
    """Return mask, scores and superpixels of an image of any size.

    Parameters
    ----------
    model : Segmenter
    image : ndarray or PIL.Image.Image
    name : str
    """
    shape = image_shape(image)
    made: Segmentation | None = None
    count = 0
    for window, found in segment_parts(model, image, name):
        if made is None:
            if found.mask.shape == shape:
                return found
            made = _empty(shape, found)
        place = window.rows, window.columns
        made.mask[place] = found.mask
        made.scores[place] = found.scores
        made.superpixels[place] = found.superpixels + count
        count += int(found.superpixels.max()) + 1
    assert made is not None
    return made


def segment_parts(
    model: Segmenter, image: ImageLike, name: str = ""
) -> Iterator[tuple[Window, Segmentation]]:
    """Yield the parts of an image with their results; together they cover it once.

    Images of up to 2048×2048 pixels, and those that the model scales down, are one part. Larger
    ones are segmented by the tiles of `plan_tiles`, so that intermediate results take only the
    memory of a tile.
    """
    height, width = image_shape(image)
    if model.config.longest_side is not None or not is_large(height, width):
        yield Window(0, height, 0, width), model.predict(image, name)
        return
    pixels = _as_bytes(model, image)
    page = survey_page(model, height, width, lambda rows, columns: pixels[rows, columns])
    for tile in plan_tiles(1, height, width):
        core = tile.core.within(tile.view)
        given = pixels[tile.view.rows, tile.view.columns]
        found = model.predict(given, name, page.at(tile.view.top, tile.view.left, core))
        regions = np.unique(found.superpixels[core], return_inverse=True)[1]
        mask = np.ascontiguousarray(found.mask[core])
        yield (
            tile.core,
            Segmentation(mask, found.scores[core], regions.reshape(mask.shape).astype(np.int32)),
        )


def _as_bytes(model: Segmenter, image: ImageLike) -> ByteArray:
    """Return the pixels as uint8, including further channels if the model uses them."""
    if model.preset.n_further:
        return np.asarray(image)
    return to_bytes(image)


def _empty(shape: tuple[int, int], like: Segmentation) -> Segmentation:
    scores = np.empty((*shape, *like.scores.shape[2:]), dtype=like.scores.dtype)
    return Segmentation(np.empty(shape, np.uint8), scores, np.empty(shape, np.int32))
