"""Photographs that occur twice: equal bytes, or equal appearance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from segboost._types import BoolArray, ByteArray, Float32Array

SIDE = 16
MAX_BITS = 10
"""Most differing bits, of 256, between copies; consecutive photographs differ in 40 or more."""
MAX_LEVELS = 8.0
"""Largest mean difference of copies' thumbnails; tells flat images of different colours apart."""


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """Fingerprint of an image's appearance, robust to format, compression and size.

    Parameters
    ----------
    bits : ndarray of bool, shape (256,)
        Whether brightness rises from each cell of a 17×16 grid to the next on the right.
    thumbnail : ndarray of float32, shape (768,)
        Colours of a 16×16 grid.
    """

    bits: BoolArray
    thumbnail: Float32Array


def fingerprint(image: ByteArray) -> Fingerprint:
    """Return the fingerprint of a uint8 RGB image."""
    picture = Image.fromarray(image)
    box = Image.Resampling.BOX
    grey = np.asarray(picture.convert("L").resize((SIDE + 1, SIDE), box), dtype=np.int16)
    thumbnail = np.asarray(picture.resize((SIDE, SIDE), box), dtype=np.float32)
    return Fingerprint((grey[:, 1:] > grey[:, :-1]).ravel(), thumbnail.ravel())


def find_near_duplicates(prints: Sequence[Fingerprint]) -> list[tuple[int, int]]:
    """Return the pairs (i, j), i < j, of images that look the same."""
    if not prints:
        return []
    bits = np.stack([p.bits for p in prints])
    thumbnails = np.stack([p.thumbnail for p in prints])
    pairs = []
    for i in range(len(prints) - 1):
        close = np.flatnonzero((bits[i + 1 :] != bits[i]).sum(axis=1) <= MAX_BITS) + i + 1
        levels = np.abs(thumbnails[close] - thumbnails[i]).mean(axis=1)
        pairs += [(i, int(j)) for j in close[levels <= MAX_LEVELS]]
    return pairs
