"""Scene descriptors: HOG words of 2×2 cells, counted over a pyramid of regions.

These are the "HOG 2×2" features of the SUN database: the descriptors of neighbouring cells are
stacked, assigned to codebook words, and counted over the image, its quarters, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PIL import Image

from segboost._types import Float32Array, IntArray
from segboost.features.groups.clustering import cluster_words, nearest_word
from segboost.features.groups.hog import CELLS, CHANNELS, hog_patches, hog_response
from segboost.features.image import ImageLike, as_rgb

BLOCK = 4 * CHANNELS
"""Dimension of a block of 2×2 cells."""


def scene_cells(image: ImageLike, side: int = 160, n_cells: int = 16) -> Float32Array:
    """Describe an image by a square grid of HOG cells.

    Parameters
    ----------
    image : ndarray or PIL.Image.Image
        Any input of `as_rgb`; scaled to side × side pixels regardless of its shape.
    side : int
        A multiple of `n_cells`.
    n_cells : int
        Number of cells along each side, a multiple of 4.

    Returns
    -------
    ndarray of float32, shape (n_cells, n_cells, 31)

    Examples
    --------
    >>> scene_cells(np.zeros((30, 40), np.uint8), side=32, n_cells=8).shape
    (8, 8, 31)
    """
    if n_cells < CELLS or n_cells % CELLS:
        raise ValueError(f"n_cells must be a multiple of {CELLS}, got {n_cells}")
    if side < n_cells or side % n_cells:
        raise ValueError(f"side must be a multiple of n_cells ({n_cells}), got {side}")
    rgb = _resized(as_rgb(image), side)
    n_patches = n_cells // CELLS
    size = side // n_patches
    at = np.arange(n_patches, dtype=np.int64) * size + size // 2
    centres = np.stack(np.meshgrid(at, at, indexing="ij"), axis=-1).reshape(-1, 2)
    patches = hog_patches(hog_response(rgb, size), centres, size)
    grid = patches.reshape(n_patches, n_patches, CELLS, CELLS, CHANNELS)
    return grid.transpose(0, 2, 1, 3, 4).reshape(n_cells, n_cells, CHANNELS)


def stack_blocks(cells: Float32Array) -> Float32Array:
    """Stack all blocks of 2×2 cells: (…, n, n, 31) becomes (…, n − 1, n − 1, 124)."""
    here, right = cells[..., :-1, :-1, :], cells[..., :-1, 1:, :]
    below, both = cells[..., 1:, :-1, :], cells[..., 1:, 1:, :]
    return np.concatenate([here, right, below, both], axis=-1)


def learn_block_words(
    blocks: Float32Array,
    n_words: int = 200,
    most: int = 60_000,
    random_state: int | np.random.Generator = 0,
) -> Float32Array:
    """Learn a codebook from the blocks of training images, shape (…, 124).

    Parameters
    ----------
    blocks : ndarray of float32, shape (…, 124)
    n_words : int
    most : int
        Maximum number of blocks to learn from, drawn at random.
    random_state : int or numpy.random.Generator

    Returns
    -------
    ndarray of float32, shape (n_words, 124)
    """
    rng = np.random.default_rng(random_state)
    flat = blocks.reshape(-1, blocks.shape[-1])
    if len(flat) > most:
        flat = flat[np.sort(rng.choice(len(flat), most, replace=False))]
    return cluster_words(flat, n_words, rng)


def word_pyramid(
    blocks: Float32Array,
    words: Float32Array,
    levels: Sequence[int] = (1, 2),
) -> Float32Array:
    """Count words over regions of images: ``sqrt(count / all)`` per region and word.

    Parameters
    ----------
    blocks : ndarray of float32, shape (N, n, n, 124)
        The blocks of N images.
    words : ndarray of float32, shape (K, 124)
    levels : sequence of int
        A level l divides an image into l × l regions.

    Returns
    -------
    ndarray of float32, shape (N, K Σ l²)
        Level by level, regions row by row.
    """
    n_images, n = blocks.shape[:2]
    names = nearest_word(blocks.reshape(-1, blocks.shape[-1]), words).reshape(n_images, n, n)
    parts = []
    for level in levels:
        edges = np.linspace(0, n, level + 1).astype(int)
        for top, bottom in pairwise(edges):
            for left, right in pairwise(edges):
                region = names[:, top:bottom, left:right].reshape(n_images, -1)
                parts.append(_shares(region, len(words)))
    return np.sqrt(np.concatenate(parts, axis=1))


def _shares(names: IntArray, n_words: int) -> Float32Array:
    """Return the fraction of each row that every word makes up, shape (N, K)."""
    flat = np.arange(len(names))[:, None] * n_words + names
    counts = np.bincount(flat.ravel(), minlength=len(names) * n_words)
    return (counts.reshape(len(names), n_words) / max(1, names.shape[1])).astype(np.float32)


def _resized(rgb: Float32Array, side: int) -> Float32Array:
    """Return the image scaled to a square, channel by channel, smoothed when it shrinks."""
    channels = [
        Image.fromarray(rgb[..., k]).resize((side, side), Image.Resampling.BILINEAR)
        for k in range(3)
    ]
    return np.stack([np.asarray(c, dtype=np.float32) for c in channels], axis=-1)
