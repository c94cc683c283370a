"""Columns of text that should not become categories: dates, and numbers in another notation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from segboost.table_cells.dates import is_date, is_time
from segboost.table_cells.decorated_numbers import (
    AMBIGUOUS,
    Decoration,
    Kind,
    describe_decoration,
    find_decoration,
)

NEARLY_ALL = 0.9
"""Share of the known cells that determines what a column holds."""

FEW_ROWS = 20
"""With fewer rows, a column of distinct values is not unusual."""

FEW_VALUES = 20
"""Up to this number of values, numbers with an uncommon ending may be categories: 10A, 3XL."""


@dataclass(frozen=True)
class Misread:
    """The actual content of a text column that should not become categories.

    Parameters
    ----------
    kind : "date", "time", "decimal point", or a kind of decorated number
    example : str
        A cell.
    what : str
        What the example is, such as "is a date".
    remedy : str
        What to do about it, in the imperative.
    """

    kind: Literal["date", "time", "decimal point"] | Kind
    example: str
    what: str
    remedy: str


def find_misread(texts: Iterable[str]) -> Misread | None:
    """Return the kind of value that nearly all texts of a column hold, or None for real text.

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
    return _find_numbers(counts, total)


def holds_too_many(texts: Iterable[str]) -> bool:
    """Whether a column has more than one distinct text per two rows, too many for categories."""
    counts = Counter(texts)
    total = sum(counts.values())
    return total >= FEW_ROWS and 2 * len(counts) > total


def is_plain_number(text: str) -> bool:
    """Whether Python reads a text as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _share(chosen: Iterable[str], counts: Mapping[str, int], total: int) -> float:
    return sum(counts[text] for text in chosen) / total


def _when(kind: str, example: str) -> Misread:
    if kind == "date":
        remedy = "replace it with numbers such as year, month or days since a fixed day"
        return Misread("date", example, "is a date", remedy)
    remedy = "replace it with a number such as hours since midnight"
    return Misread("time", example, "is a time of day", remedy)


def _find_numbers(counts: Counter[str], total: int) -> Misread | None:
    found = {text: d for text in counts if (d := find_decoration(text)) is not None}
    plain = [text for text in counts if text not in found and is_plain_number(text)]
    if _share([*found, *plain], counts, total) < NEARLY_ALL or _share(found, counts, total) < 0.5:
        return None
    kinds: Counter[Kind] = Counter()
    for text, decoration in found.items():
        kinds[decoration.kind] += counts[text]
    (kind, times), *_ = kinds.most_common(1)
    of_kind = {text: d for text, d in found.items() if d.kind == kind}
    if kind == "unit" and not _has_common_unit(of_kind, counts, times):
        return None
    # "1,234.5" is a clearer example of a column's commas than "1,234".
    clear = (t for t in found if not AMBIGUOUS.fullmatch(t) and found[t].kind in _like(kind))
    example = next(clear, next(iter(of_kind)))
    return Misread(found[example].kind, example, *describe_decoration(found[example], example))


def _like(kind: Kind) -> tuple[Kind, ...]:
    commas: tuple[Kind, ...] = ("commas", "decimal comma")
    return commas if kind in commas else (kind,)


def _has_common_unit(found: Mapping[str, Decoration], counts: Counter[str], total: int) -> bool:
    """Whether nearly all numbers have the same unit, not just a letter of a part number."""
    units: Counter[str] = Counter()
    for text, decoration in found.items():
        units[decoration.unit] += counts[text]
    (unit, times), *_ = units.most_common(1)
    if times < NEARLY_ALL * total:
        return False
    spaced = sum(d.is_spaced for d in found.values()) > len(found) / 2
    return spaced or unit in COMMON_UNITS or len(found) > FEW_VALUES


COMMON_UNITS = frozenset(
    (
        "kg", "mg", "lb", "lbs", "oz", "km", "cm", "mm", "µm", "μm", "nm", "ft", "mi", "mph",
        "km/h", "m/s", "ml", "dl", "ms", "min", "hrs", "hours", "days", "years", "yrs", "°C",
        "°F", "°", "Hz", "kHz", "MHz", "GHz", "kB", "KB", "MB", "GB", "TB", "kW", "mW", "MW",
        "kV", "mV", "mA", "kPa", "hPa", "bar", "mmHg", "kcal", "kJ", "ppm", "mg/l", "mg/dl",
        "mmol/l", "m²", "m³", "km²", "cm³", "dB", "px",
    )
)  # fmt: skip
"""Endings that are units even without a space before them."""
