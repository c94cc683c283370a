import numpy as np
import pytest
from PIL import Image

from segboost.features import ImageContext, as_rgb, find_superpixels, read_image, rgb_to_luv
from segboost.features.image import check_labels

RNG = np.random.default_rng(0)
COLOUR = RNG.integers(0, 256, (5, 7, 3), dtype=np.uint8)


def test_same_pixels_in_every_form():
    wanted = COLOUR.astype(np.float32) / 255
    rgba = np.dstack([COLOUR, np.full((5, 7), 9, np.uint8)])
    for image in (
        COLOUR,
        rgba,
        COLOUR.astype(np.uint16) * 257,
        COLOUR / 255,
        Image.fromarray(COLOUR),
        Image.fromarray(rgba),
    ):
        np.testing.assert_allclose(as_rgb(image), wanted, atol=1e-6)
        assert as_rgb(image).dtype == np.float32


def test_grey_forms_repeat_over_channels():
    grey = COLOUR[..., 0]
    wanted = np.repeat(grey[..., None] / 255, 3, axis=2)
    deep = Image.fromarray(grey.astype(np.uint16) * 257)
    for image in (grey, grey[..., None], Image.fromarray(grey), deep):
        np.testing.assert_allclose(as_rgb(image), wanted, atol=1e-6)
    assert as_rgb(grey > 100).max() == 1


def test_palette_is_looked_up():
    palette = Image.fromarray(COLOUR).quantize(16)
    np.testing.assert_array_equal(as_rgb(palette), as_rgb(palette.convert("RGB")))
    assert palette.mode == "P"


def test_reads_16_bit_file(tmp_path):
    levels = np.array([[0, 65535], [256, 300]], np.uint16)
    Image.fromarray(levels).save(tmp_path / "deep.png")
    np.testing.assert_allclose(read_image(tmp_path / "deep.png")[..., 0], levels / 65535, atol=1e-7)


def test_file_that_is_not_an_image(tmp_path):
    (tmp_path / "text.png").write_text("no image")
    with pytest.raises(ValueError, match=r"text\.png: not an image that can be read"):
        read_image(tmp_path / "text.png")


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros(5, np.uint8), r"shape \(5,\)"),
        (np.zeros((2, 2, 2), np.uint8), r"shape \(2, 2, 2\)"),
        (np.zeros((2, 2, 3, 1), np.uint8), "shape"),
        (np.zeros((0, 4, 3), np.uint8), r"shape \(0, 4, 3\)"),
        (np.full((3, 3), np.nan), "not finite"),
        (np.full((3, 3), np.inf), "not finite"),
        (np.full((3, 3), 255.0), "values from 255 to 255"),
        (np.full((3, 3), -0.5), "values from -0.5"),
        (np.zeros((3, 3), object), "dtype object"),
        (np.zeros((3, 3), complex), "dtype complex"),
        (np.zeros((3, 3), np.int64), "dtype int64"),
        ("photo.jpg", "shape"),
        (None, "shape"),
    ],
)
def test_arrays_that_are_not_images_are_refused(image, message):
    with pytest.raises(ValueError, match=r"^image: expected an image of shape .*" + message):
        as_rgb(image)
    with pytest.raises(ValueError, match=r"^image: "):
        find_superpixels(image)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros((4, 4), np.int32), r"shape \(4, 4\)"),
        (np.zeros((3, 5), np.float64), "dtype float64"),
        (np.full((3, 5), -1), "label -1"),
        (np.full((3, 5), 1), "label 0 does not occur"),
        (np.full((3, 5), 10**9), "label 1000000000"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels, message):
    with pytest.raises(ValueError, match=r"^superpixels: expected integer labels .*" + message):
        check_labels(labels, (3, 5))
    with pytest.raises(ValueError, match=r"^superpixels: "):
        ImageContext(np.zeros((3, 5), np.uint8), labels)


def test_inputs_are_not_changed():
    image = COLOUR.copy()
    as_rgb(image)[:] = 0
    np.testing.assert_array_equal(image, COLOUR)
    values = as_rgb(COLOUR)
    as_rgb(values)[:] = 0
    assert values.max() > 0


def test_luv_equals_scikit_image():
    from skimage.color import rgb2luv

    rgb = as_rgb(RNG.integers(0, 256, (40, 40, 3), dtype=np.uint8))
    rgb[0] = 0
    np.testing.assert_allclose(rgb_to_luv(rgb), rgb2luv(rgb.astype(float)), atol=1e-3)
