import json
from dataclasses import replace

import pytest

from segboost.datasets.synthetic.dataset import load_synthetic
from segboost.pipelines.experiments.published.paper_segmentation import CATEGORIES, PAPER
from segboost.pipelines.experiments.reproduce.reproduce_segmentation import (
    MEASURES,
    reproduce_segmentation,
    to_markdown,
)
from segboost.pipelines.segmentation.evaluation import evaluate_model
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter
from segboost.progress import QuietProgress


@pytest.fixture(scope="module", params=["default", "classic"])
def preset(request):
    return request.param


@pytest.fixture(scope="module")
def table(tmp_path_factory, preset):
    folder = tmp_path_factory.mktemp("reproduce")

    def load(category):
        data = load_synthetic(6, 3, seed=CATEGORIES.index(category), height=72, width=96)
        return replace(data, leaks=(data.test[1].name,)) if category == CATEGORIES[0] else data

    rows = reproduce_segmentation(
        load, preset, folder, folder / "cache", 1, QuietProgress(), True, CATEGORIES[:2]
    )
    return folder, rows


METHODS = {
    "default": ("structboost", "ssvm", "trees"),
    "classic": ("structboost", "ssvm", "adaboost", "svm"),
}


def test_every_method_and_category_has_a_row(table, preset):
    _, rows = table
    assert [(r.category, r.method) for r in rows] == [
        (c, m) for c in CATEGORIES[:2] for m in METHODS[preset]
    ]
    for row in rows:
        if row.method == "trees":
            assert row.paper is None
        else:
            assert row.paper["mean_iou"] == PAPER[row.method][row.category].mean_iou
        assert set(row.ours) == set(MEASURES)
        assert 0 <= row.ours["mean_iou"] <= 100
        assert row.n_images == 3


def test_the_first_method_is_compared_with_the_others(table):
    folder, rows = table
    for row in rows:
        assert (row.behind is None) == (row.method == "structboost")
    best = {row.category: row for row in rows if row.method == "structboost"}
    for row in (row for row in rows if row.behind is not None):
        lead = best[row.category].ours["mean_iou"] - row.ours["mean_iou"]
        assert row.behind.points == pytest.approx(lead)
        assert f"{row.behind}" in (folder / "table.md").read_text()


def test_leaks_are_scored_separately(table, preset):
    folder, rows = table
    test = load_synthetic(6, 3, seed=0, height=72, width=96).test
    clean = [item for item in test if item is not test[1]]
    for row in rows:
        assert (row.without_leaks is None) == (row.category != CATEGORIES[0])
    model = load_segmenter(folder / f"{preset}-{CATEGORIES[0]}-structboost")
    alone = evaluate_model(model, clean).scores
    assert rows[0].without_leaks["mean_iou"] == pytest.approx(100 * alone.mean_iou)
    assert rows[0].without_leaks["break_even"] == pytest.approx(100 * alone.break_even)
    text = to_markdown(rows, preset, True)
    assert text.count("is also a training image") == len(METHODS[preset])


def test_the_tables_are_kept_beside_the_models(table, preset):
    folder, rows = table
    document = json.loads((folder / "table.json").read_text())
    assert document["quick"] is True
    assert len(document["rows"]) == len(rows)
    assert (folder / f"{preset}-car-ssvm" / "model.json").exists()
    text = (folder / "table.md").read_text()
    assert text == to_markdown(rows, preset, True)
    assert f"({PAPER['structboost']['bike'].mean_iou})" in text
    assert "not a measurement" in text


def test_methods_share_cached_superpixels(table, preset):
    folder, _ = table
    # 2 categories of 9 images each, and copies of the 6 training ones: the methods computed them
    # once.
    copies = 6 if preset == "default" else 0
    assert len(list((folder / "cache" / "superpixels").glob("*.npz"))) == 2 * (9 + copies)
