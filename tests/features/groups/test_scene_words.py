"""HOG words of whole scenes: the grid against the patches it is made of, counts by hand."""

import numpy as np
import pytest

from segboost.features.groups.clustering import cluster_words, nearest_word
from segboost.features.groups.hog import hog_patches, hog_response
from segboost.features.groups.scene_words import (
    BLOCK,
    learn_block_words,
    scene_cells,
    stack_blocks,
    word_pyramid,
)
from segboost.features.image import as_rgb


def test_cells_are_those_of_the_patches(photograph):
    square = photograph[:64, :64]
    cells = scene_cells(square, side=64, n_cells=8)
    patch = hog_patches(hog_response(as_rgb(square), 32), np.array([[48, 16]]), 32)
    np.testing.assert_allclose(cells[4:, :4], patch.reshape(4, 4, 31), atol=1e-6)


def test_images_of_any_shape_and_kind_have_the_same_grid(photograph):
    tall = scene_cells(photograph[:, :50], side=64, n_cells=8)
    assert tall.shape == (8, 8, 31)
    assert tall.dtype == np.float32
    grey = photograph.mean(axis=2).astype(np.uint8)
    assert scene_cells(grey, side=64, n_cells=8).shape == (8, 8, 31)


@pytest.mark.parametrize(("side", "n_cells"), [(64, 6), (64, 0), (60, 8), (4, 8)])
def test_sides_that_do_not_divide_are_refused(photograph, side, n_cells):
    with pytest.raises(ValueError, match="must be a multiple"):
        scene_cells(photograph, side, n_cells)


def test_blocks_hold_their_four_cells():
    cells = np.random.default_rng(0).random((2, 5, 5, 31)).astype(np.float32)
    blocks = stack_blocks(cells)
    assert blocks.shape == (2, 4, 4, BLOCK)
    expected = np.concatenate([cells[1, 2, 3], cells[1, 2, 4], cells[1, 3, 3], cells[1, 3, 4]])
    np.testing.assert_array_equal(blocks[1, 2, 3], expected)


def test_a_pyramid_counts_the_words_of_every_region():
    rng = np.random.default_rng(0)
    words = rng.random((3, BLOCK)).astype(np.float32)
    names = rng.integers(0, 3, (2, 4, 4))
    pyramid = word_pyramid(words[names], words, levels=(1, 2))
    assert pyramid.shape == (2, 3 * 5)
    for image in range(2):
        whole = [np.sqrt((names[image] == k).mean()) for k in range(3)]
        np.testing.assert_allclose(pyramid[image, :3], whole, rtol=1e-6)
        lower_left = [np.sqrt((names[image, 2:, :2] == k).mean()) for k in range(3)]
        np.testing.assert_allclose(pyramid[image, 9:12], lower_left, rtol=1e-6)
    np.testing.assert_allclose((pyramid**2).sum(axis=1), 5, rtol=1e-5)


def test_words_are_the_same_for_the_same_seed_and_drawn_from_a_part():
    blocks = np.random.default_rng(0).random((4, 10, 10, BLOCK)).astype(np.float32)
    one = learn_block_words(blocks, 5, most=100, random_state=1)
    assert one.shape == (5, BLOCK)
    assert one.tobytes() == learn_block_words(blocks, 5, most=100, random_state=1).tobytes()
    assert one.tobytes() != learn_block_words(blocks, 5, most=100, random_state=2).tobytes()


def test_nearest_words_by_brute_force():
    rng = np.random.default_rng(0)
    sample = rng.random((50, 6)).astype(np.float32)
    words = cluster_words(sample, 4, rng)
    brute = ((sample[:, None] - words) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(nearest_word(sample, words), brute)


def test_fewer_descriptors_than_words_are_padded():
    sample = np.ones((3, 6), np.float32)
    words = cluster_words(sample, 4, np.random.default_rng(0))
    np.testing.assert_array_equal(words, [[1] * 6, [0] * 6, [0] * 6, [0] * 6])
