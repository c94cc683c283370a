"""A first look at the large pages of a file, before their tiles are segmented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from segboost._types import ByteArray
from segboost.io.scientific.intensities import IntensityScale
from segboost.io.scientific.sources import ImageSource, open_source
from segboost.pipelines.batch.scientific.tile import TileReader
from segboost.pipelines.segmentation.model.page_survey import survey_page
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter


def survey_pages(
    model: Segmenter, reader: TileReader, pages: Sequence[int], block: int
) -> TileReader:
    """Return the reader with a survey of each of these pages, which their tiles need.

    Parameters
    ----------
    model : Segmenter
    reader : TileReader
    pages : sequence of int
    block : int
        Side of the blocks in which superpixels are cut.
    """
    with open_source(reader.path, reader.axes) as source:
        height, width = source.info.height, source.info.width
        found = {
            page: survey_page(
                model, height, width, partial(_read, source, reader.scale, page), block
            )
            for page in pages
        }
    return replace(reader, pages=found)


def _read(
    source: ImageSource, scale: IntensityScale, page: int, rows: slice, columns: slice
) -> ByteArray:
    return scale(source.read(page, rows, columns))
