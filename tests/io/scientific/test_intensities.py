from __future__ import annotations

import numpy as np
import pytest
from skimage import data

from segboost.io.errors import ImageFileError
from segboost.io.scientific.intensities import (
    IntensityScale,
    describe_range,
    describe_values,
    learn_scale,
    sample_pixels,
)

WIDE = np.dtype(np.uint16)


def test_twelve_bits_are_scaled_like_eight():
    picture = data.coins()
    camera = (picture.astype(np.uint16) * 16)[..., None]
    scale = learn_scale([sample_pixels(camera)], WIDE)
    scaled = scale(camera)
    assert scaled.shape == (*picture.shape, 3)
    assert (scaled[..., 0] == scaled[..., 2]).all()
    low, high = np.percentile(picture, (0.2, 99.8))
    expected = np.clip((picture - low) / (high - low), 0, 1) * 255
    assert np.abs(scaled[..., 0] - expected).max() <= 1


def test_colours_keep_their_balance_under_a_joint_scale():
    values = np.stack([np.arange(1000), np.arange(1000) / 2], axis=1)
    scale = learn_scale([values], WIDE, percentiles=(0, 100), joint=True)
    assert (scale.low, scale.high) == ((0.0, 0.0), (999.0, 999.0))


def test_eight_bits_are_not_changed():
    picture = data.astronaut()[:40, :50]
    scale = learn_scale([sample_pixels(picture)], picture.dtype)
    assert (scale(picture) == picture).all()
    turned = learn_scale([sample_pixels(picture)], picture.dtype, channels=(2, 0, 1))
    assert (turned(picture) == picture[..., [2, 0, 1]]).all()


@pytest.mark.parametrize(("count", "made"), [(1, 3), (2, 3), (3, 3), (4, 4), (7, 7)])
def test_any_number_of_channels(count, made):
    values = np.random.default_rng(1).integers(0, 4000, (20, 30, count)).astype(np.uint16)
    scale = learn_scale([sample_pixels(values)], WIDE)
    assert scale(values).shape == (20, 30, made)
    assert scale.n_further == max(count - 3, 0)
    assert IntensityScale.from_dict(scale.to_dict()) == scale
    with pytest.raises(ImageFileError, match=f"{count} were expected"):
        scale(np.zeros((4, 4, count + 1)))


def test_the_third_colour_of_two_channels_is_their_mean():
    values = np.dstack([np.full((2, 2), 100), np.full((2, 2), 50)]).astype(np.uint8)
    scale = IntensityScale(2, (0, 1), (0.0, 0.0), (255.0, 255.0))
    assert scale(values)[0, 0].tolist() == [100, 50, 75]


def test_values_that_are_not_finite_and_constant_channels():
    values = np.ones((10, 10, 3), np.float32)
    values[..., 0] = np.linspace(0, 5, 100).reshape(10, 10)
    values[0, 0, 0], values[5, 5, 0], values[2, 2, 2] = np.nan, np.inf, 3
    scale = learn_scale([sample_pixels(values)], values.dtype)
    scaled = scale(values)
    assert scaled[0, 0, 0] == scaled[5, 5, 0] == 0
    assert (scaled[..., 1] == 0).all()
    assert describe_values(values) == [
        "channel 0: 2 pixels are NaN or infinite and taken as black",
        "channel 1 is constant",
    ]
    assert describe_values(values, (2,)) == []
    with pytest.raises(ImageFileError, match="channel 1 holds no finite value"):
        learn_scale([np.full((5, 2), [0, np.nan])], values.dtype)


def test_values_outside_the_scale_are_noted():
    samples = [np.stack([np.arange(100.0), np.arange(100.0)], axis=1)]
    assert describe_range(samples, IntensityScale(2, (0, 1), (0.0, 10.0), (90.0, 85.0))) == []
    assert describe_range(samples, IntensityScale(2, (1, 0), (0.0, 40.0), (60.0, 99.0))) == [
        "channel 1: 39% of the pixels are brighter than 60, see --intensities",
        "channel 0: 40% of the pixels are darker than 40, see --intensities",
    ]


@pytest.mark.parametrize("channels", [(0, 0), (3,), (-1,), ()])
def test_bad_channels(channels):
    with pytest.raises(ImageFileError, match="channels"):
        learn_scale([np.zeros((5, 3))], WIDE, channels)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"channels": [0, 9]}, "there is no channel 9"),
        ({"low": [1]}, "expected one value per channel"),
        ({"low": [3.0, 0.0], "high": [1.0, 1.0]}, r"expected an interval, got 3\.0 to 1\.0"),
        ({"high": [float("nan"), 1]}, "expected an interval, got 0.0 to nan"),
        ({"file_channels": 10**9}, "file_channels: expected 1 to 512"),
        ({"file_channels": "2"}, "channels must be whole numbers"),
        ({"channels": None}, "incomplete"),
    ],
)
def test_edited_scales_are_refused(change, message):
    good = IntensityScale(2, (0, 1), (0.0, 0.0), (1.0, 1.0)).to_dict()
    with pytest.raises(ValueError, match=message):
        IntensityScale.from_dict(good | change)
    with pytest.raises(ValueError, match="object"):
        IntensityScale.from_dict([1])
