from __future__ import annotations

import numpy as np
import pytest
from skimage import data

from segboost.features.extract import extract_features
from segboost.features.groups.channels import STATISTICS, ChannelGroup
from segboost.features.presets import Preset, group_from_config, preset_from_config
from segboost.features.superpixels.methods import GraphMerging
from segboost.io.scientific.intensities import IntensityScale
from segboost.pipelines.segmentation.images.working_size import reduce_image

PLAIN = Preset("plain", GraphMerging(), (group_from_config({"kind": "colour"}),))


def seven_channels():
    picture = data.astronaut()[:60, :80]
    rng = np.random.default_rng(0)
    further = rng.integers(0, 256, (60, 80, 4), dtype=np.uint8)
    further[..., 0] = 51
    return np.concatenate([picture, further], axis=2)


def scale(count):
    return IntensityScale(count, tuple(range(count)), (0.0,) * count, (255.0,) * count)


def test_statistics_per_superpixel():
    image = seven_channels()
    preset = PLAIN.with_intensities(scale(7))
    assert preset.n_further == 4
    features = extract_features(image, preset)
    values = features["channels"]
    assert values.shape == (len(features.area), 4 * len(STATISTICS))
    assert features.groups["channels"].columns[0] == "channel 3 mean"
    constant = values[:, : len(STATISTICS)]
    np.testing.assert_allclose(constant[:, 0], 0.2, atol=1e-6)
    np.testing.assert_allclose(constant[:, 1:], 0, atol=1e-4)
    labels = features.superpixels
    expected = [image[..., 5][labels == p].mean() / 255 for p in range(len(features.area))]
    np.testing.assert_allclose(values[:, 2 * len(STATISTICS)], expected, atol=1e-5)


def test_the_colours_are_those_of_the_first_three_channels():
    image = seven_channels()
    preset = PLAIN.with_intensities(scale(7))
    ours = extract_features(image, preset)
    plain = extract_features(image[..., :3], PLAIN, superpixels=ours.superpixels)
    assert (ours["colour"] == plain["colour"]).all()


def test_superpixels_follow_borders_that_only_a_further_channel_shows():
    image, inside = seven_channels()[..., :4], np.zeros((60, 80), bool)
    image[..., :3], inside[20:41, 30:61] = data.grass()[:60, :80, None], True
    image[..., 3] = np.where(inside, 160, 60)
    labels = extract_features(image, PLAIN.with_intensities(scale(4))).superpixels
    assert np.intersect1d(labels[inside], labels[~inside]).size == 0
    colours = extract_features(image[..., :3], PLAIN).superpixels
    assert np.intersect1d(colours[inside], colours[~inside]).size > 0


def test_images_without_the_channels_are_refused():
    preset = PLAIN.with_intensities(scale(5))
    with pytest.raises(ValueError, match=r"\(H, W, 5\)"):
        extract_features(seven_channels()[..., :3], preset)
    with pytest.raises(ValueError, match="count"):
        ChannelGroup(0)


def test_presets_keep_the_scale():
    preset = PLAIN.with_intensities(scale(5))
    again = preset_from_config(preset.to_config())
    assert again == preset
    assert again.to_key() != PLAIN.to_key()
    assert "intensities" not in PLAIN.to_config()
    assert preset.with_intensities(scale(3)).n_further == 0
    with pytest.raises(ValueError, match="intensities"):
        preset_from_config({**preset.to_config(), "intensities": 3})


def test_all_channels_are_scaled_down():
    image = seven_channels()
    small = reduce_image(image, 40)
    assert small.shape == (30, 40, 7)
    assert (small[..., :3] == reduce_image(np.ascontiguousarray(image[..., :3]), 40)).all()
    assert (small[..., 3] == 51).all()
