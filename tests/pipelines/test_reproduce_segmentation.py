import json

import pytest

from segboost.datasets.synthetic import load_synthetic
from segboost.pipelines.paper_segmentation import CATEGORIES, PAPER
from segboost.pipelines.progress import QuietProgress
from segboost.pipelines.reproduce_segmentation import MEASURES, reproduce, to_markdown
from segboost.pipelines.segmentation_config import METHODS


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduce")

    def load(category):
        return load_synthetic(6, 3, seed=CATEGORIES.index(category), height=72, width=96)

    rows = reproduce(
        load, "default", folder, folder / "cache", 1, QuietProgress(), True, CATEGORIES[:2]
    )
    return folder, rows


def test_every_method_and_category_has_a_row(table):
    _, rows = table
    assert [(r.category, r.method) for r in rows] == [
        (c, m) for c in CATEGORIES[:2] for m in METHODS
    ]
    for row in rows:
        assert row.paper["mean_iou"] == PAPER[row.method][row.category].mean_iou
        assert set(row.ours) == set(row.paper) == set(MEASURES)
        assert 0 <= row.ours["mean_iou"] <= 100
        assert row.n_images == 3


def test_the_tables_are_kept_beside_the_models(table):
    folder, rows = table
    document = json.loads((folder / "table.json").read_text())
    assert document["quick"] is True
    assert len(document["rows"]) == len(rows)
    assert (folder / "default-car-ssvm" / "model.json").exists()
    text = (folder / "table.md").read_text()
    assert text == to_markdown(rows, "default", True)
    assert f"({PAPER['structboost']['bike'].mean_iou})" in text
    assert "not a measurement" in text


def test_methods_share_what_does_not_depend_on_them(table):
    folder, _ = table
    # 2 categories of 9 images each: the four methods computed them once.
    assert len(list((folder / "cache" / "superpixels").glob("*.npz"))) == 18
