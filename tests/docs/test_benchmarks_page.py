"""The published page matches the published figures."""

from __future__ import annotations

import doctest
import json

from tests.benchmarks.__main__ import publish
from tests.benchmarks.results import page
from tests.benchmarks.results.machine import describe
from tests.docs.pages import ROOT

FIGURES = ROOT / "docs" / "benchmarks.json"


def result(name, value, processor="slide rule"):
    figure = {"name": "a | b", "value": value, "unit": "s", "target": "at most 1", "met": value < 1}
    machine = {**describe(), "processor": processor}
    header = {"name": name, "title": name, "measured": "2020-01-01", "machine": machine}
    return {**header, "figures": [figure]}


def test_the_page_is_made_from_the_figures():
    document = json.loads(FIGURES.read_text())
    assert (ROOT / "docs" / "benchmarks.md").read_text() == page.render(document)
    assert len(document["benchmarks"]) >= 5
    assert all(result["machine"]["processor"] for result in document["benchmarks"])


def test_new_figures_replace_old_ones(tmp_path):
    publish([result("one", 0.5), result("two", 2.0)], tmp_path)
    publish([result("two", 0.25)], tmp_path)
    page_text = (tmp_path / "benchmarks.md").read_text()
    assert "0.5 s | at most 1, met" in page_text
    assert "0.25 s" in page_text
    assert "**missed**" not in page_text
    assert "a \\| b" in page_text


def test_figures_of_another_machine_are_kept_and_told_apart(tmp_path):
    publish([result("one", 0.5, "abacus")], tmp_path)
    publish([result("two", 0.25)], tmp_path)
    kept = json.loads((tmp_path / "benchmarks.json").read_text())
    assert [r["name"] for r in kept["benchmarks"]] == ["one", "two"]
    page_text = (tmp_path / "benchmarks.md").read_text()
    assert page_text.index("- processor: abacus") < page_text.index("- processor: slide rule")
    assert "`one`, measured on 2020-01-01, machine 1." in page_text
    assert "`two`, measured on 2020-01-01, machine 2." in page_text


def test_numbers_are_short():
    assert doctest.testmod(page).failed == 0
