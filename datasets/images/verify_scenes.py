"""Open every photograph of the SUN scenes and report what cannot be read."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from segboost.datasets.base import DatasetError
from segboost.datasets.findings import CHECKING, Finding, Verification
from segboost.datasets.images.sun8 import load_sun8
from segboost.io.errors import ImageFileError
from segboost.io.image_files import read_image
from segboost.progress import Progress, Report


def verify_sun8(root: str | PathLike[str], progress: Progress | None = None) -> Verification:
    """Open every photograph of the SUN scenes."""
    try:
        scenes = load_sun8(root)
    except DatasetError as error:
        missing = (Finding("sun8", "missing", str(error)),)
        return Verification("sun8", 0, 0, missing, counts="no scenes")
    findings = []
    for done, path in enumerate(scenes.paths, start=1):
        findings += _check_image(path)
        if progress is not None:
            progress(Report(CHECKING, done, len(scenes.paths)))
    n = len(scenes.paths)
    counts = f"{n} images, {len(np.unique(scenes.classes))} classes"
    return Verification("sun8", n, 0, tuple(findings), counts=counts)


def _check_image(path: Path) -> list[Finding]:
    try:
        read_image(path)
    except ImageFileError as error:
        return [Finding(f"{path.parent.name}/{path.name}", "missing", str(error))]
    return []
