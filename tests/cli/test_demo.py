from __future__ import annotations

import json
import re

import pytest

from segboost.cli.main import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "new"
    assert run(["demo", "--output", str(folder), "--seed", "1"]) == 0
    return folder


@pytest.mark.slow
def test_the_folder_holds_whole_files_only(folder):
    names = {p.name for p in folder.iterdir()}
    pictures = {f"{n}{t}.png" for n in ("graphs", "digits", "ranking") for t in ("", "-dark")}
    assert names == pictures | {"index.html", "demo.json"}
    for name in pictures:
        assert (folder / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_figures_say_that_something_was_learned(folder):
    figures = json.loads((folder / "demo.json").read_text())
    accuracy = figures["graphs"]["accuracy"]
    assert accuracy["StructBoost"] > accuracy["structured SVM"] > accuracy["node by node"] + 0.1
    perceptrons, stumps = figures["digits"]["curves"]
    assert perceptrons["test_error"][-1] < 0.07
    for bound, objective in zip(stumps["lower_bound"], stumps["objective"], strict=True):
        assert bound <= objective * (1 + 1e-9)
    assert stumps["certificate"]["exact"]
    assert stumps["certificate"]["global_gap"] < 0.01
    assert min(figures["ranking"]["mean_auc"].values()) > 0.95


@pytest.mark.slow
def test_the_page_needs_no_other_file(folder):
    page = (folder / "index.html").read_text()
    sources = re.findall(r'(?:src|srcset|href)="([^"]{0,30})', page)
    assert len(sources) == 6
    assert all(s.startswith("data:image/png;base64,") for s in sources)
    assert "http" not in re.sub(r'"data:[^"]*"', "", page)
    assert "prefers-color-scheme: dark" in page
