"""Small image, mask and Graz-02 files for the tests of loaders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

GRAZ_PALETTE = [0, 0, 0, 255, 0, 0, 0, 255, 0]


def photograph(seed: int, height: int = 12, width: int = 16) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def save(array: np.ndarray, path: Path, palette: list[int] | None = None) -> Path:
    picture = Image.fromarray(np.asarray(array, dtype=np.uint8))
    if palette is not None:
        picture = Image.frombytes("P", picture.size, picture.tobytes())
        picture.putpalette(palette)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)
    return path


def square(value: int, height: int = 12, width: int = 16) -> np.ndarray:
    mask = np.zeros((height, width), np.uint8)
    mask[2:6, 3:9] = value
    return mask


def graz(
    folder: Path, stem: str = "bike", count: int = 300, skip_masks: tuple[int, ...] = ()
) -> None:
    """Write images 1 … count and one instance mask each; the bytes of images differ."""
    for number in range(1, count + 1):
        save(photograph(number, 4, 6), folder / f"{stem}_{number:03d}.image.png")
        if number not in skip_masks:
            name = f"{stem}_{number:03d}.mask.0.png"
            save(square(1, 4, 6), folder / name, GRAZ_PALETTE)
