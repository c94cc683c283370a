"""What nearly all cells of a column are."""

import pytest

from segboost.cells.misread_text import find_misread


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["Jan 1 2024", "2 Feb 2024"], "date"),
        (["2024-01-01"] * 9 + ["unknown"], "date"),
        (["09:30", "10:00"], "time"),
    ],
)
def test_columns_that_are_no_text(texts, kind):
    assert find_misread(texts).kind == kind


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["May", "March", "June"],
        ["2024-01-01"] * 8 + ["unknown"] * 2,
        ["A-1-2", "1-2-3 street", "12-345-67"],
    ],
)
def test_categories_stay_categories(texts):
    assert find_misread(texts) is None
