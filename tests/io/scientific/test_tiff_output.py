"""Stacks of pages as TIFF files."""

from __future__ import annotations

import numpy as np
import pytest
import tifffile

from segboost.io.pixel_size import PixelSize
from segboost.io.scientific.sources import read_info
from segboost.io.scientific.tiff_output import write_tiff_stack


def test_stacks_keep_the_tags_of_their_source(tmp_path):
    pages = np.random.default_rng(0).integers(0, 3, (2, 300, 500)).astype(np.uint8)
    tags = [
        (282, 5, 1, (10000, 1), True),
        (283, 5, 1, (10000, 1), True),
        (296, 3, 1, 3, True),
        (33550, 12, 3, (0.5, 0.5, 0.0), True),
    ]
    path = tmp_path / "a.tif"
    bands = ([page[:256], page[256:]] for page in pages)
    write_tiff_stack(path, bands, pages.shape, np.uint8, tags, [(0, 0, 0), (255, 0, 0), (0, 9, 0)])
    with tifffile.TiffFile(path) as file:
        assert (file.asarray() == pages).all()
        first = file.pages[0]
        assert first.is_tiled
        assert first.compression.name == "ADOBE_DEFLATE"
        assert first.colormap[0, 1] == 65535
        assert file.pages[1].tags[33550].value == (0.5, 0.5, 0.0)
    assert read_info(path).pixel_size == PixelSize(1.0, 1.0, "µm")


def test_wrong_bands_leave_no_file(tmp_path):
    for bands in ([np.zeros((100, 20))] * 6, [np.zeros((256, 20))]):
        with pytest.raises(ValueError, match="bands"):
            write_tiff_stack(tmp_path / "a.tif", [bands], (1, 600, 20))
    assert list(tmp_path.iterdir()) == []
