"""Dates and times that are written as text."""

from __future__ import annotations

import re

_MONTHS = (
    # English, German, French, Spanish, Italian, Portuguese and Dutch, whole or shortened; without
    # short forms that are English words, such as "set" and "gen".
    "jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|"
    "january|february|march|april|june|july|august|september|october|november|december|"
    "januar|jänner|februar|märz|mrz|mär|mai|juni|juli|oktober|okt|dezember|dez|"
    "janvier|janv|février|févr|mars|avril|avr|juin|juillet|juil|août|aout|septembre|octobre|"
    "novembre|décembre|déc|"
    "enero|ene|febrero|marzo|abril|abr|mayo|junio|julio|agosto|septiembre|octubre|"
    "noviembre|diciembre|dic|"
    "gennaio|febbraio|aprile|maggio|giugno|giu|luglio|lug|settembre|ottobre|ott|"
    "dicembre|"
    "janeiro|fevereiro|fev|março|maio|junho|julho|setembro|outubro|novembro|dezembro|"
    "januari|februari|maart|mrt|mei|augustus"
)
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

_MONTH = rf"(?:{_MONTHS})\.?"
_WEEKDAY = rf"(?:(?:{'|'.join(f'{day}|{day[:3]}' for day in _DAYS)}|tues|thurs)\.?,?\s+)?"
_ZONE = r"\s*(?:z|utc|gmt|[ecmp][sd]t|cest?|[-+]\d{2}(?::?\d{2})?)"
_CLOCK = r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?"
_TIME = rf"(?:(?:\s*t\s*|,?\s+(?:at\s+)?)(?:{_CLOCK}|[01]\d|2[0-4]){_ZONE}?)?"
_YEAR = r"\d{4}"
_SHORT_YEAR = r"(?:\d{4}|'?\d{2})"
_NUMBERED_MONTH = r"(?:0?[1-9]|1[0-2])"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_ORDINAL = rf"{_DAY}(?:st|nd|rd|th|\.)?"
_PERIOD = r"(?:1[5-9]|2[01])\d{2}"
"""A year that is plausible next to a month without a day."""

LONGEST = 60
"""Longer texts are not dates; this bounds the time of the search."""

_DATE = re.compile(
    _WEEKDAY
    + "(?:"
    + "|".join(
        (
            rf"{_YEAR}([-/.]){_NUMBERED_MONTH}\1{_DAY}{_TIME}z?",
            # The order of day and month does not matter here.
            rf"{_DAY}([-/.]){_DAY}\2\d{{2}}(?:\d{{2}})?{_TIME}",
            rf"{_DAY}\.\s*{_DAY}\.\s*{_YEAR}{_TIME}",
            rf"{_PERIOD}[-/]{_NUMBERED_MONTH}",
            rf"{_NUMBERED_MONTH}[-/]{_PERIOD}",
            rf"{_ORDINAL}[-/\s]*(?:of\s+)?{_MONTH}(?:,?[-/\s]*{_SHORT_YEAR})?{_TIME}",
            rf"{_MONTH}[-/\s]*{_ORDINAL}(?:,?[-/\s]+{_SHORT_YEAR})?{_TIME}",
            rf"{_MONTH},?[-/\s]*{_SHORT_YEAR}",
            rf"{_YEAR}[-/\s]*{_MONTH}(?:[-/\s]*{_DAY})?{_TIME}",
            # As C's ctime and the command date write them.
            rf"{_MONTH}\s+{_DAY}\s+{_CLOCK}(?:\s+[a-z]{{3,4}})?\s+{_YEAR}",
        )
    )
    + ")",
    re.IGNORECASE,
)
_TIME_OF_DAY = re.compile(
    r"(?:[01]\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?"
    r"|\d:[0-5]\d:[0-6]\d(?:[.,]\d+)?"
    r"|(?:0?\d|1[0-2])(?::[0-5]\d){1,2}\s*[ap]\.?m\.?",
    re.IGNORECASE,
)


def is_date(text: str) -> bool:
    """Whether a text is a date, with or without a time, or a month of a year.

    The name of a month alone is not a date.

    Examples
    --------
    >>> [is_date(t) for t in ("2024-01-31", "Jan 1 2024", "31.1.2024 10:00", "May", "A-1-2")]
    [True, True, True, False, False]
    """
    return len(text) <= LONGEST and _DATE.fullmatch(text) is not None


def is_time(text: str) -> bool:
    """Whether a text is a time of day: with two digits for the hour, seconds, or am and pm.

    Ratios such as 1:10 are not times.

    Examples
    --------
    >>> [is_time(t) for t in ("09:30", "9:30 am", "1:10", "16:9")]
    [True, True, False, False]
    """
    return _TIME_OF_DAY.fullmatch(text) is not None
