"""Tables of objects as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segboost.pipelines.objects.measuring import COLUMNS, ObjectTable
from segboost.storage.csv_file import open_csv

PLACE = ("image", "page")
CHUNK = 10_000
"""Number of rows that are converted to Python values at a time."""


@dataclass(frozen=True, eq=False)
class PageObjects:
    """The objects of one page of one image.

    Parameters
    ----------
    image : str
        Name of the image file.
    page : int
    table : dict of str to ndarray
        From `measure_objects`.
    """

    image: str
    page: int
    table: ObjectTable

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one dictionary per object."""
        count = len(self.table["object"])
        for first in range(0, count, CHUNK):
            part = {n: values[first : first + CHUNK].tolist() for n, values in self.table.items()}
            for row in zip(*part.values(), strict=True):
                yield {"image": self.image, "page": self.page, **dict(zip(part, row, strict=True))}

    @property
    def columns(self) -> list[str]:
        """The names of the columns that the objects fill; none if there are no objects."""
        return list(self.table) if len(self.table["object"]) else []


def write_object_table(pages: Sequence[PageObjects], path: Path) -> Path:
    """Write the objects of many images as one CSV file; return its path.

    Images may have different numbers of channels; the cells of missing ones are empty.
    """
    names = table_columns(page.columns for page in pages)
    return write_rows(path, names, (row for page in pages for row in page.rows()))


def table_columns(found: Iterable[Sequence[str]]) -> list[str]:
    """Return the columns of a table that joins tables with these columns.

    Examples
    --------
    >>> table_columns([["area"], ["area", "mean_0"]])[-2:]
    ['mean_0', 'deviation_0']
    """
    seen = {name for names in found for name in names}
    channels = 0
    while f"mean_{channels}" in seen:
        channels += 1
    extra = [f"{kind}_{n}" for n in range(channels) for kind in ("mean", "deviation")]
    return [*PLACE, *COLUMNS, *extra]


def write_rows(path: Path, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows as CSV with a header, one at a time; return the path.

    Cells are empty if a row lacks the column or its value is not finite.
    """
    with open_csv(path) as write_row:
        write_row(names)
        for row in rows:
            write_row([_cell(row.get(name)) for name in names])
    return path


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not np.isfinite(value)):
        return ""
    return f"{value:.8g}" if isinstance(value, float) else str(value)
