"""Export: the labelled images and their masks, side by side, as ``segboost train`` reads them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from segboost.label.images import FolderImage
from segboost.label.masks import UNPAINTED, MaskFolder
from segboost.label.project import LabelProject


@dataclass(frozen=True)
class Exported:
    """Where the export is and how many images it has."""

    images: Path
    masks: Path
    count: int

    @property
    def command(self) -> str:
        """How to train on it."""
        return f'segboost train --images "{self.images}" --masks "{self.masks}"'


def export_masks(
    project: LabelProject, images: Sequence[FolderImage], masks: MaskFolder
) -> Exported:
    """Write all painted images and their masks to two folders, in place of an older export.

    Raises
    ------
    ValueError
        Where nothing is painted.
    """
    painted = [i for i in images if not i.problem and masks.version(i) != UNPAINTED]
    if not painted:
        raise ValueError("nothing is painted yet: there are no masks to export")
    project.work.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=".export-", dir=project.work))
    try:
        for name in ("images", "masks"):
            (place / name).mkdir()
        for image in painted:
            _link(image.path, place / "images" / image.path.name)
            shutil.copyfile(masks.path(image), place / "masks" / masks.path(image).name)
        place.chmod(0o755)
        old = project.export
        if old.exists():
            shutil.rmtree(old)
        os.replace(place, old)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return Exported(project.export / "images", project.export / "masks", len(painted))


def _link(source: Path, target: Path) -> None:
    """Let a file appear in a second place, as a copy where links are not possible."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
