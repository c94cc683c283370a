"""Numbers with signs, units and separators."""

import pytest

from segboost.table_cells.decorated_numbers import find_decoration


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("5.0%", "percent"), ("-5 %", "percent"), ("1,234 %", "percent"), ("3 ‰", "percent"),
        ("$3.50", "currency"), ("-$3.50", "currency"), ("($3.50)", "currency"),
        ("3,50 €", "currency"), ("USD 1,000", "currency"), ("£1,234.50", "currency"),
        ("1,234.5", "commas"), ("1,234", "commas"), ("-1,234,567", "commas"),
        ("1,23,456.00", "commas"), ("1.234.567", "dots"), ("1.234,5", "dots"), ("1 234", "gaps"),
        ("1\u202f234,5", "gaps"), ("1'234.5", "gaps"), ("1_000", "gaps"), ("1,5", "decimal comma"),
        ("12 kg", "unit"), ("12kg", "unit"), ("20°C", "unit"), ("60 km/h", "unit"),
        ("1e5 m", "unit"), ("12 m²", "unit"),
    ],
)  # fmt: skip
def test_decorated_numbers(text, kind):
    assert find_decoration(text).kind == kind


@pytest.mark.parametrize(
    "text",
    ["1", "-1.5", "1e5", "A-1-2", "2nd", "1-2-3 street", "10-20", "1,2,3", "x", "", "1" * 99],
)
def test_other_text(text):
    assert find_decoration(text) is None
