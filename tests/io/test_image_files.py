from __future__ import annotations

import warnings

import numpy as np
import pytest
from PIL import Image

from segboost.io.errors import ImageFileError
from segboost.io.image_files import list_images, read_image
from tests.datasets.files import photograph, save


def test_rgb_is_read_unchanged(tmp_path):
    path = save(photograph(0), tmp_path / "a.png")
    np.testing.assert_array_equal(read_image(path), photograph(0))
    assert read_image(path).flags.writeable


def test_orientation_is_applied(tmp_path):
    picture = Image.fromarray(photograph(0))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees clockwise
    picture.save(tmp_path / "a.png", exif=exif)
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), np.rot90(photograph(0), -1))


def test_alpha_is_dropped_not_blended(tmp_path):
    rgba = np.dstack([photograph(0), np.zeros((12, 16), np.uint8)])
    path = save(rgba, tmp_path / "a.png")
    np.testing.assert_array_equal(read_image(path), photograph(0))


def test_16_bits_are_scaled_by_a_fixed_factor(tmp_path):
    values = np.array([[0, 257, 65535], [128 * 257, 1000, 4095]], np.uint16)
    Image.fromarray(values).save(tmp_path / "a.png")
    expected = np.array([[0, 1, 255], [128, 4, 16]])
    for channel in range(3):
        np.testing.assert_array_equal(read_image(tmp_path / "a.png")[..., channel], expected)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "CMYK", "YCbCr", "F"])
def test_other_modes_become_rgb(tmp_path, mode):
    grey = np.repeat(np.where(np.eye(12, 16), 255, 0).astype(np.uint8)[..., None], 3, axis=2)
    picture = Image.fromarray(grey)
    if mode == "F":
        picture = Image.fromarray((grey[..., 0] / 255).astype(np.float32))
    path = tmp_path / ("a.tif" if mode in ("CMYK", "YCbCr", "F") else "a.png")
    (picture if mode == "F" else picture.convert(mode)).save(path)
    read = read_image(path)
    assert read.dtype == np.uint8
    np.testing.assert_allclose(read.astype(int), grey, atol=2)


def test_palette_colours_are_looked_up(tmp_path):
    path = save(np.array([[0, 1, 2]]), tmp_path / "a.png", [9, 8, 7, 255, 0, 0, 1, 2, 3])
    assert read_image(path).tolist() == [[[9, 8, 7], [255, 0, 0], [1, 2, 3]]]


def broken(path, kind):
    if kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_text("no image")
    elif kind == "folder":
        path.mkdir()
    elif kind == "cut":
        save(photograph(0, 100, 100), path)
        path.write_bytes(path.read_bytes()[:5000])
    elif kind == "float":
        path = path.with_suffix(".tif")
        Image.fromarray(np.full((2, 2), np.nan, np.float32)).save(path)
    return path


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("missing", "no such file"),
        ("empty", "is empty"),
        ("text", "not an image"),
        ("folder", "directory"),
        ("cut", "broken image"),
        ("float", "outside"),
    ],
)
def test_broken_files_give_a_one_line_error_with_the_name(tmp_path, kind, reason):
    path = broken(tmp_path / "picture.png", kind)
    with pytest.raises(ImageFileError, match=reason) as caught:
        read_image(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).count(str(path)) == 1
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_cut_jpeg_is_refused(tmp_path):
    path = save(photograph(0, 100, 100), tmp_path / "a.jpg")
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(ImageFileError, match=r"a\.jpg: broken image"):
        read_image(path)


def test_large_images_are_refused_before_decoding(tmp_path):
    path = save(photograph(0), tmp_path / "a.png")
    with pytest.raises(ImageFileError, match="16×12 pixels are more than the limit of 100"):
        read_image(path, max_pixels=100)


@pytest.mark.parametrize("side", [9_500, 20_000])
def test_bombs_are_refused_without_warnings(tmp_path, side):
    path = tmp_path / "bomb.png"
    Image.new("1", (side, side)).save(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ImageFileError, match=r"bomb\.png: .*limit"):
            read_image(path)


def test_list_images_knows_endings_in_any_case(tmp_path):
    for name in ("b.JPG", "a.png", "notes.txt", ".hidden.png"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "folder.png").mkdir()
    images, others = list_images(tmp_path)
    assert [p.name for p in images] == ["a.png", "b.JPG"]
    assert [p.name for p in others] == ["notes.txt"]
