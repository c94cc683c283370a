"""Adjacency of superpixels: touching pairs, boundary lengths and colour differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import AnyArray, Float32Array, FloatArray, Int32Array, Int64Array
from segboost.features.kernel import kernel
from segboost.features.superpixels.connectivity import Labels


@dataclass(frozen=True, eq=False)
class Adjacency:
    """The neighbourhood graph of superpixels.

    Parameters
    ----------
    edges : ndarray of int32, shape (E, 2)
        Pairs p < q of superpixels that share a pixel edge, in ascending order.
    boundary_length : ndarray of float32, shape (E,)
        The number of pixel edges that p and q share.
    luv_difference : ndarray of float32, shape (E,)
        ``‖mean LUV of p − mean LUV of q‖``.
    """

    edges: Int32Array
    boundary_length: Float32Array
    luv_difference: Float32Array


@dataclass(frozen=True, eq=False)
class Contacts:
    """Pairs of touching labels with sums over their common boundary.

    Parameters
    ----------
    low, high : ndarray of int64, shape (E,)
        The two labels, low < high, in ascending order.
    length : ndarray of float64, shape (E,)
        The number of shared pixel edges.
    contrast : ndarray of float64, shape (E,)
        The sum of the colour differences across these edges.
    """

    low: Int64Array
    high: Int64Array
    length: FloatArray
    contrast: FloatArray


def find_adjacency(labels: Labels, luv: Float32Array) -> Adjacency:
    """Return the neighbourhood graph of a superpixel map.

    Parameters
    ----------
    labels : ndarray of int32, shape (H, W)
        0 … P−1.
    luv : ndarray of float32, shape (H, W, 3)

    Returns
    -------
    Adjacency
    """
    keys, lengths = np.unique(find_crossings(labels)[0], return_counts=True)
    count = int(labels.max()) + 1
    low, high = np.divmod(keys, count)
    colours = region_means(labels, luv, count)
    return Adjacency(
        edges=np.stack([low, high], axis=1).astype(np.int32),
        boundary_length=lengths.astype(np.float32),
        luv_difference=np.linalg.norm(colours[low] - colours[high], axis=1).astype(np.float32),
    )


def find_contacts(labels: Labels, colours: Float32Array) -> Contacts:
    """Return all pairs of touching labels with the colour contrast along their boundary."""
    keys, first, second = find_crossings(labels)
    pixels = colours.reshape(-1, colours.shape[-1])
    steps = np.sqrt(((pixels[first] - pixels[second]) ** 2).sum(axis=1))
    pairs, inverse = np.unique(keys, return_inverse=True)
    low, high = np.divmod(pairs, int(labels.max()) + 1)
    return Contacts(
        low,
        high,
        np.bincount(inverse, minlength=pairs.size).astype(np.float64),
        weighted_count(inverse, steps, pairs.size),
    )


def weighted_count(labels: AnyArray, weights: AnyArray, count: int) -> FloatArray:
    """Return the sum of the weights of each label, shape (count,)."""
    return np.bincount(labels, weights, count).astype(np.float64, copy=False)


def region_means(labels: Labels, values: AnyArray, count: int) -> FloatArray:
    """Return the mean of every channel in every region, shape (P, channels)."""
    flat = labels.ravel()
    area = np.bincount(flat, minlength=count)
    channels = values.reshape(flat.size, -1)
    sums = [weighted_count(flat, channels[:, k], count) for k in range(channels.shape[1])]
    return np.stack(sums, axis=1) / area[:, None]


def find_crossings(labels: Labels) -> tuple[Int64Array, ...]:
    """Return the pair ``low·P + high`` and the two pixels of every edge between two labels.

    Pixels are numbered in reading order; edges to the right come before edges downwards.
    """
    return _walk_edges(np.ascontiguousarray(labels), int(labels.max()) + 1)


def find_crossings_numpy(labels: Labels) -> tuple[Int64Array, ...]:
    """Plain NumPy twin of `find_crossings`."""
    height, width = labels.shape
    count = int(labels.max()) + 1
    index = np.arange(height * width).reshape(height, width)
    flat = labels.ravel()
    first = np.concatenate([index[:, :-1].ravel(), index[:-1].ravel()])
    step = np.repeat([1, width], [height * (width - 1), (height - 1) * width])
    crosses = np.flatnonzero(flat[first] != flat[first + step])
    first, second = first[crosses], (first + step)[crosses]
    one, other = flat[first].astype(np.int64), flat[second].astype(np.int64)
    return np.minimum(one, other) * count + np.maximum(one, other), first, second


@kernel
def _walk_edges(labels: Labels, count: int) -> tuple[Int64Array, ...]:
    height, width = labels.shape
    most = height * (width - 1) + (height - 1) * width
    pair = np.empty(most, np.int64)
    first, second = np.empty(most, np.int64), np.empty(most, np.int64)
    found = 0
    for down in range(2):
        right = 1 - down
        for i in range(height - down):
            for j in range(width - right):
                one, other = labels[i, j], labels[i + down, j + right]
                if one != other:
                    pair[found] = np.int64(min(one, other)) * count + max(one, other)
                    first[found] = i * width + j
                    second[found] = (i + down) * width + j + right
                    found += 1
    return pair[:found].copy(), first[:found].copy(), second[:found].copy()
