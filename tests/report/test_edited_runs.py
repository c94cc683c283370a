"""Runs with edited records or unusual file names give a page or a one-line error."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from segboost.pipelines.segmentation.training_run import run_training
from segboost.progress import QuietProgress
from segboost.report.sections.scores import _choice
from segboost.report.write_report import write_report
from tests.pipelines.segmentation.tiny_models import tiny_config, tiny_data, write_folders


@pytest.fixture
def run(runs, tmp_path):
    return shutil.copytree(runs / "structboost", tmp_path / "run")


EDITS = {
    "method": ["x", None, 5],
    "dataset": [None, 5, []],
    "test": ["x", 5, {}, {"scores": {}, "images": []}, {"scores": "x", "images": 5}],
    "validation": [5, "x", [5], [{}], [{"C": "x", "loss": "pixels", "mean_iou": 0.5}]],
    "C": ["x", -1, []],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, found in EDITS.items() for v in found])
def test_edited_scores_are_refused_in_one_line(run, name, value):
    document = json.loads((run / "scores.json").read_text())
    (run / "scores.json").write_text(json.dumps({**document, name: value}))
    with pytest.raises(ValueError, match=r"scores\.json") as error:
        write_report(run)
    assert "\n" not in str(error.value)


LINES = ["[]", "5", "null", '{"event": "start"}', '{"event": "stage ends"}', '{"event": "end"}']
LINES += ['{"event": "stage ends", "stage": "x", "wall": "1", "cpu": null}', "[" * 9999]
LINES += ['{"event": "stage ends", "stage": 5, "wall": 1, "cpu": 2, "peak_total_bytes": "x"}']
LINES += ['{"event": "start", "machine": 5, "versions": []}', '{"event": "end", "wall": 1e400}']


def test_the_page_is_made_despite_an_edited_log(run):
    log = run / "train.jsonl"
    log.write_text("\n".join([*LINES[3:], log.read_text(), *LINES]))
    assert b"</html>" in write_report(run).read_bytes()


def test_the_title_names_the_data_and_not_the_folder(runs, page):
    assert "<h1>synthetic" in page.read_text()
    assert runs.name not in page.read_text().partition("<main")[0]


@pytest.mark.parametrize(
    ("images", "title"),
    [("/d/leaves/images", "leaves"), ("/d/cells", "cells"), ("/images", "images")],
)
def test_runs_on_a_users_images_are_named_by_their_folder(run, images, title):
    options = run / "run.json"
    options.write_text(json.dumps({**json.loads(options.read_text()), "images": images}))
    assert f"<h1>{title}</h1>" in write_report(run).read_text()


def test_the_score_maps_have_a_scale_and_the_choice_of_c_a_reason(page):
    text = page.read_text()
    assert "<span>0 %</span><span>50 %</span><span>100 %</span>" in text
    assert "They differ from the test scores" in text
    assert "pixel accuracy in the paper" in text
    assert text.count("pixel accuracy") == 1


def test_a_c_at_the_end_of_the_grid_comes_with_a_hint():
    assert "larger ones may be better" in _choice(10, [1, 5, 10])
    assert "smaller ones may be better" in _choice(1, [1, 5, 10])
    assert "may be better" not in _choice(5, [1, 5, 10])


def test_undecodable_names_are_shown(tmp_path):
    class Odd:
        def __init__(self, item):
            self.name, self.image, self.mask = (
                os.fsdecode(b"\xff") + item.name,
                item.image,
                item.mask,
            )

    from segboost.datasets import load_folders

    folder = tmp_path / os.fsdecode(b"\xfe")
    options = write_folders(folder, [Odd(item) for item in tiny_data().train])
    places = dict(zip(("images", "masks"), options[1::2], strict=True))
    data = load_folders(**places)
    quiet = QuietProgress()
    config = tiny_config(C=10.0)
    run_training(data, config, tmp_path / "run", tmp_path / "cache", 1, quiet, places)
    text = write_report(tmp_path / "run").read_text()
    assert "?train_00" in text
