"""Tiles agree with the untiled result at their seams."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from segboost.pipelines.batch.scientific.tile import TilePixels, segment_tile
from segboost.pipelines.segmentation.images.tiling import plan_tiles
from segboost.pipelines.segmentation.model.page_survey import survey_page
from tests.pipelines.segmentation.tiny_class_models import trained_classes
from tests.pipelines.segmentation.tiny_pages import drawn_page, fast_model, page_pixels

OVERLAP = 128
SHAPE = (300, 1100)


def segmented(using, tile, with_page=True, image=None):
    image = page_pixels() if image is None else image
    shape = image.shape[:2]
    page = survey_page(using, *shape, lambda rows, columns: image[rows, columns], 2 * OVERLAP)
    mask = np.zeros(shape, np.uint8)
    for one in plan_tiles(1, *shape, tile, OVERLAP):
        view, core = one.view, one.core.within(one.view)
        place = page.at(view.top, view.left, core) if with_page else None
        given = TilePixels(image[view.rows, view.columns], place)
        mask[one.core.rows, one.core.columns] = segment_tile(using, one, given, False).mask
    return mask


@pytest.mark.parametrize("linear_below", [20, 0], ids=["linear", "context"])
def test_tiles_agree_with_the_untiled_page(linear_below):
    using = fast_model(linear_below)
    untiled, tiled = segmented(using, 1280), segmented(using, 256)
    both, either = (untiled & tiled).sum(), (untiled | tiled).sum()
    assert 0.04 < untiled.mean() < 0.9
    assert (untiled == tiled).mean() >= 0.995
    assert both / either >= 0.99
    alone = segmented(using, 256, with_page=False)
    assert (untiled == alone).mean() < 0.99  # tiles that do not know their page


def test_tiles_of_several_classes_agree_with_the_untiled_page():
    using = trained_classes().model
    untiled, tiled = (segmented(using, tile, image=drawn_page()) for tile in (1280, 256))
    assert np.unique(untiled).size == 4
    assert (untiled == tiled).mean() >= 0.999
    alone = segmented(using, 256, with_page=False, image=drawn_page())
    assert (untiled == alone).mean() < 0.995  # tiles that do not know their page


def test_context_without_the_scores_of_the_page_is_refused():
    using = fast_model(0)
    page = survey_page(using, *SHAPE, lambda rows, columns: page_pixels()[rows, columns])
    with pytest.raises(ValueError, match="scores of the page"):
        using.predict(page_pixels()[:128, :128], page=replace(page, scores=None))
