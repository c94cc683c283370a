"""Labels that are connected regions, numbered 0 … P−1 in reading order."""

from __future__ import annotations

import numpy as np
from skimage.measure import label

from segboost._types import AnyArray, Int32Array
from segboost.features.kernel import kernel

Labels = Int32Array
"""A superpixel map, shape (H, W), labels 0 … P−1."""


def connected_regions(labels: AnyArray) -> Labels:
    """Split every label into its 4-connected parts and number them in reading order.

    Parameters
    ----------
    labels : ndarray of integers, shape (H, W)

    Returns
    -------
    ndarray of int32, shape (H, W)
        Two pixels share a number if and only if a path of edge-sharing pixels of the same label
        joins them.
    """
    parts = label(labels - labels.min() + 1, background=0, connectivity=1)
    return in_reading_order(parts - 1)


def in_reading_order(labels: AnyArray) -> Labels:
    """Renumber labels by their first pixel in reading order.

    Parameters
    ----------
    labels : ndarray of integers, shape (H, W)
        At least 0; memory use grows with the largest.
    """
    if labels.min() < 0:
        raise ValueError(f"labels: expected numbers of at least 0, got {labels.min()}")
    found = _by_first_pixel(np.ascontiguousarray(labels).ravel(), int(labels.max()) + 1)
    return found.reshape(labels.shape)


def in_reading_order_numpy(labels: AnyArray) -> Labels:
    """Plain NumPy twin of `in_reading_order`."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int32)
    rank[np.argsort(first)] = np.arange(first.size, dtype=np.int32)
    return rank[inverse].reshape(labels.shape)


@kernel
def _by_first_pixel(labels: AnyArray, count: int) -> Int32Array:
    found = np.empty(labels.size, np.int32)
    number = np.full(count, -1, np.int32)
    known = 0
    for p in range(labels.size):
        label = labels[p]
        if number[label] < 0:
            number[label] = known
            known += 1
        found[p] = number[label]
    return found


def is_connected(labels: AnyArray) -> bool:
    """Whether every label is one 4-connected region."""
    parts = label(labels - labels.min() + 1, background=0, connectivity=1)
    return int(parts.max()) == np.unique(labels).size
