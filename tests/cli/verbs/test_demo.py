from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from segboost.datasets import load_synthetic
from segboost.pipelines.segmentation.metrics.scores import SegmentationEvaluation
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter
from segboost.report.demo import METHODS, SETTINGS, SceneSizes, run_demo
from tests.docs.start_page import read_demo

SIZES = SceneSizes(n_train=8, n_test=6, height=72, width=96)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "new"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SETTINGS, "tree_booster", {"n_trees": 30})
        patch.setitem(SETTINGS, "linear_below", 0)
        demo = run_demo(folder, seed=1, sizes=SIZES)
    assert demo.page == folder / "index.html"
    return demo


@pytest.mark.slow
def test_the_folder_holds_the_models_and_the_output_of_one(made):
    folder = made.page.parent
    names = {p.name for p in folder.iterdir()}
    assert names == {".segboost.outputs", "index.html", "cache", "images", "segmented", *METHODS}
    assert load_segmenter(folder / METHODS[0]).calibration is not None
    images = sorted(p.name for p in (folder / "images").iterdir())
    assert len(images) == SIZES.n_test
    for part in ("", "overlays", "scores", "probabilities"):
        assert sorted(p.name for p in (folder / "segmented" / part).glob("*.png")) == images


@pytest.mark.slow
def test_every_method_has_learned_something(made):
    scores = {method: run.evaluation.scores for method, run in made.runs.items()}
    assert min(found.mean_iou for found in scores.values()) > 0.55  # 0.45: all background
    assert all(found.n_images == SIZES.n_test for found in scores.values())


@pytest.mark.slow
def test_the_scores_are_those_of_the_masks_on_disk(made):
    """The page shows the scores of the masks stored next to it."""
    total = SegmentationEvaluation()
    for item in load_synthetic(8, 6, seed=1, height=72, width=96).test:
        mask = np.asarray(Image.open(made.page.parent / "segmented" / f"{item.name}.png"))
        total.add(mask == 255, item.mask(), None)
    measured = made.runs[METHODS[0]].evaluation.scores.mean_iou
    assert total.result().mean_iou == pytest.approx(measured)
    assert f"{100 * measured:.1f}<small>%" in made.page.read_text()


@pytest.mark.slow
def test_the_figures_for_the_documentation_are_those_of_the_runs(made):
    figures = read_demo(made.page.parent)
    assert (figures.n_train, figures.n_test) == (SIZES.n_train, SIZES.n_test)
    for method, run in made.runs.items():
        assert figures.mean_iou[method] == round(100 * run.evaluation.scores.mean_iou, 1)


@pytest.mark.slow
def test_the_page_has_all_methods(made):
    page = made.page.read_text()
    for text in ("Comparison of methods", "StructBoost", "structured SVM", "trees"):
        assert text in page
