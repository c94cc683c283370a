"""The page on disk: complete, small, self-contained; and its notes on missing parts."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from segboost.cli.main import run
from segboost.pipelines.segmentation.saved_predictions import FILE
from segboost.report.sections.html_elements import percent
from segboost.report.write_report import LARGEST_BYTES, write_report


def text_of(page):
    return re.sub(r"<[^>]+>", " ", re.sub(r"(?s)<(style|script).*?</\1>", "", page.read_text()))


def test_the_page_is_small_and_self_contained(page):
    html = page.read_text()
    assert len(html.encode()) < LARGEST_BYTES
    sources = re.findall(r'(?:src|href|srcset)="([^"]{0,22})', html)
    assert all(s.startswith(("data:image/", "#")) for s in sources)
    assert "http" not in re.sub(r'"data:[^"]*"', "", html).replace("http-equiv", "")
    assert "@import" not in html
    assert "url(" not in html


def test_the_page_shows_the_figures_of_the_run(runs, page):
    scores = json.loads((runs / "structboost" / "scores.json").read_text())["test"]["scores"]
    shown = text_of(page)
    for name in ("mean_iou", "iou_foreground", "break_even"):
        assert percent(scores[name]) in shown
    other = json.loads((runs / "adaboost" / "scores.json").read_text())["test"]["scores"]
    assert percent(other["mean_iou"]) in shown
    for part in ("Worst", "Median", "Best", "Precision and recall", "Learned functions"):
        assert part in shown


def test_predictions_that_were_not_saved_are_recomputed(runs, page, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(runs, copy, ignore=shutil.ignore_patterns("report.html"))
    for path in copy.glob(f"*/{FILE}"):
        path.unlink()
    assert write_report(copy).read_bytes() == page.read_bytes()


def test_without_images_the_page_has_a_note_and_the_rest(runs, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(runs / "structboost", copy)
    options = json.loads((copy / "run.json").read_text())
    gone = {"images": str(tmp_path / "none"), "masks": str(tmp_path / "none"), **options}
    (copy / "run.json").write_text(json.dumps(gone))
    shown = text_of(write_report(copy))
    assert "The test images could not be loaded" in shown
    assert "Precision and recall" in shown
    assert "Worst" not in shown


def test_images_that_changed_are_not_shown(runs, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(runs / "structboost", copy)
    options = json.loads((copy / "run.json").read_text())
    options["synthetic"]["seed"] = 5
    (copy / "run.json").write_text(json.dumps(options))
    shown = text_of(write_report(copy))
    assert "were deleted or changed after the run" in shown
    assert "Worst" not in shown


def test_names_are_escaped(runs, tmp_path):
    output = tmp_path / "page.html"
    write_report(runs / "structboost", output, title="<b onload=x>&")
    assert "<b onload" not in output.read_text()
    assert "&lt;b onload=x&gt;&amp;" in output.read_text()


def test_the_command_writes_and_names_the_page(runs, tmp_path, capsys):
    output = tmp_path / "page.html"
    assert run(["report", str(runs / "adaboost"), "--output", str(output), "--jobs", "1"]) == 0
    assert capsys.readouterr().out == f"open {output}\n"
    assert "has no CRF" in text_of(output)


@pytest.mark.parametrize(
    ("make", "status", "text"),
    [
        (lambda p: p / "none", 2, "does not exist"),
        (lambda p: p, 1, "contains no run"),
        (lambda p: _broken(p, "{"), 1, "not JSON"),
        (lambda p: _broken(p, "{}"), 1, "'dataset'"),
    ],
)
def test_a_folder_without_a_run_gives_a_one_line_error(make, status, text, tmp_path, capsys):
    assert run(["report", str(make(tmp_path))]) == status
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert text in shown


def _broken(folder, scores):
    (folder / "model.json").write_text("{}")
    (folder / "scores.json").write_text(scores)
    return folder
