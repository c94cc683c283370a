from __future__ import annotations

import json

import pytest

from segboost.cli.main import run
from segboost.pipelines.segmentation.evaluation import evaluate_model
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from tests.pipelines.segmentation.tiny_models import tiny_data, trained, write_folders

NAMES = {
    "mean_iou", "iou_foreground", "iou_background", "mean_recall", "recall_foreground",
    "recall_background", "break_even", "accuracy", "n_images",
}  # fmt: skip


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    place = tmp_path_factory.mktemp("evaluate")
    model = save_segmenter(trained().model, place / "model")
    options = write_folders(place, tiny_data().test)
    return ["evaluate", "--model", str(model), "--jobs", "1", *options]


def test_json_has_exactly_the_names(command, capsys):
    assert run([*command, "--json"]) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert set(found) == NAMES | {"classes", "confusion"}
    assert [c["name"] for c in found["classes"]] == ["background", "foreground"]
    assert found["classes"][1]["iou"] == found["iou_foreground"]
    assert found == evaluate_model(trained().model, tiny_data().test).summary()
    assert found["n_images"] == 3
    assert all(0 <= found[name] <= 1 for name in NAMES - {"n_images"})


def test_plain_text_output(command, capsys):
    assert run(command) == 0
    printed = capsys.readouterr().out
    assert "split all, 3 images" in printed
    assert all(name in printed for name in NAMES - {"n_images"})


def test_splits(command, capsys):
    count = {}
    for split in ("train", "test", "all"):
        assert run([*command, "--split", split, "--json"]) == 0
        count[split] = json.loads(capsys.readouterr().out)["n_images"]
    assert count["train"] + count["test"] == count["all"] == 3


@pytest.mark.parametrize(
    ("options", "status", "text"),
    [
        (["--split", "half"], 2, "train, val, test or all"),
        (["--category", "bike"], 2, "does not take --category"),
        (["--model", "none"], 1, "is not a model folder"),
    ],
)
def test_errors_are_one_line(command, options, status, text, capsys):
    assert run([*command, *options]) == status
    printed = capsys.readouterr()
    assert printed.out == ""
    assert text in printed.err
    assert printed.err.count("\n") == 1


def test_missing_data_options_are_explained(command, capsys):
    assert command[1] == "--model"
    assert run(command[:3]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "name labelled images: --images DIR --masks DIR" in printed.err


def test_a_mask_of_another_size_is_named(tmp_path, command, capsys):
    class Cut:
        def __init__(self, item):
            self.name, self.image = item.name, item.image
            self.mask = lambda: item.mask()[:-1]

    options = write_folders(tmp_path, [Cut(item) for item in tiny_data().test])
    assert run([*command[:5], *options]) == 1
    assert "test_000: the image is 96×72, its mask 96×71" in capsys.readouterr().err
