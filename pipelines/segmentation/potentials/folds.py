"""Folds of superpixels that are left out together for out-of-fold scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segboost._types import BoolArray, Int64Array


def fold_of_image(n_images: int, n_folds: int) -> Int64Array:
    """Return the fold of every image: contiguous blocks, since neighbours often show one scene."""
    return np.arange(n_images) * min(n_folds, n_images) // max(n_images, 1)


def has_two_classes(labels: Int64Array, rows: Int64Array) -> bool:
    """Whether these rows hold two classes or more, so that a classifier can be learned from them.

    If masks are partial, the images outside a fold may show only one class. Then nothing can be
    learned for the fold, and its out-of-fold scores are 0, which favours no class.
    """
    found = labels[rows]
    return bool(len(found) and (found != found[0]).any())


def assign_folds(
    labels: Int64Array, known: BoolArray, sizes: Sequence[int], n_folds: int
) -> Int64Array:
    """Return the fold of every superpixel.

    Folds are contiguous blocks of images, because neighbours often show the same scene. If masks
    are partial, a class may occur in only one block, and nothing could be learned about it from
    the others. Then the images with the class are spread over the folds; if there is only one,
    it is divided, so that each part is scored by a model of the others. Such scores are
    optimistic, but better than none.

    Parameters
    ----------
    labels : ndarray of int, shape (N,)
    known : ndarray of bool, shape (N,)
        Superpixels with a labelled pixel.
    sizes : sequence of int
        Number of superpixels of each image, in order; their sum is N.
    n_folds : int
    """
    image = np.repeat(np.arange(len(sizes)), sizes)
    fold = np.repeat(fold_of_image(len(sizes), n_folds), sizes)
    if n_folds < 2 or len(sizes) < 2 or has_two_classes_outside_folds(labels, known, fold):
        return fold
    shows = [np.isin(np.arange(len(sizes)), image[known & (labels == c)]) for c in (0, 1)]
    # Foreground only, both, background only, nothing: the images that show a class follow one
    # another, so that two neighbours among them get different folds.
    rank = np.select([shows[1] & ~shows[0], shows[1], shows[0]], [0, 1, 2], 3)
    spread = np.empty(len(sizes), np.int64)
    spread[np.argsort(rank, kind="stable")] = np.arange(len(sizes)) % n_folds
    fold = spread[image]
    for showing in shows:
        if showing.sum() == 1:
            divide(fold, np.flatnonzero(image == np.argmax(showing)), labels, known, n_folds)
    return fold


def has_two_classes_outside_folds(labels: Int64Array, known: BoolArray, fold: Int64Array) -> bool:
    """Whether the rows outside every fold hold two classes, so that all folds can be scored."""
    return all(
        has_two_classes(labels, np.flatnonzero(known & (fold != k))) for k in np.unique(fold)
    )


def divide(
    fold: Int64Array, rows: Int64Array, labels: Int64Array, known: BoolArray, n_folds: int
) -> None:
    """Divide the superpixels of one image into folds, in place.

    Superpixels are numbered row by row, so runs of numbers are bands. Each class is divided
    separately, so that each is in several folds.
    """
    for value in np.unique(labels[rows]):
        members = rows[known[rows] & (labels[rows] == value)]
        if len(members) > 1:
            fold[members] = fold_of_image(len(members), n_folds)
    seen, free = rows[known[rows]], rows[~known[rows]]
    fold[free] = fold[seen[np.minimum(np.searchsorted(seen, free), len(seen) - 1)]]
