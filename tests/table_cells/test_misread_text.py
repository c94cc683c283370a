"""Columns of text in which nearly all cells are dates, times or decorated numbers."""

import pytest

from segboost.table_cells.misread_text import find_misread, holds_too_many


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["Jan 1 2024", "2 Feb 2024"], "date"),
        (["2024-01-01"] * 9 + ["unknown"], "date"),
        (["09:30", "10:00"], "time"),
        (["5%", "7.5 %", "8"], "percent"),
        (["12 kg", "9 kg"], "unit"),
        (["12kg", "9kg"], "unit"),
        ([f"{i}Q" for i in range(21)], "unit"),
        (["1,234", "1,235"], "commas"),
        (["1,234", "2,5"], "decimal comma"),
    ],
)
def test_columns_that_are_not_text(texts, kind):
    assert find_misread(texts).kind == kind


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["May", "March", "June"],
        ["2024-01-01"] * 8 + ["unknown"] * 2,
        ["A-1-2", "1-2-3 street", "12-345-67"],
        ["1A", "2A", "3A"],
        [f"{i}{letter}" for i in range(30) for letter in "AB"],
        ["5 apples", "3 pears"],
        ["1", "2", "3"],
        ["1", "2", "3 kg"],
    ],
)
def test_categories_stay_categories(texts):
    assert find_misread(texts) is None


def test_a_clear_example_is_shown_before_an_ambiguous_one():
    assert find_misread(["1,234", "1,234.5"]).what == "has thousands separators"
    assert "thousands or for decimals" in find_misread(["1,234", "5,678"]).what


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([str(i) for i in range(20)], True),
        ([str(i) for i in range(19)], False),
        ([str(i // 2) for i in range(40)], False),
    ],
)
def test_too_many_values(texts, found):
    assert holds_too_many(texts) == found
