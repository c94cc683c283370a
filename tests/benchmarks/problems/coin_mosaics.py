"""Mosaics of coins of any size, made band by band, and training pictures of the same kind."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import tifffile
from scipy import ndimage
from skimage import data
from skimage.filters import gaussian, threshold_otsu

FIELD = 300
"""Side of the fields of a mosaic; not a divisor of the sides of tiles or blocks."""
ROWS = 768
"""Height of a band, a multiple of the side of TIFF tiles."""
NOISE = 24.0
"""Deviation of the camera's noise, in 12-bit levels."""


@cache
def coins() -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rotated and mirrored 12-bit images of coins, with masks from a threshold."""
    image = data.coins()
    flat = image - gaussian(image.astype(float), 60)
    mask = ndimage.binary_opening(flat > threshold_otsu(flat), iterations=2)
    mask = ndimage.binary_fill_holes(mask).astype(np.uint8)
    found = []
    for turn in range(8):
        pair = [np.rot90(part, turn % 4) for part in (image.astype(np.uint16) * 16, mask)]
        found.append(tuple(part[:, ::-1] if turn >= 4 else part for part in pair))
    return found


def lit(values: np.ndarray, gain: np.ndarray | float, rng: np.random.Generator) -> np.ndarray:
    """Return values with different lighting and noise."""
    noisy = values * gain + NOISE * rng.standard_normal(values.shape, dtype=np.float32)
    return np.clip(noisy, 0, 4095).astype(np.uint16)


def mosaic_bands(side: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield bands of a mosaic and of its mask, so that neither need fit into memory.

    Every field is one of the rotated images, with its own shift and lighting.
    """
    fields = -(-side // FIELD)
    rng = np.random.default_rng(0)
    which = rng.integers(0, 8, (fields, fields))
    shift = rng.integers(0, 80, (fields, fields))
    gain = rng.uniform(0.75, 1.2, (fields, fields)).astype(np.float32)
    for top in range(0, side, ROWS):
        rows = np.arange(top, min(top + ROWS, side))
        image = np.zeros((len(rows), side), np.float32)
        mask = np.zeros((len(rows), side), np.uint8)
        for i in np.unique(rows // FIELD):
            own = rows // FIELD == i
            for j in range(fields):
                columns = slice(j * FIELD, min((j + 1) * FIELD, side))
                width = columns.stop - columns.start
                for part, into in zip(coins()[which[i, j]], (image, mask), strict=True):
                    taller = part if part.shape[0] > part.shape[1] else part.T
                    start = shift[i, j] + rows[own] - i * FIELD
                    into[own, columns] = taller[start, :width]
                image[own, columns] *= gain[i, j]
        yield lit(image, 1.0, np.random.default_rng([1, top])), mask


def write_training(folder: Path, count: int) -> None:
    """Write `count` images and their masks to ``images`` and ``masks``."""
    rng = np.random.default_rng(2)
    for name in ("images", "masks"):
        (folder / name).mkdir(parents=True)
    for number in range(count):
        image, mask = coins()[number * 3 % 8]
        values = lit(image, rng.uniform(0.75, 1.2), rng)
        tifffile.imwrite(folder / "images" / f"{number:02d}.tif", values)
        tifffile.imwrite(folder / "masks" / f"{number:02d}.tif", mask * np.uint8(255))
