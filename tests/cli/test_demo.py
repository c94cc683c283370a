from __future__ import annotations

import json
import re

import numpy as np
import pytest
from PIL import Image

from segboost.pipelines.demo import run_demo
from segboost.pipelines.demo_labellers import ALONE, CRF, WORDS
from segboost.pipelines.demo_scenes import SETTINGS, SceneSizes
from segboost.pipelines.segmentation_files import load_segmenter

SIZES = SceneSizes(n_train=10, n_test=6, height=72, width=96)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "new"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SETTINGS, "unary", {"n_stumps": 15, "n_folds": 2})
        patch.setitem(SETTINGS, "C_choices", [10])
        made = run_demo(folder, seed=1, sizes=SIZES)
    assert made.page == folder / "index.html"
    return folder


@pytest.mark.slow
def test_the_folder_holds_a_model_and_what_it_made(folder):
    names = {p.name for p in folder.iterdir()}
    assert names == {"index.html", "demo.json", "model", "images", "segmented"}
    assert load_segmenter(folder / "model").calibration is not None
    images = sorted(p.name for p in (folder / "images").iterdir())
    assert len(images) == SIZES.n_test
    for part in ("", "overlays", "scores", "probabilities"):
        assert sorted(p.name for p in (folder / "segmented" / part).glob("*.png")) == images


@pytest.mark.slow
def test_the_figures_say_that_something_was_learned(folder):
    figures = json.loads((folder / "demo.json").read_text())
    scores = figures["scenes"]["scores"]
    assert list(scores) == [WORDS, ALONE, CRF]
    assert scores[CRF]["mean_iou"] > scores[WORDS]["mean_iou"]
    assert all(found["n_images"] == SIZES.n_test for found in scores.values())
    perceptrons, stumps = figures["digits"]["curves"]
    assert perceptrons["test_error"][-1] < 0.07
    for bound, objective in zip(stumps["lower_bound"], stumps["objective"], strict=True):
        assert bound <= objective * (1 + 1e-9)
    assert stumps["certificate"]["exact"]
    assert stumps["certificate"]["global_gap"] < 0.01
    assert min(figures["ranking"]["mean_auc"].values()) > 0.95


@pytest.mark.slow
def test_the_scores_are_those_of_the_masks_on_disk(folder):
    """The page speaks of the files beside it: their pixels give its figures."""
    from segboost.datasets import load_synthetic
    from segboost.pipelines.metrics import SegmentationEvaluation

    total = SegmentationEvaluation()
    for item in load_synthetic(10, 6, seed=1, height=72, width=96).test:
        mask = np.asarray(Image.open(folder / "segmented" / f"{item.name}.png"))
        total.add(mask == 255, item.mask(), None)
    figures = json.loads((folder / "demo.json").read_text())
    assert total.result().mean_iou == pytest.approx(figures["scenes"]["scores"][CRF]["mean_iou"])


@pytest.mark.slow
def test_the_page_needs_no_other_file_and_segmentation_is_first(folder):
    page = (folder / "index.html").read_text()
    sources = re.findall(r'(?:src|srcset|href)="([^"]{0,30})', page)
    assert len(sources) == 5 * 6 + 3 * 2
    assert all(s.startswith("data:image/png;base64,") for s in sources)
    assert "http" not in re.sub(r'"data:[^"]*"', "", page)
    assert "prefers-color-scheme: dark" in page
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert "scenes" in titles[0]
    assert len(titles) == 3
