"""Several classes from the command line: train, segment, evaluate, report, and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from segboost.cli.main import run
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter
from tests.pipelines.segmentation.tiny_class_models import SETTINGS, draw

LEGEND = "name,index,colour\nground,0,#3c3c3c\nred,1,#c83c3c\ngreen,2,#3cb446\nblue,3,#4650d2\n"


def write(folder: Path, n_images: int = 6, change=lambda mask: mask) -> list[str]:
    for name in ("images", "masks"):
        (folder / name).mkdir(parents=True)
    for number in range(n_images):
        image, mask = draw(number)
        Image.fromarray(image).save(folder / "images" / f"{number}.png")
        Image.fromarray(change(mask)).save(folder / "masks" / f"{number}.png")
    (folder / "legend.csv").write_text(LEGEND)
    (folder / "settings.json").write_text(json.dumps(SETTINGS))
    return ["--images", str(folder / "images"), "--masks", str(folder / "masks")]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("classes")


@pytest.fixture(scope="module")
def folders(place):
    return write(place)


@pytest.fixture(scope="module")
def model(place, folders):
    options = ["--classes", str(place / "legend.csv"), "--config", str(place / "settings.json")]
    command = ["train", *folders, *options, "--jobs", "1", "--test-fraction", "0.34"]
    assert run([*command, "--select", "mean_recall", "-o", str(place / "model")]) == 0
    return place / "model"


def refused(capsys, arguments, text, status=1):
    assert run(arguments) == status
    printed = capsys.readouterr().err
    assert text in printed
    assert printed.count("\n") == 1
    assert "SEGBOOST_DEBUG" not in printed  # the mark of an unforeseen error


def test_the_model_keeps_names_colours_and_the_measure(model):
    found = load_segmenter(model)
    assert found.legend.names == ("ground", "red", "green", "blue")
    assert found.legend.colours[1] == (200, 60, 60)
    assert found.config.select == "mean_recall"


def test_scores_of_each_class_are_printed(model, capsys):
    assert run(["train", "--output", str(model), "--resume", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    for name in ("mean_iou", "mean_recall", "accuracy", "ground", "red", "green", "blue"):
        assert name in printed
    scores = json.loads((model / "scores.json").read_text())
    assert [c["name"] for c in scores["test"]["scores"]["classes"]][1] == "red"
    assert scores["classes"]["names"][3] == "blue"


def test_evaluate_as_json(model, folders, capsys):
    assert run(["evaluate", "--model", str(model), *folders, "--jobs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {
        "mean_iou", "mean_recall", "accuracy", "n_images", "classes", "confusion",
    }  # fmt: skip
    assert found["n_images"] == 6
    counts = np.array(found["confusion"])
    assert counts.sum() == 6 * 60 * 80
    assert found["accuracy"] == pytest.approx(np.trace(counts) / counts.sum())
    assert found["classes"][2]["recall"] == pytest.approx(counts[2, 2] / counts[2].sum())


def test_segment_writes_palette_masks(model, place, capsys):
    out = place / "out"
    command = ["segment", "--model", str(model), "-o", str(out), "--jobs", "1", "--overlay"]
    assert run([*command, "--probabilities", str(place / "images")]) == 0
    assert "thresholded" not in capsys.readouterr().out
    for number in range(6):
        mask = Image.open(out / f"{number}.png")
        assert mask.mode == "P"
        assert mask.getpalette()[:12] == load_palette().ravel().tolist()
        found, truth = np.array(mask), draw(number)[1]
        assert found.shape == truth.shape
        for k in range(4):
            assert np.mean(found[truth == k] == k) > 0.7
    assert (out / "overlays" / "0.png").is_file()
    assert (out / "probabilities" / "0.3.png").is_file()
    assert "share_green" in (out / "results.csv").read_text().splitlines()[0]


def test_masks_that_segment_writes_can_be_evaluated(model, place, capsys):
    own = ["--images", str(place / "images"), "--masks", str(place / "out2")]
    masks = ["segment", "--model", str(model), "-o", str(place / "out2"), "--jobs", "1"]
    assert run([*masks, str(place / "images")]) == 0
    capsys.readouterr()
    assert run(["evaluate", "--model", str(model), *own, "--jobs", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1


def test_report(model, capsys):
    assert run(["report", str(model), "--jobs", "1"]) == 0
    text = (model / "report.html").read_text()
    assert "Confusion matrix" in text
    assert "#c83c3c" in text


def test_one_class_as_foreground(place, folders, tmp_path, capsys):
    command = ["train", *folders, "--config", str(place / "settings.json"), "--jobs", "1"]
    assert run([*command, "--foreground", "2", "-o", str(tmp_path / "model")]) == 0
    found = load_segmenter(tmp_path / "model")
    assert found.legend.names == ("background", "foreground")


def test_masks_in_colours(place, tmp_path, capsys):
    palette = load_palette()
    options = write(tmp_path, 3, lambda mask: palette[mask])
    capsys.readouterr()
    legend = ["--classes", str(tmp_path / "legend.csv")]
    assert run(["datasets", "verify", "folders", *options, *legend]) == 0
    refused(capsys, ["train", *options, "-o", str(tmp_path / "m")], "needs a legend")
    short = tmp_path / "short.csv"
    short.write_text("\n".join(LEGEND.splitlines()[:4]))
    refused(
        capsys, ["train", *options, "--classes", str(short), "-o", str(tmp_path / "m")], "#4650d2"
    )


def load_palette():
    return np.array([[60, 60, 60], [200, 60, 60], [60, 180, 70], [70, 80, 210]], np.uint8)


def test_bad_classes_are_refused(place, folders, tmp_path, capsys):
    out = ["-o", str(tmp_path / "m"), "--jobs", "1"]
    legend = tmp_path / "legend.csv"
    for text, printed in (
        ("name\nground\nred\n", "unclear mask values"),
        ("name\nground\nred\ngreen\n", "mask values 3 are not among the classes 0 … 2"),
        ("name\nall\n", "at least two, got 1"),
        ("colour\n#000000\n", "no column name"),
    ):
        legend.write_text(text)
        refused(capsys, ["train", *folders, "--classes", str(legend), *out], printed)
    given = ["--classes", str(place / "legend.csv")]
    refused(
        capsys, ["train", *folders, *given, "--foreground", "1", *out], "--foreground makes two", 2
    )
    refused(capsys, ["train", *given, *out], "does not take --classes", 2)
    refused(
        capsys, ["train", *folders, "--classes", str(tmp_path / "no.csv"), *out], "no such file"
    )
    measures = "select must be one of mean_iou, mean_recall, accuracy, got 'speed'"
    refused(capsys, ["train", *folders, *given, "--select", "speed", *out], measures, 2)
    assert not (tmp_path / "m" / "model.json").exists()


def test_a_model_of_other_classes_is_refused(model, folders, tmp_path, capsys):
    legend = tmp_path / "five.csv"
    legend.write_text(LEGEND + "white,4,#ffffff\n")
    command = ["evaluate", "--model", str(model), *folders, "--classes", str(legend)]
    refused(capsys, command, "the masks have 5 classes, the model 4 (ground, red, green, blue)", 2)
    command = ["evaluate", "--model", str(model), *folders, "--foreground", "1"]
    refused(capsys, command, "the masks have 2 classes", 2)
    assert run(["evaluate", "--model", str(model), *folders, "--split", "test", "--jobs", "1"]) == 0


@pytest.mark.parametrize("method", ["adaboost", "svm"])
def test_two_class_methods_are_refused(folders, tmp_path, method, capsys):
    command = ["train", *folders, "--preset", "classic", "--method", method]
    refused(
        capsys, [*command, "-o", str(tmp_path / "m"), "--jobs", "1"], "one class with --foreground"
    )
    assert not list(tmp_path.rglob("model.json"))
