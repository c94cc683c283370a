"""Expand files, folders and glob patterns to a checked list of image files."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from segboost.io.image_files import list_images


def find_images(sources: Iterable[str]) -> list[Path]:
    """Return the image files named by paths, folders and glob patterns, each once, in order.

    Subfolders are not searched. Folders and patterns yield only files with an image suffix; a
    file that is named explicitly is accepted with any suffix.

    Raises
    ------
    ValueError
        If a source matches nothing.
    """
    found: dict[Path, None] = {}
    for source in sources:
        named = _expand(source)
        if not named:
            raise ValueError(
                f"{source}: no such image: give an image file, a folder with images or a pattern "
                "that matches some"
            )
        found.update(dict.fromkeys(named))
    return list(found)


def check_names(images: Sequence[Path], output: Path) -> None:
    """Refuse images whose masks would overwrite each other or an image.

    Raises
    ------
    ValueError
        Names the two files.
    """
    by_stem: dict[str, Path] = {}
    for path in images:
        other = by_stem.setdefault(path.stem, path)
        if other != path:
            raise ValueError(
                f"{other} and {path} would both become {path.stem}.png: segment them into "
                "different folders or rename one"
            )
    # Unlike Path.resolve, this accepts circular links.
    taken = {os.path.realpath(path) for path in images}
    for path in images:
        target = output / f"{path.stem}.png"
        if os.path.realpath(target) in taken:
            raise ValueError(
                f"the mask of {path} would overwrite {target}: choose another --output"
            )


def _expand(source: str) -> list[Path]:
    path = Path(source)
    if path.is_dir():
        return list_images(path)[0]
    if path.exists():
        return [path]
    if path.is_symlink():  # a dangling link, which is reported when it is read
        return [path]
    found = _match(source)
    folders = sorted({p.parent for p in found})
    images = {p for folder in folders for p in list_images(folder)[0]}
    return [p for p in found if p in images]


def _match(pattern: str) -> list[Path]:
    """Return the matches of a glob pattern; ``**`` does not follow links, which may be circular."""
    if "**" not in pattern:
        return [Path(name) for name in sorted(glob.glob(pattern))]
    path = Path(pattern)
    base = Path(path.anchor) if path.is_absolute() else Path()
    rest = path.relative_to(path.anchor) if path.is_absolute() else path
    found = sorted(base.glob(str(rest)))
    return [
        p for p in found if not any(part.startswith(".") for part in p.parts[len(base.parts) :])
    ]
