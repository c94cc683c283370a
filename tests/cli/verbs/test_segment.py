from __future__ import annotations

import csv
import re

import numpy as np
import pytest
from PIL import Image

from segboost.cli.main import run
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from tests.pipelines.segmentation.tiny_models import tiny_data, trained


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return str(save_segmenter(trained().model, tmp_path_factory.mktemp("model")))


@pytest.fixture
def images(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    for item in tiny_data().test:
        Image.fromarray(item.image()).save(folder / f"{item.name}.png")
    return folder


def segment(model, output, *rest):
    return run(["segment", "--model", model, "--output", str(output), "--jobs", "1", *rest])


def agreement(output):
    """Return the intersection over union of all masks with the truth."""
    both = either = 0
    for item in tiny_data().test:
        found = np.asarray(Image.open(output / f"{item.name}.png")) == 255
        truth = item.mask() == 1
        both += np.sum(found & truth)
        either += np.sum(found | truth)
    return both / either


def test_masks_of_the_same_name_and_size(model, images, tmp_path, capsys):
    output = tmp_path / "out"
    assert segment(model, output, "--overlay", "--scores", str(images)) == 0
    printed = capsys.readouterr()
    assert "3 of 3 images segmented" in printed.out
    assert printed.err == ""
    last = printed.out.splitlines()[-1]
    assert re.fullmatch(r"[\d.]+ s with 1 job, [\d.]+ s CPU per image, peak memory [\d.]+ GB", last)
    for path in images.iterdir():
        mask = np.asarray(Image.open(output / path.name))
        assert mask.shape == (72, 96)
        assert set(np.unique(mask)) == {0, 255}
        assert Image.open(output / "overlays" / path.name).size == (96, 72)
        assert Image.open(output / "scores" / path.name).mode.startswith("I")
    assert agreement(output) > 0.5


def test_masks_are_probabilities_above_the_printed_threshold(model, images, tmp_path, capsys):
    output = tmp_path / "out"
    assert segment(model, output, "--probabilities", str(images)) == 0
    cut = float(re.search(r"thresholded at probability ([\d.]+)", capsys.readouterr().out)[1])
    for path in images.iterdir():
        mask = np.asarray(Image.open(output / path.name)) == 255
        found = np.asarray(Image.open(output / "probabilities" / path.name)) / 65535
        assert (found[mask] >= cut - 1e-3).all()
        assert (found[~mask] <= cut + 1e-3).all()


def test_a_broken_image_is_named_at_the_end_with_status_1(model, images, tmp_path, capsys):
    (images / "a_broken.jpg").write_bytes(b"nothing")
    output = tmp_path / "out"
    assert segment(model, output, str(images)) == 1
    printed = capsys.readouterr()
    assert "3 of 4 images segmented" in printed.out
    assert printed.err.startswith("failed: a_broken.jpg: ")
    assert printed.err.count("\n") == 1
    assert len(list(output.glob("*.png"))) == 3
    with open(output / "results.csv", newline="") as file:
        status = {row["name"]: row["status"] for row in csv.DictReader(file)}
    assert status.pop("a_broken.jpg") != "done"
    assert set(status.values()) == {"done"}


def test_patterns_and_files(model, images, tmp_path):
    output = tmp_path / "out"
    assert segment(model, output, str(images / "*_00[01].png"), str(images / "test_001.png")) == 0
    assert sorted(p.name for p in output.glob("*.png")) == ["test_000.png", "test_001.png"]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda i: ["none.png"], "no such image"),
        (lambda i: [str(i), "--model", "none"], "is not a model folder"),
        (lambda i: [str(i), "--output", str(i)], "would overwrite"),
    ],
)
def test_early_failures_are_one_line(make, text, model, images, tmp_path, capsys):
    assert segment(model, tmp_path / "out", *make(images)) == 1
    printed = capsys.readouterr()
    assert text in printed.err
    assert printed.err.count("\n") == 1


def test_misuse(model, images, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert segment(model, tmp_path / "file", str(images)) == 2
    assert segment(model, tmp_path / "out") == 2
    assert run(["segment", str(images), "--output", str(tmp_path / "out")]) == 2
    assert "--model" in capsys.readouterr().err
