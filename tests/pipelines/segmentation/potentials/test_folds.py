"""Folds: contiguous images if possible, with both classes outside every fold."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.potentials.folds import (
    assign_folds,
    fold_of_image,
    has_two_classes_outside_folds,
)


def test_folds_are_contiguous_and_even():
    assert fold_of_image(10, 5).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert fold_of_image(7, 3).tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert fold_of_image(2, 5).tolist() == [0, 1]
    assert fold_of_image(1, 5).tolist() == [0]


def random_case(seed):
    """Return labels of few superpixels in few images; one class is often in a single image."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, rng.integers(2, 8))
    n, image = sizes.sum(), np.repeat(np.arange(len(sizes)), sizes)
    labels = (rng.random(n) < rng.random()).astype(np.int64)
    known = (rng.random(n) < rng.random()) & ((labels == 0) | (image <= rng.integers(len(sizes))))
    if rng.random() < 0.5:
        labels = 1 - labels
    return labels, known, sizes.tolist(), int(rng.integers(2, 6))


def test_two_superpixels_of_each_class_are_enough_to_learn_outside_every_fold():
    hard = 0
    for seed in range(2000):
        labels, known, sizes, n_folds = random_case(seed)
        fold = assign_folds(labels, known, sizes, n_folds)
        assert fold.shape == labels.shape
        assert ((fold >= 0) & (fold < n_folds)).all()
        contiguous = np.repeat(fold_of_image(len(sizes), n_folds), sizes)
        if has_two_classes_outside_folds(labels, known, contiguous):
            assert np.array_equal(fold, contiguous)
        elif min((known & (labels == c)).sum() for c in (0, 1)) >= 2:
            hard += 1
            assert has_two_classes_outside_folds(labels, known, fold)
    assert hard > 100


def test_the_only_image_with_foreground_is_divided_and_the_others_stay_whole():
    labels = np.repeat([1, 0, 0, 0], [4, 4, 8, 8]).astype(np.int64)
    fold = assign_folds(labels, np.ones(24, bool), [8, 8, 8], 4)
    assert fold[:8].tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert len(set(fold[8:16])) == len(set(fold[16:])) == 1


@pytest.mark.parametrize(("sizes", "n_folds"), [([6], 5), ([3, 3], 1)])
def test_with_one_image_or_one_fold_there_is_one_fold(sizes, n_folds):
    labels = np.array([0, 1, 0, 1, 0, 1])
    assert (assign_folds(labels, np.ones(6, bool), sizes, n_folds) == 0).all()
