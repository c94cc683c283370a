"""Measurements and outlines of large pages equal those made in memory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import binary_dilation
from skimage.measure import regionprops

from segboost.io.formats.polygons import find_part_contours, trace_labels
from segboost.io.pixel_size import PixelSize
from segboost.pipelines.objects.finding import ObjectSettings, find_objects
from segboost.pipelines.objects.large.contours import (
    contours_of_bands,
    walk_rings,
    walk_rings_numpy,
)
from segboost.pipelines.objects.large.hull import count_hull_pixels
from segboost.pipelines.objects.large.measuring import PageValues, measure_large_objects
from segboost.pipelines.objects.large.outlines import trace_large_objects
from segboost.pipelines.objects.large.page_file import LargeLimits
from segboost.pipelines.objects.measuring import measure_objects
from tests.pipelines.objects.large.large_pages import (
    SMALL,
    SPLITTING,
    comb,
    large_objects,
    random_mask,
    rings,
)

NAMES = ("background", "cell", "debris", "dust", "other")
ALL_HUGE = LargeLimits(band=4, side=1, largest=1)
ALL_IN_WINDOWS = LargeLimits(band=5, side=9, largest=2**23)
SIZES = [None, PixelSize(0.5, 0.5, "µm"), PixelSize(0.25, 0.6, "mm")]


def same_tables(found, expected):
    assert list(found) == list(expected)
    for name, values in expected.items():
        assert len(found[name]) == len(values)
        if values.dtype == object:
            assert found[name].tolist() == values.tolist()
            continue
        assert found[name].dtype.kind == values.dtype.kind, name
        # The angle of an object with equal axes depends on rounding.
        skipped = np.zeros(len(values), bool)
        if name == "orientation":
            skipped = expected["eccentricity"] < 1e-6
        # Square roots of rounding errors.
        least = 1e-7 if name in ("axis_minor", "eccentricity") else 1e-12
        np.testing.assert_allclose(found[name][~skipped], values[~skipped], rtol=1e-9, atol=least)


def assert_same_measurements(
    mask, settings, folder, rng, limits, size, channels=1, calibrated=True
):
    """Compare tables and outlines with those made in memory; return the number of objects."""
    image = rng.integers(0, 60000, (*mask.shape, channels)).astype(float)
    image[rng.random(image.shape) < 0.02] = np.nan
    share = rng.integers(0, 256, mask.shape).astype(np.uint8) if calibrated else None
    expected = find_objects(mask, settings)
    unit = None if share is None else share / 255.0
    values = PageValues(
        lambda window: image[window.rows, window.columns],
        None if share is None else lambda window: share[window.rows, window.columns],
    )
    tolerance = float(rng.choice([0.0, 0.5, 1.5]))
    with large_objects(mask, settings, folder, limits) as (objects, scratch):
        table = measure_large_objects(objects, NAMES, values, size, limits)
        outlines = trace_large_objects(objects, scratch, tolerance, limits)
    same_tables(table, measure_objects(expected, NAMES, unit, image, size))
    traced = trace_labels(expected.labels, tolerance)
    assert [len(polygons) for polygons in outlines] == [len(polygons) for polygons in traced]
    for mine, others in zip(outlines, traced, strict=True):
        for one, other in zip(mine, others, strict=True):
            assert [ring.tolist() for ring in one] == [ring.tolist() for ring in other]
    return expected.count


@pytest.mark.parametrize("size", SIZES, ids=["pixels", "square", "oblong"])
@pytest.mark.parametrize("limits", [SMALL, ALL_HUGE, ALL_IN_WINDOWS], ids=["some", "all", "none"])
def test_random_masks(size, limits, tmp_path):
    rng = np.random.default_rng(3)
    count = 0
    for number in range(12):
        mask = random_mask(rng, classes=int(rng.integers(1, 5)), shape=rng.integers(5, 36, 2))
        settings = ObjectSettings(float(rng.choice([0, 3])), fill_holes=bool(number % 2))
        channels, calibrated = int(rng.integers(1, 4)), bool(rng.integers(2))
        count += assert_same_measurements(
            mask, settings, tmp_path, rng, limits, size, channels, calibrated
        )
    assert count > 100


def test_split_objects(tmp_path):
    rng = np.random.default_rng(4)
    for _ in range(5):
        settings = ObjectSettings(2, True, "split")
        assert_same_measurements(random_mask(rng), settings, tmp_path, rng, SPLITTING, SIZES[1], 2)


@pytest.mark.parametrize("limits", [SMALL, ALL_HUGE], ids=["some", "all"])
def test_shapes(limits, tmp_path):
    rng = np.random.default_rng(5)
    shapes = [comb(), comb()[::-1], rings(1, 0, 2, 0, 1), np.zeros((9, 9), np.uint8)]
    for mask in (*shapes, np.ones((7, 30), np.uint8)):
        for settings in (ObjectSettings(), ObjectSettings(fill_holes=True)):
            assert_same_measurements(mask, settings, tmp_path, rng, limits, None)


def test_contours_of_bands_equal_those_of_whole_regions():
    rng = np.random.default_rng(6)
    for _ in range(200):
        inside = rng.random(rng.integers(1, 20, 2)) < rng.uniform(0.1, 0.9)
        inside[0, 0] = True
        height = int(rng.integers(1, 6))
        bands = (inside[top : top + height] for top in range(0, len(inside), height))
        found = contours_of_bands(bands, inside.shape[1])
        expected = find_part_contours(inside)
        assert [ring.tolist() for ring in found] == [ring.tolist() for ring in expected]


def test_walking_rings_equals_its_numpy_twin():
    rng = np.random.default_rng(7)
    for size in (0, 1, 2, 3, 10, 50):
        following = rng.permutation(size)
        for one, other in zip(walk_rings(following), walk_rings_numpy(following), strict=True):
            assert one.tolist() == other.tolist()


def test_pixels_of_convex_hulls():
    rng = np.random.default_rng(8)
    for _ in range(150):
        seeds = rng.random(rng.integers(1, 25, 2)) < 0.1
        seeds[rng.integers(len(seeds)), :] |= True
        inside = binary_dilation(seeds, iterations=int(rng.integers(1, 4)))
        rows = np.flatnonzero(inside.any(axis=1))
        first = inside[rows].argmax(axis=1)
        last = inside.shape[1] - 1 - inside[rows, ::-1].argmax(axis=1)
        [region] = regionprops(inside.astype(int))
        assert count_hull_pixels(rows, first, last) == region.area_convex
