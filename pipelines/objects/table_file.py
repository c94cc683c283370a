"""Tables of objects as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segboost.pipelines.objects.measuring import COLUMNS, ObjectTable
from segboost.storage.whole_file import write_whole

PLACE = ("image", "page")


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

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per object."""
        count = len(self.table["object"])
        columns = {name: values.tolist() for name, values in self.table.items()}
        return [
            {"image": self.image, "page": self.page}
            | {name: values[n] for name, values in columns.items()}
            for n in range(count)
        ]


def write_object_table(pages: Iterable[PageObjects], path: Path) -> Path:
    """Write the objects of many images as one CSV file; return its path.

    Images may have different numbers of channels; the cells of missing ones are empty.
    """
    rows = [row for page in pages for row in page.rows()]
    return write_whole(path, table_text(rows).encode("utf-8", "surrogateescape"))


def table_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV text with a header, empty where a row lacks a column or it is NaN."""
    channels = 0
    while any(f"mean_{channels}" in row for row in rows):
        channels += 1
    extra = [f"{kind}_{n}" for n in range(channels) for kind in ("mean", "deviation")]
    names = [*PLACE, *COLUMNS, *extra]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not np.isfinite(value)):
        return ""
    return f"{value:.8g}" if isinstance(value, float) else str(value)
