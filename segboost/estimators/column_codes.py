"""Codes of single table columns: numbers with gaps and text categories become plain numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from segboost._types import AnyArray, FloatArray

Style = Literal["split", "linear"]
"""Encoding of missing numbers: for learners that split at thresholds, or for linear ones."""

MOST_CATEGORIES = 255
"""Most categories of a text column; rarer values are encoded like unknown ones, as zeros."""


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers, some of which may be missing.

    If values were missing in training, the column becomes two. For splits, missing values lie
    below all others in the first and above all others in the second, so that a stump or tree
    learns on which side they belong. For linear learners they are replaced by the median in the
    first, and the second is 1 where a value is missing. If no value was missing in training, later
    missing values become the median.

    Parameters
    ----------
    low, high, median : float
        Of the known values.
    missing : bool
        Whether values were missing in training.
    """

    low: float
    high: float
    median: float
    missing: bool

    @classmethod
    def of(cls, values: FloatArray) -> NumberColumn:
        """Return the code of a column, shape (N,), with NaN where a value is missing."""
        known = values[~np.isnan(values)]
        if not len(known):
            return cls(0.0, 0.0, 0.0, True)
        low, high = float(known.min()), float(known.max())
        return cls(low, high, float(np.median(known)), len(known) < len(values))

    def names(self, style: Style) -> list[str]:
        """Return the suffix of each code, to be appended to the column's name."""
        if not self.missing:
            return [""]
        return ["", " (missing: high)"] if style == "split" else ["", " (missing)"]

    def encode(self, values: AnyArray, style: Style) -> list[FloatArray]:
        """Return the codes of values, shape (N,), each of shape (N,)."""
        gaps = np.isnan(values)
        if not self.missing:
            return [np.where(gaps, self.median, values)]
        if style == "linear":
            return [np.where(gaps, self.median, values), gaps.astype(np.float64)]
        # Values of new rows may lie beyond those of training; the gaps lie further out still.
        reach = max(1.0, self.high - self.low, abs(self.low), abs(self.high))
        below, above = self.low - reach, self.high + reach
        inside = np.clip(values, self.low - reach / 4, self.high + reach / 4)
        return [np.where(gaps, below, inside), np.where(gaps, above, inside)]


@dataclass(frozen=True)
class TextColumn:
    """A column of categories: one code per category, 1 in the rows of that category.

    Parameters
    ----------
    values : tuple of str
        The training categories in sorted order, at most the 255 most frequent ones; all others
        are encoded as zeros.
    missing : bool
        Whether values were missing in training; if so, one more code marks missing values.
    """

    values: tuple[str, ...]
    missing: bool

    @classmethod
    def of(cls, values: AnyArray) -> TextColumn:
        """Return the code of a column of text or None, shape (N,)."""
        counts = Counter(v for v in values.tolist() if v is not None)
        common = sorted(counts, key=lambda v: (-counts[v], v))[:MOST_CATEGORIES]
        return cls(tuple(sorted(common)), sum(counts.values()) < len(values))

    def names(self, style: Style) -> list[str]:
        """Return the suffix of each code, to be appended to the column's name."""
        return [f"={v}" for v in self.values] + [" (missing)"] * self.missing

    def encode(self, values: AnyArray, style: Style) -> list[FloatArray]:
        """Return the codes of values, shape (N,), each of shape (N,)."""
        wanted: list[str | None] = [*self.values, *([None] if self.missing else [])]
        place = {value: q for q, value in enumerate(wanted)}
        found = np.array([place.get(v, -1) for v in values.tolist()], dtype=np.intp)
        return [(found == q).astype(np.float64) for q in range(len(wanted))]


ColumnCode = NumberColumn | TextColumn


def code_to_json(code: ColumnCode) -> dict[str, Any]:
    """Return JSON values that `code_from_json` takes."""
    kind = "number" if isinstance(code, NumberColumn) else "text"
    return {"kind": kind, **asdict(code)}


def code_from_json(document: Mapping[str, Any]) -> ColumnCode:
    """Return the code that `code_to_json` described; ValueError or KeyError if it does not fit."""
    missing = document["missing"]
    if not isinstance(missing, bool):
        raise ValueError("'missing' must be true or false")
    if document["kind"] == "text":
        values = document["values"]
        if not all(isinstance(v, str) for v in values) or len(set(values)) != len(values):
            raise ValueError("the categories of a column must be different texts")
        return TextColumn(tuple(values), missing)
    if document["kind"] != "number":
        raise ValueError(f"unknown kind of column {document['kind']!r}")
    low, high, median = (float(document[key]) for key in ("low", "high", "median"))
    if not (np.isfinite([low, high, median]).all() and low <= median <= high):
        raise ValueError("the range of a column must be finite and in order")
    return NumberColumn(low, high, median, missing)
