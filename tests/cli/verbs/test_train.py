from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest
from PIL import Image

from segboost.cli.main import run
from segboost.pipelines.runtime.run_log import read_run_log
from segboost.pipelines.segmentation.metrics.scores import SegmentationScores
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter
from tests.pipelines.segmentation.tiny_models import (
    tiny_data,
    train_command,
    write_folders,
)

NAMES = [name for name in SegmentationScores.__dataclass_fields__ if name != "n_images"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("train")


@pytest.fixture(scope="module")
def command(place):
    return train_command(place)


@pytest.fixture(scope="module")
def model(place, command):
    assert run([*command, "--output", str(place / "model")]) == 0
    return place / "model"


def test_the_summary_names_folder_scores_times_and_memory(model, command, capsys):
    assert run([*command, "--output", str(model)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.splitlines()[-1] == f"model folder: {model}"
    for name in (*NAMES, "features", "classifiers", "CRF", "test images", "peak memory", "C = 10"):
        assert name in printed.out


def test_a_pipe_gets_one_line_per_stage_as_it_ends(model, command, capsys):
    assert run([*command, "--output", str(model)]) == 0
    lines = capsys.readouterr().out.splitlines()
    stages = ["checking images: 9 of 9", "visual words: 1 of 1", "features: 6 of 6"]
    assert [line.rpartition(",")[0] for line in lines[:3]] == stages
    assert lines[2].endswith(" s")
    begun = [line.partition(":")[0] for line in lines]
    assert begun.index("learning the CRF") < begun.index("trained on 6 images, C = 10")


def test_the_folder_has_the_model_and_its_scores(model):
    assert load_segmenter(model).config.unary.n_stumps == 12
    scores = json.loads((model / "scores.json").read_text())
    assert scores["test"]["scores"]["n_images"] == 3
    assert scores["n_train"] == 6
    assert (model / "cache" / "codebook").is_dir()


def test_resume_takes_the_settings_of_the_run(model, capsys):
    before = (model / "model.json").read_bytes()
    assert run(["train", "--resume", "--output", str(model), "--jobs", "1"]) == 0
    assert (model / "model.json").read_bytes() == before
    assert run(["train", "--resume", "--output", str(model), "--seed", "3"]) == 2
    assert "different --seed" in capsys.readouterr().err


def test_resume_needs_a_run(tmp_path, capsys):
    assert run(["train", "--resume", "--output", str(tmp_path)]) == 2
    assert "no run to resume" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"seed": 5}', '{"dataset": "synthetic"}', "[" * 9999]
)
def test_a_damaged_run_is_not_resumed_as_another(model, text, capsys):
    settings = model / "run.json"
    kept = settings.read_bytes()
    settings.write_text(text)
    try:
        assert run(["train", "--resume", "--output", str(model)]) == 2
    finally:
        settings.write_bytes(kept)
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert "run.json is damaged" in printed.err


def test_a_wrong_mask_of_the_test_part_is_refused_before_training(tmp_path, capsys):
    options = write_folders(tmp_path, tiny_data().train)
    (tmp_path / "test.txt").write_text("train_005\n")
    (tmp_path / "train.txt").write_text("train_000\ntrain_001\n")
    (mask,) = (tmp_path / "masks").glob("train_005.*")
    Image.new("L", (5, 5)).save(mask)
    lists = ["--train-list", str(tmp_path / "train.txt"), "--test-list", str(tmp_path / "test.txt")]
    model = tmp_path / "model"
    assert run(["train", *options, *lists, "--output", str(model)]) == 1
    printed = capsys.readouterr().err
    assert "train_005: the image is 96×72, its mask 5×5" in printed
    assert not list((model / "cache").glob("**/*.npz"))


def test_methods_share_a_cache(place, model, command, tmp_path, capsys):
    cache = ["--cache", str(model / "cache")]
    for method in ("svm", "adaboost"):
        folder = tmp_path / method
        assert run([*command, *cache, "--method", method, "--output", str(folder)]) == 0
        assert load_segmenter(folder).config.method == method
        assert not (folder / "cache").exists()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--dataset", "graz03"], "choose one of synthetic"),
        (["--dataset", "graz02"], "needs --category"),
        (["--dataset", "graz02", "--category", "cat"], "choose one of bike, car, people"),
        (["--category", "bike"], "does not take --category"),
        (["--images", "x"], "must be given together"),
        (["--test-fraction", "0.5"], "does not take --test-fraction"),
        (["--dataset", "graz02", "--images", "x", "--masks", "y"], "does not take --images"),
        (["--dataset", "folders"], "needs --images"),
        (["--method", "boost"], "method must be one of"),
        (["--preset", "best"], "preset"),
        (["--jobs", "0"], "--jobs"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_misuse_is_one_line_and_status_2(options, text, tmp_path, capsys):
    assert run(["train", "--output", str(tmp_path / "model"), *options]) == 2
    printed = capsys.readouterr()
    assert text in printed.err
    assert printed.err.count("\n") == 1
    assert not (tmp_path / "model").exists()


def test_output_that_is_a_file_is_misuse(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(["train", "--output", str(tmp_path / "file")]) == 2
    assert "is a file, not a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "status"), [("{", 1), ("[1]", 1), ('{"unknown": 1}', 2), ('{"unary": 1}', 2)]
)
def test_wrong_settings_are_one_line(text, status, tmp_path, capsys):
    (tmp_path / "settings.json").write_text(text)
    output = ["--output", str(tmp_path / "model")]
    assert run(["train", "--config", str(tmp_path / "settings.json"), *output]) == status
    assert capsys.readouterr().err.count("\n") == 1


def test_no_data_root_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SEGBOOST_DATA", raising=False)
    options = ["--dataset", "graz02", "--category", "bike", "--output", str(tmp_path / "model")]
    assert run(["train", *options]) == 1
    assert "SEGBOOST_DATA" in capsys.readouterr().err


def test_images_without_foreground_are_a_clear_error(tmp_path, capsys):
    class Empty:
        def __init__(self, item):
            self.name, self.image = item.name, item.image
            self.mask = lambda: item.mask() * 0

    options = write_folders(tmp_path, [Empty(item) for item in tiny_data().train])
    assert run(["train", *options, "--output", str(tmp_path / "model")]) == 1
    printed = capsys.readouterr().err
    assert "no training image has a foreground pixel" in printed
    assert printed.count("\n") == 1


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_model(model, command, tmp_path):
    """After SIGKILL within a stage, --resume gives the same bytes as an uninterrupted run."""
    folder = tmp_path / "model"
    started = "import sys; from segboost.cli.main import main; main(sys.argv[1:])"
    process = subprocess.Popen([sys.executable, "-c", started, *command, "--output", str(folder)])
    while not list((folder / "cache").glob("unary/*")) and process.poll() is None:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "model.json").exists()
    assert (folder / "train.jsonl.part").exists()
    assert run(["train", "--resume", "--output", str(folder), "--jobs", "1"]) == 0
    assert (folder / "model.json").read_bytes() == (model / "model.json").read_bytes()
    scores = [json.loads((f / "scores.json").read_text()) for f in (folder, model)]
    assert scores[0] == scores[1]
    events = [event["event"] for event in read_run_log(folder / "train.jsonl")]
    assert events.count("start") == 2
    assert events[-1] == "end"
