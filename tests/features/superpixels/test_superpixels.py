import numpy as np
import pytest
from scipy import ndimage

from segboost.features import GraphMerging, QuickShift, Slic, find_superpixels, is_connected
from segboost.features.superpixels.connectivity import (
    connected_regions,
    in_reading_order,
    in_reading_order_numpy,
)
from segboost.features.superpixels.first_cut import felzenszwalb_regions
from segboost.features.superpixels.merging import merge_regions
from segboost.features.superpixels.methods import method_from_config, method_to_config

METHODS = [GraphMerging(), QuickShift(), Slic(n_segments=200)]


def assert_superpixels(labels, shape):
    assert labels.shape == shape
    assert labels.dtype == np.int32
    present = np.unique(labels)
    np.testing.assert_array_equal(present, np.arange(present.size))
    for value in present:
        assert ndimage.label(labels == value)[1] == 1
    assert is_connected(labels)
    np.testing.assert_array_equal(in_reading_order(labels), labels)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint16])
def test_reading_order_equals_the_plain_version(dtype):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 5000, (30, 40)).astype(dtype)
    for found in (labels, labels.T, labels % 7, labels[:1, :1]):
        np.testing.assert_array_equal(in_reading_order(found), in_reading_order_numpy(found))
    with pytest.raises(ValueError, match="at least 0"):
        in_reading_order(labels.astype(np.int64) - 5000)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
def test_labels_are_connected_and_complete(method, small):
    assert_superpixels(find_superpixels(small, method), small.shape[:2])


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
@pytest.mark.parametrize("shape", [(8, 8), (1, 1), (1, 40), (600, 3), (3, 600), (2, 2)])
@pytest.mark.parametrize("even", [True, False])
def test_unusual_images(method, shape, even):
    noise = np.random.default_rng(1).integers(0, 256, (*shape, 3), dtype=np.uint8)
    image = np.full_like(noise, 77) if even else noise
    assert_superpixels(find_superpixels(image, method), shape)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
def test_repeated_runs_give_the_same_bytes(method, small):
    first = find_superpixels(small, method)
    assert first.tobytes() == find_superpixels(small.copy(), method).tobytes()


@pytest.mark.parametrize("limit", [1, 7, 50])
def test_count_is_bounded(limit, small):
    noise = np.random.default_rng(2).random(small.shape)
    for image in (small, noise):
        labels = find_superpixels(image, GraphMerging(max_count=limit))
        assert labels.max() + 1 <= limit


def test_count_follows_the_size_of_large_images():
    method = GraphMerging(max_count=20, count_limit=50)
    sizes = [(1, 1), (480, 640), (481, 640), (960, 640), (960, 1280), (3000, 4000)]
    assert [method.count(*size) for size in sizes] == [20, 20, 20, 40, 50, 50]
    assert GraphMerging(max_count=60, count_limit=50).count(3000, 4000) == 60
    noise = np.random.default_rng(5).random((800, 800, 3))
    assert 20 < find_superpixels(noise, method).max() + 1 <= 42


def test_the_limit_does_not_affect_images_of_the_usual_size(photograph):
    one = find_superpixels(photograph, GraphMerging(count_limit=950))
    assert one.tobytes() == find_superpixels(photograph).tobytes()


def test_clean_edges_are_kept():
    image = np.full((60, 80, 3), 40, np.uint8)
    image[10:30, 10:70] = (200, 30, 30)
    image[35:55, 40:44] = (30, 200, 30)
    labels = find_superpixels(image, GraphMerging(max_count=40))
    for value in np.unique(labels):
        assert len(np.unique(image[labels == value], axis=0)) == 1


def test_no_region_is_below_the_least_area(photograph):
    labels = find_superpixels(photograph, GraphMerging(min_area=30))
    assert np.bincount(labels.ravel()).min() >= 30


def reference_forest(colours, scale, min_area, max_area):
    """Join pixels with sets instead of arrays, in the order of Python's sort."""
    height, width, _ = colours.shape
    edges = []
    for i in range(height):
        for j in range(width):
            for di, dj in ((0, 1), (1, 0)):
                if i + di < height and j + dj < width:
                    w = np.sqrt(((colours[i, j] - colours[i + di, j + dj]) ** 2).sum())
                    edges.append(
                        (int(min(w * 256, 65535)), len(edges), w, (i, j), (i + di, j + dj))
                    )
    region = {(i, j): frozenset([(i, j)]) for i in range(height) for j in range(width)}
    inner = dict.fromkeys(region.values(), 0.0)

    def join(a, b, w):
        union = region[a] | region[b]
        for pixel in union:
            region[pixel] = union
        inner[union] = w

    for _, _, w, a, b in sorted(edges):
        one, other = region[a], region[b]
        limit = min(inner[one] + scale / len(one), inner[other] + scale / len(other))
        if one != other and w <= limit and len(one) + len(other) <= max_area:
            join(a, b, w)
    for _, _, w, a, b in sorted(edges):
        if region[a] != region[b] and min(len(region[a]), len(region[b])) < min_area:
            join(a, b, w)
    numbers = {r: n for n, r in enumerate(dict.fromkeys(region.values()))}
    return np.array([[numbers[region[i, j]] for j in range(width)] for i in range(height)])


@pytest.mark.parametrize("seed", range(3))
def test_forest_equals_plain_twin(seed):
    colours = np.random.default_rng(seed).random((9, 11, 3)).astype(np.float32) * 10
    colours[:, 5:] += 20
    wanted = reference_forest(colours, 12.0, 4, 30)
    np.testing.assert_array_equal(felzenszwalb_regions(colours, 12.0, 4, 30), wanted)


def test_merging_joins_the_most_similar_regions():
    colours = np.zeros((4, 9, 3), np.float32)
    colours[:, 3:6] = 1
    colours[:, 6:] = 10
    labels = np.repeat([[0, 0, 0, 1, 1, 1, 2, 2, 2]], 4, axis=0).astype(np.int32)
    merged = merge_regions(labels, colours, 2)
    np.testing.assert_array_equal(merged[0], [0, 0, 0, 0, 0, 0, 1, 1, 1])
    assert merge_regions(labels, colours, 1).max() == 0
    # If both limits cannot hold, the count does and the area does not.
    assert merge_regions(labels, colours, 2, max_area=13).max() + 1 == 2


def test_connected_regions_split_labels():
    labels = np.array([[5, 2, 5], [2, 5, 5], [2, 2, 2]])
    np.testing.assert_array_equal(connected_regions(labels), [[0, 1, 2], [3, 2, 2], [3, 3, 3]])
    assert not is_connected(labels)


def test_configurations_restore_the_methods():
    for method in (GraphMerging(max_count=50), QuickShift(max_dist=9), Slic(n_segments=3)):
        assert method_from_config(method_to_config(method)) == method
    with pytest.raises(ValueError, match="expected kind graph or quickshift or slic, got 'seeds'"):
        method_from_config({"kind": "seeds"})
    with pytest.raises(
        ValueError, match="max_count: expected a whole number from 1 to 200000, got 0"
    ):
        method_from_config({"kind": "graph", "max_count": 0})
    with pytest.raises(ValueError, match="n_segments: expected a whole number"):
        Slic(n_segments=2.5)
    with pytest.raises(ValueError, match="superpixels of kind slic"):
        method_from_config({"kind": "slic", "cells": 3})
