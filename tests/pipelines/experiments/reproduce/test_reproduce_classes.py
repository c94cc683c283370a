"""The table of several classes: our rows beside published ones."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from segboost.datasets import load_synthetic_classes
from segboost.pipelines.experiments.reproduce import reproduce_classes as experiment
from segboost.pipelines.experiments.reproduce.reproduce_classes import (
    MEASURES,
    METHODS,
    reproduce_classes,
)
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.tiny_class_models import class_config, class_store


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduce")
    data = load_synthetic_classes(6, 4, height=60, width=80)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiment, "_config", lambda p, method, s, q: class_config(method=method))
        found = reproduce_classes(
            data, "fast", folder, class_store().root, 1, QuietProgress(), quick=True
        )
    return folder, found


def test_every_method_has_a_row_with_intervals(table):
    _, found = table
    assert tuple(row.method for row in found.rows) == METHODS
    for row in found.rows:
        assert set(row.scores) == set(MEASURES)
        for value in row.scores.values():
            assert 0 <= value.low <= value.points <= value.high <= 100
    assert found.rows[0].behind is None
    lead = found.rows[2].behind["mean_iou"]
    scores = [found.rows[k].scores["mean_iou"].points for k in (0, 2)]
    assert lead.points == pytest.approx(scores[0] - scores[1])


def test_files_and_text(table):
    folder, found = table
    document = json.loads((folder / "table.json").read_text())
    assert document == json.loads(json.dumps(found.to_document()))
    text = (folder / "table.md").read_text()
    assert "published" not in text  # those figures are on other images
    assert "not a measurement" in text
    assert "| post |" in text
    assert text.count("minus") == 6
    assert (folder / "fast-ssvm" / "model.json").is_file()


def test_published_rows_stand_beside_ours_on_their_data(table):
    camvid = replace(table[1], dataset="camvid", quick=False)
    text = camvid.to_markdown()
    assert "| Boosting + pairwise CRF (published) | 59.9 | 79.8 | – |" in text
    assert "| SegNet, 3,500 further training images (published) | 71.2 | 90.4 | 60.1 |" in text
    assert len(camvid.to_document()["published"]) == 8


def test_quick_settings_are_short():
    config = experiment._config("fast", "ssvm", 3, True)
    assert config.method == "ssvm"
    assert config.seed == 3
    assert config.tree_booster.n_trees == 20
    assert experiment._config("fast", "trees", 0, False).tree_booster.n_trees > 20
