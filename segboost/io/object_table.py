"""Reading of the object tables that ``segboost segment --objects`` writes."""

from __future__ import annotations

import csv
from os import PathLike

import numpy as np

from segboost._types import AnyArray
from segboost.io.errors import ImageFileError

TEXT = ("image", "class", "unit")
WHOLE = ("page", "object", "box_x", "box_y", "box_width", "box_height")


def read_objects(path: str | PathLike[str]) -> dict[str, AnyArray]:
    """Return the columns of ``objects.csv`` by name; `pandas.DataFrame` accepts them directly.

    Parameters
    ----------
    path : path

    Returns
    -------
    dict of str to ndarray of shape (n,)
        Texts, whole numbers, and floating point with NaN where a cell is empty.

    Raises
    ------
    ImageFileError
        If the file cannot be read or is not a table of objects.
    """
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            reader = csv.reader(file)
            names = next(reader, [])
            rows = list(reader)
        if not {"image", "object"} <= set(names) or any(len(row) != len(names) for row in rows):
            raise ValueError
        return {name: _column(name, [row[n] for row in rows]) for n, name in enumerate(names)}
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ImageFileError(f"{path}: {reason}", temporary=True) from None
    except (ValueError, csv.Error):
        raise ImageFileError(f"{path}: not an object table written by segboost segment") from None


def _column(name: str, cells: list[str]) -> AnyArray:
    if name in TEXT:
        return np.array(cells, dtype=object)
    if name in WHOLE:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    return np.array([float(cell) if cell else np.nan for cell in cells])
