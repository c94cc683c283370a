"""The report of a run with several classes."""

from __future__ import annotations

import re

import pytest

from segboost.datasets import load_synthetic_classes
from segboost.pipelines.segmentation import saved_predictions
from segboost.pipelines.segmentation.training_run import run_training
from segboost.progress import QuietProgress
from segboost.report.run_data.load_runs import find_runs
from segboost.report.write_report import write_report
from tests.browser import PHONE, chromium, needs_chromium, widths
from tests.pipelines.segmentation.tiny_class_models import class_config, class_store

SIZES = {"n_train": 6, "n_test": 4, "height": 60, "width": 80}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class-runs")
    options = {"dataset": "synthetic-classes", "synthetic": SIZES}
    data = load_synthetic_classes(**SIZES)
    for method in ("structboost", "trees"):
        config = class_config(method=method)
        cache = class_store().root
        run_training(data, config, folder / method, cache, 1, QuietProgress(), options)
    return folder


def test_page_shows_all_classes(runs):
    text = write_report(runs / "structboost").read_text()
    for name in ("sky", "field", "object", "post"):
        assert text.count(name) > 3
    assert "Confusion matrix" in text
    assert "Scores per image" in text
    assert "mean recall (class average)" in text
    assert "This is an estimate, not a proof" in text  # expansion moves are approximate
    assert "The optimum lies in" not in text
    assert text.count('<article class="card"') == 3
    assert "#56b4e9" in text
    assert "nan" not in re.sub(r'src="[^"]*"', "", text)


def test_confusion_rows_add_up(runs):
    (run,) = find_runs(runs / "structboost")
    text = write_report(runs / "structboost").read_text()
    table = text[text.index('class="confusion"') :]
    table = table[: table.index("</table>")]
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", table)
    assert len(rows) == 4
    for k, row in enumerate(rows):
        cells = re.findall(r">([\d.]+|·)</td>", row)
        total = sum(0.0 if cell == "·" else float(cell) for cell in cells)
        assert total == pytest.approx(100, abs=0.4)
        recall = 100 * run.scores.matrix.recall[k]
        assert float(cells[k].replace("·", "0")) == pytest.approx(recall, abs=0.06)


def test_methods_are_compared(runs):
    text = write_report(runs).read_text()
    assert "Comparison of methods" in text
    assert "boosted trees without a CRF" in text
    assert "mean recall" in text


def test_recorded_classes_are_read(runs):
    (run,) = find_runs(runs / "trees")
    assert run.legend.names == ("sky", "field", "object", "post")
    assert run.document["test"]["scores"]["classes"][3]["name"] == "post"


def test_deleted_predictions_are_recomputed(runs):
    before = write_report(runs / "trees").read_text()
    (runs / "trees" / saved_predictions.FILE).unlink()
    assert write_report(runs / "trees").read_text() == before


@needs_chromium
def test_the_page_fits_on_a_phone(runs, tmp_path):
    with chromium(tmp_path / "profile") as browser:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
        browser.get(write_report(runs).as_uri())
        width, screen = widths(browser)
        assert browser.get_log("browser") == []
    assert width <= screen
