"""Images of more than 8 bits on the labelling page are scaled as by `segment`."""

from __future__ import annotations

import io

import numpy as np
import pytest
import tifffile
from PIL import Image
from skimage import data

from segboost.features.presets import find_preset
from segboost.io.errors import ImageFileError
from segboost.io.scientific.sources import open_source
from segboost.label.images import read_header, shown_image, stretched_image, thumbnail
from segboost.label.project import LabelProject
from segboost.label.reading import read_pixels, read_size
from segboost.pipelines.batch.scientific.intensity_scale import choose_scale
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.tile import TileReader
from segboost.pipelines.segmentation.images.tiling import plan_tiles

PHOTO = data.astronaut()[:120, :180]


def write(folder, name, values, **options):
    tifffile.imwrite(folder / name, values, **options)
    return folder / name


@pytest.fixture
def dim(tmp_path):
    """Write a photograph as a 12-bit camera stores it."""
    return write(tmp_path, "dim.tif", PHOTO.astype(np.uint16) * 16, photometric="rgb")


def test_12_bits_look_like_8(dim):
    difference = read_pixels(dim).astype(int) - PHOTO
    assert np.abs(difference).mean() < 20  # black would be 133
    assert read_pixels(dim).dtype == np.uint8


def test_pixels_equal_those_that_segment_gives_a_model(dim):
    with open_source(dim) as source:
        scale, _ = choose_scale(source, find_preset("default"), ScientificOptions())
    (tile,) = plan_tiles(1, *PHOTO.shape[:2])
    expected = TileReader(dim, scale)(tile).pixels
    assert np.array_equal(read_pixels(dim), expected)
    item = LabelProject(dim.parent).item("dim.tif")
    assert np.array_equal(item.image(), expected)


def test_no_picture_of_the_page_is_black(dim):
    image = read_header(dim)
    for jpeg in (thumbnail(dim), shown_image(image), stretched_image(image)):
        assert 90 < np.array(Image.open(io.BytesIO(jpeg))).mean() < 170


def test_photographs_keep_their_values_and_keys(tmp_path):
    Image.fromarray(PHOTO).save(tmp_path / "photo.png")
    assert np.array_equal(read_pixels(tmp_path / "photo.png"), PHOTO)
    assert LabelProject(tmp_path).item("photo.png").image_source.rule == ""


@pytest.mark.parametrize("turn", [1, 3, 6])
def test_sizes_are_those_of_the_pixels(tmp_path, turn):
    tags = [(274, "H", 1, turn, True)]
    path = write(tmp_path, "a.tif", PHOTO[..., 0].astype(np.uint16) * 16, extratags=tags)
    assert read_size(path)[::-1] == read_pixels(path).shape[:2]


def test_channels_that_cannot_be_shown_are_named(tmp_path):
    path = write(tmp_path, "five.tif", np.zeros((5, 20, 30), np.uint16), metadata={"axes": "CYX"})
    with pytest.raises(ImageFileError, match="it has 5 channels: save one or three of them"):
        read_header(path)
