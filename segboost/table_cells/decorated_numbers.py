"""Numbers that are written with percent signs, currencies, units or thousands separators."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["percent", "currency", "unit", "decimal comma", "commas", "dots", "gaps"]
"""Kinds of decoration around or inside a number; commas, dots and gaps separate thousands."""

LONGEST = 40
"""Longer texts are not numbers; this bounds the time of the search."""

_SIGN = r"[-+\u2212\u2013\uff0d]?"
_COMMAS = r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d*)?"
_DOTS = r"\d{1,3}(?:\.\d{3})+,\d*|\d{1,3}(?:\.\d{3}){2,}"
_GAPS = r"\d{1,3}(?:[ \u00a0\u2009\u202f'’_]\d{3})+(?:[.,]\d*)?"
_PLAIN = r"(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?"
_NUMBER = rf"{_SIGN}\s?(?:{_COMMAS}|{_DOTS}|{_GAPS}|{_PLAIN})"
_CURRENCY = (
    r"(?:(?:US|AU|CA|NZ|HK|R)?\$|[€£¥₹₩₽₺₪฿₫₴]|Kč|zł|kr|USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK"
    r"|NOK|DKK|PLN|CZK|BRL|MXN|KRW|RUB|ZAR|TRY)"
)

_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("commas", re.compile(_SIGN + _COMMAS)),
    ("dots", re.compile(f"{_SIGN}(?:{_DOTS})")),
    ("gaps", re.compile(_SIGN + _GAPS)),
    ("decimal comma", re.compile(rf"{_SIGN}\d*,\d+(?:[eE][-+]?\d+)?")),
    ("percent", re.compile(rf"{_NUMBER}\s?[%‰]|\({_NUMBER}\s?%\)")),
    (
        "currency",
        re.compile(
            rf"{_SIGN}\s?{_CURRENCY}\s?{_NUMBER}|{_NUMBER}\s?{_CURRENCY}"
            rf"|\({_CURRENCY}\s?{_NUMBER}\)"
        ),
    ),
)
_WITH_UNIT = re.compile(
    rf"{_NUMBER}(\s?)([^\W\d_]{{1,10}}[²³]?(?:/[^\W\d_]{{1,6}}[²³]?)?|[°\"″'′][^\W\d_]?)"
)
_ORDINALS = ("st", "nd", "rd", "th")

AMBIGUOUS = re.compile(rf"{_SIGN}\d{{1,3}},\d{{3}}")
"""A comma that may separate thousands or decimals."""


class Decoration(NamedTuple):
    """The decoration that keeps a text from being read as a number."""

    kind: Kind
    unit: str = ""
    is_spaced: bool = False
    """Whether there is a space before the unit."""


def find_decoration(text: str) -> Decoration | None:
    """Return the decoration of a number; None for plain numbers and for other text.

    Examples
    --------
    >>> [find_decoration(t).kind for t in ("5.0%", "$3.50", "1,234.5", "1 234", "12 kg")]
    ['percent', 'currency', 'commas', 'gaps', 'unit']
    >>> [find_decoration(t) for t in ("1.5", "A-1-2", "2nd", "1-2-3 street")]
    [None, None, None, None]
    """
    if len(text) > LONGEST:
        return None
    for kind, form in _FORMS:
        if form.fullmatch(text):
            return Decoration(kind)
    found = _WITH_UNIT.fullmatch(text)
    if found is None or found[2].lower() in _ORDINALS:
        return None
    return Decoration("unit", found[2], bool(found[1]))


def describe_decoration(decoration: Decoration, example: str) -> tuple[str, str]:
    """Return a description of the decoration and a remedy, as parts of a sentence."""
    if decoration.kind == "percent":
        return "has a percent sign", "remove the percent signs"
    if decoration.kind == "currency":
        return "has a currency sign", "remove the currency signs"
    if decoration.kind == "unit":
        return "has a unit", f"remove the unit {decoration.unit!r} from the cells"
    if decoration.kind == "decimal comma":
        return "has a decimal comma", "write decimal points"
    if AMBIGUOUS.fullmatch(example):
        return "has a comma for thousands or for decimals", "remove commas between thousands"
    return "has thousands separators", "remove the separators"
