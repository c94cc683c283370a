"""Dates and times in text, and texts that only look like them."""

import pytest

from segboost.table_cells.dates import LONGEST, is_date, is_time


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-31", "2024/01/02", "2024.01.02", "2024-01-31T10:00:00.123Z", "2024/01/02 10:00",
        "2024-01-31 10:00:00+01:00", "31.1.2024", "01.02.2024", "31. 12. 2024", "31-12-2024",
        "1/31/24", "12/31/2024", "12/31/2024, 5:30 PM", "Jan 1 2024", "1 Jan 2024", "1-Jan-24",
        "01JAN2024", "January 1st, 2024", "1st of January 2024", "Sept. 5, 2023", "1. Januar 2024",
        "1 janvier 2024", "Mon, 1 Jan 2024 10:00:00 +0000", "Monday, January 1, 2024",
        "Mon Jan  1 10:00:00 2024", "Mon Jan 1 10:00:00 UTC 2024", "2024-01", "01/2024",
        "Jan 2024", "Jan-24", "1-Jan", "2024 Jan 5", "9999-12-31",
    ],
)  # fmt: skip
def test_dates(text):
    assert is_date(text)
    assert is_date(text.upper())


@pytest.mark.parametrize(
    "text",
    [
        "May", "March", "Monday", "A-1-2", "1-2-3", "1-2-3 street", "12-345-67", "2024", "1/2",
        "3.14", "10.0.0.1", "1.2.3", "13/2024", "2024-13", "2024-01-32", "99.99.2024", "45-12-2024",
        "Mark 12", "Marble 5 2024", "Set 3", "Gen 12", "May Flower", "march hare", "Q1 2024",
        "2024-01-31 anything", "555-1234", "0000-00-00", "12:30", "", "-",
    ],
)  # fmt: skip
def test_other_text(text):
    assert not is_date(text)


@pytest.mark.parametrize("text", ["09:30", "23:59:59", "9:30 am", "12:00 PM", "1:02:03"])
def test_times(text):
    assert is_time(text)


@pytest.mark.parametrize("text", ["1:10", "16:9", "25:00", "12:75", "1:2", "13:00 pm", "a:b"])
def test_ratios_are_not_times(text):
    assert not is_time(text)


@pytest.mark.parametrize(
    ("first", "last"), [("1", "Jan 2024"), ("Jan", "1, 2024"), ("2024", "Jan")]
)
def test_long_texts_are_not_dates(first, last):
    """Texts that are dates but for their length, which bounds the time of the search."""
    spaces = LONGEST - len(first) - len(last)
    assert is_date(first + " " * spaces + last)
    assert not is_date(first + " " * (spaces + 1) + last)
    assert not is_date(first + " " * 50_000 + last)
