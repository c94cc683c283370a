"""Read the files of the LIBSVM sets and report what is missing or broken."""

from __future__ import annotations

from os import PathLike

import numpy as np

from segboost.datasets.base import DatasetError
from segboost.datasets.findings import CHECKING, Finding, Verification
from segboost.datasets.tables.libsvm_sets import (
    FOLDER,
    LIBSVM_SETS,
    IncompleteSetError,
    find_libsvm_files,
    load_libsvm_set,
)
from segboost.progress import Progress, Report


def find_sets(root: str | PathLike[str]) -> list[str]:
    """Return the LIBSVM sets with a file in the data root, or all known ones if there are none."""
    found = []
    for name in LIBSVM_SETS:
        try:
            find_libsvm_files(name, root)
        except IncompleteSetError:
            pass  # verification says what is missing
        except DatasetError:
            continue
        found.append(name)
    return found or list(LIBSVM_SETS)


def verify_libsvm(
    root: str | PathLike[str], name: str, progress: Progress | None = None
) -> Verification:
    """Read all files of a LIBSVM set; the numbers of rows, features and classes must be right."""
    label = f"{FOLDER}/{name}"
    try:
        table = load_libsvm_set(name, root)
    except DatasetError as error:
        missing = (Finding(name, "missing", str(error)),)
        return Verification(label, 0, 0, missing, counts="no table")
    finally:
        if progress is not None:
            progress(Report(CHECKING, 1, 1))
    n, d = table.X.shape
    counts = f"{n} rows, {d} features, {len(np.unique(table.y))} classes"
    twice = n - len(np.unique(np.column_stack([table.X, table.y]), axis=0))
    findings = (Finding(name, "odd", f"duplicate rows: {twice}"),) if twice else ()
    return Verification(label, n, 0, findings, counts=counts)
