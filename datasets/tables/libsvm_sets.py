"""The LIBSVM sets of the paper by name, each pooled from its files."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from os import PathLike
from pathlib import Path

import numpy as np

from segboost._types import ByteArray
from segboost.datasets.base import DatasetError
from segboost.datasets.tables.idx_format import parse_idx
from segboost.datasets.tables.packed_files import PACKINGS, TableFileError, read_packed
from segboost.datasets.tables.table import Table, read_table

FOLDER = "libsvm"
"""The folder of the sets, below the data root."""


class IncompleteSetError(DatasetError):
    """Some files of a set exist, but not all."""


@dataclass(frozen=True)
class LibsvmSet:
    """The size of a set once its files are pooled.

    Parameters
    ----------
    n_rows, n_features, n_classes : int
    parts : tuple of str
        Suffixes of the set's name in its files; empty for the training part.
    """

    n_rows: int
    n_features: int
    n_classes: int
    parts: tuple[str, ...] = ("",)


LIBSVM_SETS = {
    "wine": LibsvmSet(178, 13, 3),
    "glass": LibsvmSet(214, 9, 6),
    "svmguide2": LibsvmSet(391, 20, 3),
    "vowel": LibsvmSet(990, 10, 11, ("", ".t")),
    "dna": LibsvmSet(3186, 180, 3, ("", ".t")),
    "segment": LibsvmSet(2310, 19, 7),
    "satimage": LibsvmSet(6435, 36, 6, ("", ".t")),
    "usps": LibsvmSet(9298, 256, 10, ("", ".t")),
    "pendigits": LibsvmSet(10992, 16, 10, ("", ".t")),
    "mnist": LibsvmSet(70000, 784, 10, ("", ".t")),
}
"""The sets by name, with the sizes of their pooled files."""

_IDX_STEMS = ("train", "t10k")
_IDX_KINDS = ("images-idx3-ubyte", "labels-idx1-ubyte")


def load_libsvm_set(name: str, root: str | PathLike[str]) -> Table:
    """Return a set with all its files pooled, in the order training part, test part.

    Parameters
    ----------
    name : str
        One of `LIBSVM_SETS`.
    root : path
        The data root; the files are in its folder ``libsvm``, each plain, .gz or .bz2, scaled
        (``vowel.scale``) or not (``vowel``). mnist may be idx files too; their pixels are
        divided by 255.

    Raises
    ------
    DatasetError
        If files are missing or the pooled rows are not those of the set.
    """
    known = _known(name)
    files = find_libsvm_files(name, root)
    if "idx" in files[0].name:
        table = _pool_idx(name, files)
    else:
        parts = [read_table(f, n_features=known.n_features, file_format="libsvm") for f in files]
        X = np.concatenate([part.X for part in parts])
        table = Table(X, np.concatenate([part.y for part in parts]), name)
    found = (len(table.X), table.X.shape[1], len(np.unique(table.y)))
    if found != (known.n_rows, known.n_features, known.n_classes) or not table.has_labels:
        raise DatasetError(
            f"{name}: {', '.join(map(str, files))} hold {found[0]} rows, {found[1]} features and "
            f"{found[2]} classes, expected {known.n_rows}, {known.n_features} and "
            f"{known.n_classes}: download the files again"
        )
    return table


def find_libsvm_files(name: str, root: str | PathLike[str]) -> tuple[Path, ...]:
    """Return the files of a set.

    Raises
    ------
    IncompleteSetError
        If some of them are missing; the message names these.
    DatasetError
        If there are none.
    """
    known = _known(name)
    folder = Path(root) / FOLDER
    for stem in (f"{name}.scale", name):
        found = [_first(folder, stem + part) for part in known.parts]
        if all(found):
            return tuple(path for path in found if path)
        if any(found):
            lost = " and ".join(stem + p for p, f in zip(known.parts, found, strict=True) if not f)
            raise IncompleteSetError(
                f"{name} is not complete: {folder} has no {lost} (or .gz, .bz2)"
            )
    if name == "mnist":
        idx = _find_idx(folder)
        if idx:
            return idx
    wanted = " and ".join(f"{name}.scale{part}" for part in known.parts)
    raise DatasetError(f"there is no {name} in {folder}: put {wanted} there (or .gz, .bz2)")


def _known(name: str) -> LibsvmSet:
    if name not in LIBSVM_SETS:
        raise DatasetError(f"there is no set {name!r}: choose {', '.join(LIBSVM_SETS)}")
    return LIBSVM_SETS[name]


def _first(folder: Path, name: str) -> Path | None:
    """Return the file of this name, plain or compressed."""
    candidates = [folder / (name + ending) for ending in ("", *PACKINGS)]
    return next((path for path in candidates if path.is_file()), None)


def _find_idx(folder: Path) -> tuple[Path, ...]:
    """Return MNIST's four idx files, in the folder or its ``mnist``; empty unless all exist."""
    for place in (folder, folder / "mnist"):
        found = [_first(place, f"{s}-{k}") for s, k in product(_IDX_STEMS, _IDX_KINDS)]
        if all(found):
            return tuple(path for path in found if path)
    return ()


def _pool_idx(name: str, files: tuple[Path, ...]) -> Table:
    rows, labels = [], []
    for images, classes in zip(files[::2], files[1::2], strict=True):
        pixels, y = _read_idx(images, 3), _read_idx(classes, 1)
        if len(pixels) != len(y):
            raise TableFileError(f"{images} has {len(pixels)} images, {classes} {len(y)} labels")
        rows.append(pixels.reshape(len(pixels), -1) / 255.0)
        labels.append(y.astype(np.int64))
    widths = {part.shape[1] for part in rows}
    if len(widths) > 1:
        raise TableFileError(f"{files[0]} and {files[2]} have images of different sizes")
    return Table(np.concatenate(rows), np.concatenate(labels), name)


def _read_idx(path: Path, n_dims: int) -> ByteArray:
    values = parse_idx(read_packed(path), str(path))
    if values.ndim != n_dims or values.dtype != np.uint8:
        raise TableFileError(
            f"{path} has shape {values.shape}, expected bytes in {n_dims} dimension(s)"
        )
    return values
