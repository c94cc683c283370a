"""Folds of superpixels such that every class also occurs outside every fold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segboost._types import BoolArray, Int64Array
from segboost.pipelines.segmentation.potentials.folds import divide, fold_of_image


def assign_class_folds(
    labels: Int64Array, known: BoolArray, sizes: Sequence[int], n_folds: int
) -> Int64Array:
    """Return the fold of every superpixel.

    Folds are contiguous blocks of images, because neighbours often show the same scene. If a class
    occurs in only one block, nothing could be learned about it from the others: then images are
    dealt to the folds class by class, the rarest first, and an image that is the only one with a
    class is divided.

    Parameters
    ----------
    labels : ndarray of int, shape (N,)
    known : ndarray of bool, shape (N,)
        Superpixels with a labelled pixel.
    sizes : sequence of int
        Number of superpixels of each image, in order; their sum is N.
    n_folds : int
    """
    n_images = len(sizes)
    image = np.repeat(np.arange(n_images), sizes)
    fold = np.repeat(fold_of_image(n_images, n_folds), sizes)
    if n_folds < 2 or n_images < 2 or _all_known(labels, known, fold):
        return fold
    shows = [
        np.isin(np.arange(n_images), image[known & (labels == c)]) for c in np.unique(labels[known])
    ]
    dealt = _deal(shows, n_images, n_folds)
    fold = dealt[image]
    for showing in shows:
        if showing.sum() == 1:
            divide(fold, np.flatnonzero(image == np.argmax(showing)), labels, known, n_folds)
    return fold


def _all_known(labels: Int64Array, known: BoolArray, fold: Int64Array) -> bool:
    """Whether every class that occurs also occurs outside every fold."""
    classes = np.unique(labels[known])
    return all(np.isin(classes, labels[known & (fold != k)]).all() for k in np.unique(fold))


def _deal(shows: Sequence[BoolArray], n_images: int, n_folds: int) -> Int64Array:
    """Return the fold of every image, dealt class by class, the rarest first.

    An image goes where the fewest images of its class are, then where the fewest images are.
    """
    fold = np.full(n_images, -1)
    everything = np.ones(n_images, dtype=bool)
    for showing in [*sorted(shows, key=lambda s: int(s.sum())), everything]:
        for number in np.flatnonzero(showing & (fold < 0)):
            own = np.bincount(fold[showing & (fold >= 0)], minlength=n_folds)
            all_images = np.bincount(fold[fold >= 0], minlength=n_folds)
            fold[number] = np.lexsort([all_images, own])[0]
    return fold
