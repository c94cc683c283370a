import json

import pytest

from segboost.pipelines.experiments.protocol.table_protocol import Spread
from segboost.pipelines.experiments.results.result_table import Entry, ResultTable, show_spread

TABLE = ResultTable(
    "Errors",
    ("glass", "vowel"),
    {
        "ours": {"glass": Entry(Spread(35.25, 1.5), Spread(35.8, 6.2)), "vowel": Entry()},
        "peer": {"glass": Entry(Spread(30.0, None)), "vowel": Entry(None, Spread(17.5, 2.2))},
        "absent": {},
    },
    formats={"vowel": ".2f"},
    row_notes={"absent": "xgboost is not installed"},
    notes=["In per cent."],
)


def test_json_has_both_figures_for_every_place():
    document = json.loads(json.dumps(TABLE.to_document(), allow_nan=False))
    assert document["columns"] == ["glass", "vowel"]
    assert [row["row"] for row in document["rows"]] == ["ours", "peer", "absent"]
    assert all(set(row["cells"]) == {"glass", "vowel"} for row in document["rows"])
    assert document["rows"][0]["cells"]["glass"] == {
        "ours": {"mean": 35.25, "deviation": 1.5},
        "paper": {"mean": 35.8, "deviation": 6.2},
    }
    assert document["rows"][1]["cells"]["glass"]["ours"] == {"mean": 30.0, "deviation": None}
    assert document["rows"][2]["cells"]["vowel"] == {"ours": None, "paper": None}
    assert document["rows"][2]["note"] == "xgboost is not installed"


def test_markdown():
    assert TABLE.to_markdown().splitlines() == [
        "Errors",
        "",
        "In per cent.",
        "",
        "| | glass | vowel |",
        "|---|---|---|",
        "| ours | 35.2 ± 1.5 (35.8 ± 6.2) | – |",
        "| peer | 30.0 | – (17.50 ± 2.20) |",
        "| absent | – | – |",
        "",
        "absent: xgboost is not installed",
    ]


def test_text_is_aligned():
    assert TABLE.to_text().splitlines() == [
        "Errors",
        "In per cent.",
        "",
        "                          glass             vowel",
        "ours    35.2 ± 1.5 (35.8 ± 6.2)                 –",
        "peer                       30.0  – (17.50 ± 2.20)",
        "absent                        –                 –",
        "",
        "absent: xgboost is not installed",
    ]


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (Spread(0.99412, 0.005), ".3f", "0.994 ± 0.005"),
        (Spread(1e-3, None), ".1e", "1.0e-03"),
    ],
)
def test_numbers(value, form, shown):
    assert show_spread(value, form) == shown
