"""Look at the files of tables and scenes and say what is missing or broken."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from segboost.datasets.base import DatasetError
from segboost.datasets.libsvm_sets import (
    FOLDER,
    LIBSVM_SETS,
    find_libsvm_files,
    load_libsvm_set,
)
from segboost.datasets.reading import ImageFileError, read_image
from segboost.datasets.sun8 import load_sun8
from segboost.datasets.verify import Finding, Progress, Verification


def find_sets(root: str | PathLike[str]) -> list[str]:
    """Return the LIBSVM sets with a file in the data root; all known ones where there is none."""
    found = []
    for name in LIBSVM_SETS:
        try:
            find_libsvm_files(name, root)
        except DatasetError as error:
            if "not complete" not in str(error):
                continue
        found.append(name)
    return found or list(LIBSVM_SETS)


def verify_libsvm(
    root: str | PathLike[str], name: str, progress: Progress | None = None
) -> Verification:
    """Read all files of a LIBSVM set; rows, features and classes must be those of the set."""
    label = f"{FOLDER}/{name}"
    try:
        table = load_libsvm_set(name, root)
    except DatasetError as error:
        lost = (Finding(name, "missing", str(error)),)
        return Verification(label, 0, 0, lost, counts="no table")
    finally:
        if progress is not None:
            progress(1, 1)
    n, d = table.X.shape
    counts = f"{n} rows, {d} features, {len(np.unique(table.y))} classes"
    twice = n - len(np.unique(np.column_stack([table.X, table.y]), axis=0))
    findings = (Finding(name, "odd", f"{twice} rows occur more than once"),) if twice else ()
    return Verification(label, n, 0, findings, counts=counts)


def verify_sun8(root: str | PathLike[str], progress: Progress | None = None) -> Verification:
    """Open every photograph of the SUN scenes."""
    try:
        scenes = load_sun8(root)
    except DatasetError as error:
        lost = (Finding("sun8", "missing", str(error)),)
        return Verification("sun8", 0, 0, lost, counts="no scenes")
    findings = []
    for done, path in enumerate(scenes.paths, start=1):
        findings += _check_image(path)
        if progress is not None:
            progress(done, len(scenes.paths))
    n = len(scenes.paths)
    counts = f"{n} images, {len(np.unique(scenes.classes))} classes"
    return Verification("sun8", n, 0, tuple(findings), counts=counts)


def _check_image(path: Path) -> list[Finding]:
    try:
        read_image(path)
    except ImageFileError as error:
        return [Finding(f"{path.parent.name}/{path.name}", "missing", str(error))]
    return []
