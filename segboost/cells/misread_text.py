"""Columns of text that should not become categories: dates and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from segboost.cells.dates import is_date, is_time

NEARLY_ALL = 0.9
"""Share of the known cells that decides what a column holds."""


@dataclass(frozen=True)
class Misread:
    """What a column of text really holds.

    Parameters
    ----------
    kind : "date" or "time"
    example : str
        A cell.
    what : str
        What the example is, such as "is a date".
    remedy : str
        What to do about it, in the imperative.
    """

    kind: Literal["date", "time"]
    example: str
    what: str
    remedy: str


def find_misread(texts: Iterable[str]) -> Misread | None:
    """Return what nearly all texts of a column are, if it is not text.

    Parameters
    ----------
    texts : iterable of str
        The known cells; some may be plain numbers.

    Examples
    --------
    >>> find_misread(["Jan 1 2024", "Feb 3 2024"]).what
    'is a date'
    >>> find_misread(["May", "March", "2024-01-01"]) is None
    True
    """
    counts = Counter(texts)
    total = sum(counts.values())
    if not total:
        return None
    for kind, test in (("date", is_date), ("time", is_time)):
        if _share((t for t in counts if test(t)), counts, total) >= NEARLY_ALL:
            return _when(kind, next(t for t in counts if test(t)))
    return None


def _share(chosen: Iterable[str], counts: Mapping[str, int], total: int) -> float:
    return sum(counts[text] for text in chosen) / total


def _when(kind: str, example: str) -> Misread:
    if kind == "date":
        remedy = "replace it by numbers such as year, month or days since a fixed day"
        return Misread("date", example, "is a date", remedy)
    remedy = "replace it by a number such as hours since midnight"
    return Misread("time", example, "is a time of day", remedy)
