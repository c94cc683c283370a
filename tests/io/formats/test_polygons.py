from __future__ import annotations

import numpy as np
import pytest

from segboost.io.formats.polygons import (
    bounding_box,
    fill_polygons,
    polygon_area,
    trace_labels,
    trace_polygons,
)
from tests.io.formats.masks_of_samples import blocks, coins_mask


@pytest.mark.parametrize("mask", [blocks(), coins_mask()], ids=["blocks", "coins"])
def test_without_simplification_the_polygons_reproduce_the_region(mask):
    for index in np.unique(mask):
        region = mask == index
        polygons = trace_polygons(region, 0)
        assert (fill_polygons(polygons, mask.shape) == region).all()


def test_noise_with_diagonal_contacts_is_exact():
    region = np.random.default_rng(3).random((30, 31)) > 0.5
    assert (fill_polygons(trace_polygons(region, 0), region.shape) == region).all()


def test_a_hole_belongs_to_its_polygon():
    region = np.zeros((20, 30), bool)
    region[2:18, 2:18] = True
    region[6:12, 6:12] = False
    region[5:9, 22:27] = True
    polygons = trace_polygons(region, 0)
    assert sorted(len(polygon) for polygon in polygons) == [1, 2]
    ring = max(polygons, key=len)
    # Corners are cut by half a pixel, outside and in the hole: the differences cancel.
    assert polygon_area(ring) == pytest.approx(16 * 16 - 6 * 6)
    assert bounding_box([ring]) == (2, 2, 16, 16)


def test_fewer_points_with_a_larger_tolerance():
    rows, columns = np.mgrid[:60, :60]
    disc = (rows - 30) ** 2 + (columns - 30) ** 2 < 20**2
    counts = [len(trace_polygons(disc, tolerance)[0][0]) for tolerance in (0, 0.5, 3)]
    assert counts[0] > counts[1] > counts[2] >= 3


def test_labels_give_polygons_in_order():
    labels = np.zeros((9, 9), np.int32)
    labels[1:3, 1:3], labels[5:8, 5:8] = 3, 1
    first, second, third = trace_labels(labels, 0)
    assert second == []
    assert (fill_polygons(first, labels.shape) == (labels == 1)).all()
    assert (fill_polygons(third, labels.shape) == (labels == 3)).all()


def test_polygons_beyond_the_image_are_cut_off():
    outside = (np.array([[-9.0, -9], [-2, -9], [-2, -2]]),)
    across = (np.array([[-5.0, -5], [3, -5], [3, 3], [-5, 3]]),)
    assert fill_polygons([outside], (8, 8)).sum() == 0
    assert fill_polygons([across], (8, 8)).sum() == 9


@pytest.mark.parametrize("tolerance", [-1, float("nan"), float("inf")])
def test_a_bad_tolerance_is_refused(tolerance):
    with pytest.raises(ValueError, match="tolerance"):
        trace_polygons(np.ones((3, 3)), tolerance)
