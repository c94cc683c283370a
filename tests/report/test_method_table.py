"""The table of methods: which cells are in bold."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from segboost.report.page import method_table

NAN = float("nan")


def table(values):
    """Return the bold cells of each method, from its mean IoU, foreground IoU and break-even."""
    names = ("mean_iou", "iou_foreground", "break_even")
    runs = [
        SimpleNamespace(
            method=method,
            dataset="graz02/bike",
            scores=None if v is None else SimpleNamespace(**dict(zip(names, v, strict=True))),
        )
        for method, v in values.items()
    ]
    html = method_table([SimpleNamespace(runs=runs, main=runs[0])], {})
    rows = re.findall(r'<tr><th scope="row">.*?</tr>', html)
    return [re.findall(r'<td class="best">([^<]*)</td>', row) for row in rows]


@pytest.mark.parametrize(
    ("values", "bold"),
    [
        # The baseline is ahead: it is in bold, although it is not in the first row.
        (
            {"structboost": (0.814, 0.7, 0.8), "ssvm": (0.835, 0.72, 0.79)},
            [["80.0"], ["83.5", "72.0"]],
        ),
        # Equal as printed: both.
        (
            {"structboost": (0.87341, 0.5, 0.5), "ssvm": (0.87339, 0.6, 0.6)},
            [["87.3"], ["87.3", "60.0", "60.0"]],
        ),
        # A missing measurement is never the best.
        ({"structboost": (0.5, NAN, NAN), "svm": None}, [["50.0"], []]),
    ],
)
def test_the_best_of_a_column_is_in_bold(values, bold):
    assert table(values) == bold
