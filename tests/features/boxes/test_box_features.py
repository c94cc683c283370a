"""Features of boxes: kernels against their plain twins, cells against direct sums."""

import numpy as np
import pytest

from segboost.features.boxes import channels as box_channels
from segboost.features.boxes import layout as box_layout
from segboost.features.boxes.haar import N_HAAR, haar_features, haar_features_numpy
from segboost.features.boxes.region import sample_region, sample_region_numpy

RNG = np.random.default_rng(0)


def region(height=70, width=60, channels=3):
    return RNG.uniform(0, 255, (channels, height, width)).astype(np.float32)


@pytest.mark.parametrize("step", [(1.0, 1.0), (0.31, 0.7), (2.4, 3.1)])
@pytest.mark.parametrize("channels", [1, 3])
def test_sampling_equals_its_twin_also_beyond_the_frame(step, channels):
    frame = RNG.integers(0, 256, (25, 31, channels), dtype=np.uint8)
    given = (frame, -6.3, 4.8, *step, 17, 23)
    np.testing.assert_allclose(sample_region(*given), sample_region_numpy(*given), atol=1e-3)


def test_sampling_at_whole_steps_copies_pixels_and_repeats_the_border():
    frame = RNG.integers(0, 256, (9, 8, 1), dtype=np.uint8)
    out = sample_region(frame, -2.0, -2.0, 1.0, 1.0, 13, 12)[0]
    np.testing.assert_array_equal(out, np.pad(frame[..., 0], 2, mode="edge"))


def test_sampling_averages_when_it_shrinks():
    frame = RNG.integers(0, 256, (12, 12, 1), dtype=np.uint8)
    out = sample_region(frame, 0.0, 0.0, 2.0, 2.0, 6, 6)[0]
    means = frame[..., 0].reshape(6, 2, 6, 2).mean(axis=(1, 3))
    np.testing.assert_allclose(out, means, atol=1e-3)


def test_integral_images_equal_their_twin():
    channels = RNG.integers(0, 1021, (4, 15, 11)).astype(np.int32)
    found = box_channels.integrate(channels)
    np.testing.assert_array_equal(found, box_channels.integrate_numpy(channels))
    assert found[2, 9, 7] == channels[2, :9, :7].sum()


def test_channels_equal_their_twins():
    grey = region(channels=1)[0]
    local = np.zeros(grey.shape, np.int32)
    box_channels.local_grey(grey, local)
    assert np.abs(local - box_channels.local_grey_numpy(grey)).max() <= 1
    oriented = np.zeros((9, *grey.shape), np.int32)
    box_channels.orientations(grey, oriented)
    # A gradient on the line between two orientations may be rounded to either side of it.
    assert np.abs(oriented - box_channels.orientations_numpy(grey)).max() <= 1


def test_light_and_contrast_change_neither_local_grey_nor_orientations_much():
    grey = region(channels=1) * 0.4 + 20
    first = box_channels.region_channels(grey)
    second = box_channels.region_channels(grey * 1.3 + 15)
    for channel in range(1, 11):
        change = np.abs(first[channel] - second[channel]).mean()
        assert change < 0.05 * box_channels.FULL
    assert np.abs(first[0] - second[0]).mean() > 0.05 * box_channels.FULL


def test_channels_stay_in_range_and_colour_adds_two():
    assert box_channels.region_channels(region(channels=1)).shape[0] == 11
    channels = box_channels.region_channels(region())
    assert channels.shape[0] == 13
    assert channels.min() >= 0
    assert channels.max() <= box_channels.FULL


@pytest.fixture
def described():
    layout = box_layout.make_layout(30, 24, colour=True, margin=3)
    sums = box_channels.region_sums(region())
    corners = RNG.integers(3, 30, (40, 2)).astype(np.int64)
    return layout, sums, corners


def test_codes_equal_their_twin_and_direct_means(described):
    layout, sums, corners = described
    codes = box_layout.box_codes(sums, layout.cells, layout.gain, corners)
    twin = box_layout.box_codes_numpy(sums, layout.cells, layout.gain, corners)
    np.testing.assert_array_equal(codes, twin)
    assert codes.max() < box_layout.LEVELS
    channel, y0, x0, y1, x1 = layout.cells[5]
    i, j = corners[7]
    plane = np.diff(np.diff(sums[channel].astype(np.int64), axis=0), axis=1)
    total = plane[i + y0 : i + y1, j + x0 : j + x1].sum()
    assert codes[5, 7] == min(int(total * layout.gain[5]), box_layout.LEVELS - 1)


def test_stump_scores_equal_their_twin_and_the_codes(described):
    layout, sums, corners = described
    feature = RNG.integers(0, layout.n_features, 20)
    cut, weight = RNG.integers(0, 40, 20), RNG.normal(size=20)
    given = (sums, layout.cells[feature], layout.gain[feature], cut, weight, corners)
    found = box_layout.stump_scores(*given)
    np.testing.assert_allclose(found, box_layout.stump_scores_numpy(*given), atol=1e-12)
    codes = box_layout.box_codes(sums, layout.cells, layout.gain, corners)[feature]
    np.testing.assert_allclose(found, weight @ np.where(codes > cut[:, None], 1, -1), atol=1e-12)


def test_a_layout_covers_box_and_margin_without_gaps():
    layout = box_layout.make_layout(30, 24, colour=False, margin=4, hog_grids=(5,), grey_grids=())
    covered = np.zeros((38, 32), int)
    for _, y0, x0, y1, x1 in layout.cells[::9]:
        covered[y0 + 4 : y1 + 4, x0 + 4 : x1 + 4] += 1
    assert (covered == 1).all()


def test_haar_features_vanish_on_a_flat_patch_and_see_an_edge():
    corners = np.array([[5, 5], [8, 3]], dtype=np.int64)
    flat = box_channels.region_sums(np.full((1, 60, 60), 90, np.float32))
    assert np.abs(haar_features(flat, 40, 30, corners)).max() < 1e-9
    edge = np.full((1, 60, 60), 10, np.float32)
    edge[:, :, 20:] = 200
    values = haar_features(box_channels.region_sums(edge), 40, 30, corners)
    assert values.shape == (N_HAAR, 2)
    assert np.abs(values).max() > 0.2


def test_haar_features_equal_their_twin():
    sums = box_channels.region_sums(region())
    corners = RNG.integers(0, 20, (30, 2)).astype(np.int64)
    found, twin = (f(sums, 40, 30, corners) for f in (haar_features, haar_features_numpy))
    np.testing.assert_allclose(found, twin, atol=1e-12)
