from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from segboost.datasets import ImageFileError, read_mask
from segboost.datasets.images.masks import AmbiguousMasksError, find_encoding
from tests.datasets.files import GRAZ_PALETTE, photograph, save, square

VOC_PALETTE = [0, 0, 0, 128, 0, 0] + [0] * (253 * 3) + [224, 224, 192]


def voc():
    mask = square(1)
    mask[0] = 255
    return mask


@pytest.mark.parametrize("value", [1, 255])
def test_binary_masks(tmp_path, value):
    path = save(square(value), tmp_path / "a.png")
    np.testing.assert_array_equal(read_mask(path), square(1))


def test_one_bit_masks(tmp_path):
    Image.fromarray(square(255)).convert("1").save(tmp_path / "a.png")
    np.testing.assert_array_equal(read_mask(tmp_path / "a.png"), square(1))


@pytest.mark.parametrize("palette", [None, VOC_PALETTE])
def test_void_beside_foreground(tmp_path, palette):
    path = save(voc(), tmp_path / "a.png", palette)
    np.testing.assert_array_equal(read_mask(path), voc())


def test_255_is_void_in_a_palette_and_foreground_in_grey(tmp_path):
    indexed = save(square(255), tmp_path / "a.png", VOC_PALETTE)
    np.testing.assert_array_equal(read_mask(indexed), square(255))
    ramp = np.repeat(np.arange(256), 3).tolist()  # a palette of grey values
    grey = save(square(255), tmp_path / "b.png", ramp)
    np.testing.assert_array_equal(read_mask(grey), square(1))


def test_the_encoding_can_be_given(tmp_path):
    path = save(square(255), tmp_path / "a.png")
    np.testing.assert_array_equal(read_mask(path, "index"), square(255))
    np.testing.assert_array_equal(read_mask(path, "binary"), square(1))


def test_one_class_of_many(tmp_path):
    mask = voc()
    mask[8:, :4] = 15
    path = save(mask, tmp_path / "a.png", VOC_PALETTE)
    expected = np.where(mask == 15, 1, 0)
    expected[mask == 255] = 255
    np.testing.assert_array_equal(read_mask(path, foreground=15), expected)
    with pytest.raises(ImageFileError, match=r"a\.png: unclear mask values 15: .*foreground"):
        read_mask(path)


def test_equal_colour_channels_are_grey_and_others_refused(tmp_path):
    path = save(np.repeat(square(255)[..., None], 3, axis=2), tmp_path / "a.png")
    np.testing.assert_array_equal(read_mask(path), square(1))
    with pytest.raises(ImageFileError, match="colours"):
        read_mask(save(photograph(0), tmp_path / "b.png"))


def test_unclear_values_are_refused(tmp_path):
    mask = square(255)
    mask[0, 0] = 128
    with pytest.raises(ImageFileError, match=r"a\.png: unclear mask values 128"):
        read_mask(save(mask, tmp_path / "a.png"))
    with pytest.raises(ImageFileError, match="values 128: expected 0 and 255; correct"):
        read_mask(tmp_path / "a.png", encoding="binary")
    grey = np.linspace(0, 255, 192).reshape(12, 16)
    with pytest.raises(ImageFileError, match="lossy"):
        read_mask(save(grey, tmp_path / "b.png"))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"encoding": "rgb"}, "auto, binary, index"),
        ({"encoding": "binary", "foreground": 3}, "binary"),
        ({"foreground": 255}, "from 1 to 254"),
        ({"foreground": 0}, "from 1 to 254"),
    ],
)
def test_meaningless_options_are_refused(tmp_path, options, text):
    path = save(square(1), tmp_path / "a.png")
    with pytest.raises(ValueError, match=text):
        read_mask(path, **options)


def test_a_set_decides_what_255_means(tmp_path):
    high = save(square(255), tmp_path / "a.png")
    low = save(square(1), tmp_path / "b.png")
    both = save(voc(), tmp_path / "c.png")
    empty = save(square(0), tmp_path / "d.png", GRAZ_PALETTE)
    assert find_encoding([high, empty]) == "binary"
    assert find_encoding([low, empty]) == "index"
    assert find_encoding([high, low, both]) == "index"
    with pytest.raises(AmbiguousMasksError, match=r"a\.png: 255 may be .*b\.png"):
        find_encoding([high, low])
