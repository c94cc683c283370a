"""Location and naming of the files of Graz-02 (INRIA annotations, IG02)."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from segboost.datasets.base import DatasetError

N_IMAGES = 300
"""The protocol takes the first 300 images of a category."""

_FILE = re.compile(
    r"(?P<stem>.+)_(?P<number>\d{3})\.(?:image|mask\.(?P<k>\d+))\.(?:png|jpe?g)", re.I
)


@dataclass(frozen=True)
class Category:
    """Names and annotations of the files of a category."""

    folder: str
    stem: str
    unannotated: frozenset[int] = frozenset()


CATEGORIES = {
    "bike": Category("bikes", "bike"),
    "car": Category("cars", "carsgraz"),
    "people": Category("people", "person", frozenset({202, 214, 218, 266, 282, 298})),
}


@dataclass(frozen=True)
class Graz02Files:
    """The files of a category in a folder, by image number.

    Parameters
    ----------
    folder : Path
    images : dict of int to Path
    masks : dict of int to tuple of Path
        One file per instance, sorted by instance.
    """

    category: str
    folder: Path
    images: dict[int, Path]
    masks: dict[int, tuple[Path, ...]]

    def name(self, number: int) -> str:
        """Return the name of an image, such as bike_001."""
        return f"{CATEGORIES[self.category].stem}_{number:03d}"

    def missing_images(self) -> list[int]:
        """Return the numbers of the protocol that have no image."""
        return [n for n in range(1, N_IMAGES + 1) if n not in self.images]

    def missing_masks(self) -> list[int]:
        """Return the images without a mask that the distribution annotates."""
        known = CATEGORIES[self.category].unannotated
        return [n for n in sorted(self.images) if n not in self.masks and n not in known]


def find_graz02(root: str | PathLike[str], category: str) -> Graz02Files:
    """Return the files of the first 300 images of a category, complete or not."""
    if category not in CATEGORIES:
        raise ValueError(f"category must be one of {', '.join(CATEGORIES)}, got {category!r}")
    folder = _find_folder(Path(root), category)
    images: dict[int, Path] = {}
    masks: dict[int, dict[int, Path]] = defaultdict(dict)
    for path in sorted(folder.iterdir()):
        match = _FILE.fullmatch(path.name)
        if match is None or match["stem"] != CATEGORIES[category].stem:
            continue
        number = int(match["number"])
        if not 1 <= number <= N_IMAGES:
            continue
        if match["k"] is not None:
            masks[number][int(match["k"])] = path
        elif number not in images or path.suffix.lower() == ".png":
            images[number] = path  # the original is PNG; it is preferred if both exist
    ordered = {n: tuple(parts[k] for k in sorted(parts)) for n, parts in masks.items()}
    return Graz02Files(category, folder, images, ordered)


def _find_folder(root: Path, category: str) -> Path:
    """Return the first of the possible folders that holds images of the category."""
    plain, stem = CATEGORIES[category].folder, CATEGORIES[category].stem
    names = (plain, category, f"ig02-v1.0-{plain}/{plain}", f"ig02-v1.0-{plain}", ".")
    for base in (root, root / "graz02", root / "ig02"):
        for name in names:
            if any((base / name).glob(f"{stem}_*.image.*")):
                return base / name
    raise DatasetError(
        f"there are no files {stem}_001.image.png (or .jpg) in {root / plain} or "
        f"{root / 'graz02' / plain}: unpack the INRIA annotations of Graz-02 (IG02) there, or "
        "name their folder with --data-root or the variable SEGBOOST_DATA"
    )
