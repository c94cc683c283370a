import numpy as np

from segboost.features import as_rgb, find_adjacency, find_superpixels, rgb_to_luv
from segboost.features.superpixels.adjacency import (
    find_contacts,
    find_crossings,
    find_crossings_numpy,
)


def reference(labels, luv):
    """Return edges, border lengths and colour differences by a walk over all pixels."""
    lengths = {}
    height, width = labels.shape
    for i in range(height):
        for j in range(width):
            for k, m in ((i, j + 1), (i + 1, j)):
                if k < height and m < width and labels[i, j] != labels[k, m]:
                    pair = tuple(sorted((int(labels[i, j]), int(labels[k, m]))))
                    lengths[pair] = lengths.get(pair, 0) + 1
    means = [luv[labels == p].astype(float).mean(axis=0) for p in range(labels.max() + 1)]
    edges = sorted(lengths)
    return (
        edges,
        [lengths[e] for e in edges],
        [np.linalg.norm(means[p] - means[q]) for p, q in edges],
    )


def test_equals_a_walk_over_pixels(small):
    labels, luv = find_superpixels(small), rgb_to_luv(as_rgb(small))
    edges, lengths, differences = reference(labels, luv)
    found = find_adjacency(labels, luv)
    np.testing.assert_array_equal(found.edges, edges)
    np.testing.assert_array_equal(found.boundary_length, lengths)
    np.testing.assert_allclose(found.luv_difference, differences, rtol=1e-4, atol=1e-4)
    assert (found.edges[:, 0] < found.edges[:, 1]).all()


def test_by_hand():
    labels = np.array([[0, 0, 1], [0, 2, 1]], np.int32)
    luv = np.zeros((2, 3, 3), np.float32)
    luv[labels == 1] = (3, 4, 0)
    found = find_adjacency(labels, luv)
    np.testing.assert_array_equal(found.edges, [[0, 1], [0, 2], [1, 2]])
    np.testing.assert_array_equal(found.boundary_length, [1, 2, 1])
    np.testing.assert_allclose(found.luv_difference, [5, 0, 5], rtol=1e-6)


def test_one_superpixel_has_no_edges():
    found = find_adjacency(np.zeros((3, 3), np.int32), np.zeros((3, 3, 3), np.float32))
    assert found.edges.shape == (0, 2)
    assert found.boundary_length.shape == found.luv_difference.shape == (0,)


def test_contacts_sum_the_contrast():
    labels = np.array([[0, 1], [0, 1]], np.int32)
    colours = np.array([[[0, 0, 0], [3, 4, 0]], [[0, 0, 0], [0, 0, 1]]], np.float32)
    contacts = find_contacts(labels, colours)
    np.testing.assert_allclose([contacts.length[0], contacts.contrast[0]], [2, 6])


def test_crossings_equal_the_plain_version():
    rng = np.random.default_rng(5)
    for shape in ((1, 1), (1, 7), (7, 1), (9, 12)):
        for labels in (rng.integers(0, 4, shape, np.int32), np.zeros(shape, np.int32)):
            for found, plain in zip(
                find_crossings(labels), find_crossings_numpy(labels), strict=True
            ):
                np.testing.assert_array_equal(found, plain)
