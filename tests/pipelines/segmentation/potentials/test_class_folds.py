"""Folds of several classes."""

from __future__ import annotations

import numpy as np

from segboost.pipelines.segmentation.potentials.class_folds import assign_class_folds


def known_outside(labels, fold):
    return all(set(labels[fold != k]) == set(labels) for k in np.unique(fold))


def test_blocks_are_contiguous_where_every_class_is_everywhere():
    labels = np.tile([0, 1, 2], 12)
    fold = assign_class_folds(labels, np.ones(36, bool), [6] * 6, 3)
    np.testing.assert_array_equal(fold, np.repeat([0, 1, 2], 12))


def test_a_class_of_one_block_is_dealt_to_several_folds():
    labels = np.zeros(60, int)
    labels[:20:2] = 1  # images 0 and 1 only
    labels[40::3] = 2  # images 4 and 5 only
    fold = assign_class_folds(labels, np.ones(60, bool), [10] * 6, 3)
    assert known_outside(labels, fold)
    for image in range(6):
        assert len(np.unique(fold[10 * image : 10 * image + 10])) == 1


def test_an_image_that_alone_shows_a_class_is_divided():
    labels = np.zeros(40, int)
    labels[12:18] = 3
    fold = assign_class_folds(labels, np.ones(40, bool), [10] * 4, 2)
    assert known_outside(labels, fold)


def test_unlabelled_superpixels_do_not_count():
    labels = np.zeros(40, int)
    labels[5] = 1
    labels[25] = 1
    known = np.ones(40, bool)
    known[25] = False
    labels[35] = 1
    fold = assign_class_folds(labels, known, [10] * 4, 2)
    assert len({fold[5], fold[35]}) == 2
