"""Eight SUN scenes: photographs by class, and the taxonomy of their classes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost.datasets.base import DatasetError
from segboost.io.image_files import list_images
from segboost.tasks.taxonomy import Taxonomy

FOLDER = "sun8"
SUN8_TREE: Mapping[Hashable, Any] = {
    "scenes": {
        "indoor": ["aquarium", "kitchen", "laundromat"],
        "outdoor natural": ["desert", "waterfall"],
        "outdoor man-made": ["highway", "park", "windmill"],
    }
}
"""Indoor or outdoor, natural or man-made; the classes are the leaves."""


@dataclass(frozen=True, eq=False)
class SceneFiles:
    """Photographs with one class each.

    Parameters
    ----------
    paths : tuple of Path
        By class, then by name.
    classes : ndarray of str, shape (N,)
    taxonomy : Taxonomy
    """

    paths: tuple[Path, ...]
    classes: npt.NDArray[np.str_]
    taxonomy: Taxonomy


def load_sun8(root: str | PathLike[str]) -> SceneFiles:
    """Return the photographs of ``root/sun8``: one folder per class.

    Raises
    ------
    DatasetError
        If a class is missing or has no photograph.
    """
    taxonomy = Taxonomy.make(SUN8_TREE)
    folder = Path(root) / FOLDER
    paths: list[Path] = []
    classes: list[str] = []
    for name in sorted(map(str, taxonomy.leaves)):
        if not (folder / name).is_dir():
            raise DatasetError(
                f"there is no {folder / name}: put the SUN photographs of that class there"
            )
        found, _ = list_images(folder / name)
        if not found:
            raise DatasetError(f"there are no photographs in {folder / name}: put some there")
        paths += found
        classes += [name] * len(found)
    return SceneFiles(tuple(paths), np.array(classes), taxonomy)
