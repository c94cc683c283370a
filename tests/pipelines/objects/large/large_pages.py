"""Small pages that are processed as if they were large."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager

import numpy as np
from scipy import ndimage

from segboost.pipelines.objects.large.finding import find_large_objects
from segboost.pipelines.objects.large.page_file import LargeLimits, open_page

SMALL = LargeLimits(band=5, side=9, largest=150)
"""Limits that give pages of a few dozen pixels many bands, groups and huge objects."""
SPLITTING = LargeLimits(band=5, side=9, largest=2**23)
"""The same limits, except that all parts are split."""


def random_mask(rng, classes=3, shape=None, smoothing=(0.0, 0.7, 1.5)):
    """Return a random mask of blobs, with holes, void, and parts that cross bands."""
    height, width = rng.integers(1, 40, 2) if shape is None else shape
    noise = rng.random((height, width))
    smooth = ndimage.gaussian_filter(noise, rng.choice(smoothing))
    ranks = smooth.ravel().argsort().argsort().reshape(smooth.shape) / smooth.size
    edges = np.sort(rng.random(classes))
    values = rng.permutation(classes + 1)
    mask = values[np.searchsorted(edges, ranks)].astype(np.uint8)
    if rng.random() < 0.3:
        mask[rng.random(mask.shape) < 0.05] = 255
    return mask


def rings(*values, thickness=2):
    """Return rings within rings, the first value outermost."""
    side = 2 * thickness * len(values) + 5
    mask = np.zeros((side + 2, side + 2), np.uint8)
    for number, value in enumerate(values):
        at = 1 + number * thickness
        mask[at : side + 2 - at, at : side + 2 - at] = value
    return mask


def comb(teeth=6, length=30):
    """Return U-shapes: bars that are joined at their lower ends only."""
    mask = np.zeros((length + 4, 4 * teeth + 1), np.uint8)
    for tooth in range(teeth):
        mask[1 + 3 * (tooth % 3) : length, 1 + 4 * tooth : 3 + 4 * tooth] = 1
    mask[length, 1:-1] = 1
    return mask


@contextmanager
def large_objects(mask, settings, folder, limits=SMALL):
    """Yield the objects of a mask, found by bands, and a scratch page."""
    with ExitStack() as files:
        pages = [
            files.enter_context(open_page(folder, mask.shape, kind))
            for kind in (np.uint8, np.int32, np.int32)
        ]
        pages[0].fill([mask])
        yield find_large_objects(*pages, settings, limits), pages[2]
