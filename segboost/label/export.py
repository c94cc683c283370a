"""Export the labelled images and their masks to folders for ``segboost train``."""

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
    """The folders of an export and its number of images."""

    images: Path
    masks: Path
    count: int

    @property
    def command(self) -> str:
        """The command that trains on the export."""
        return f'segboost train --images "{self.images}" --masks "{self.masks}"'


def export_masks(
    project: LabelProject, images: Sequence[FolderImage], masks: MaskFolder
) -> Exported:
    """Write all labelled images and their masks to two folders, replacing an earlier export.

    Raises
    ------
    ValueError
        If nothing is labelled.
    """
    painted = [i for i in images if not i.problem and masks.version(i) != UNPAINTED]
    if not painted:
        raise ValueError("nothing is labelled yet, so there are no masks to export")
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
    """Hard-link a file, or copy it if links are not possible."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
