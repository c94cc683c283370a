"""User-defined presets on the command line, from training to the report."""

from __future__ import annotations

import json

import pytest

from segboost.cli.main import run
from tests.features.network import networks
from tests.pipelines.segmentation.tiny_models import train_command

MODULE = """
import numpy as np

def brightness(image, superpixels):
    sums = np.bincount(superpixels.ravel(), image.mean(axis=2).ravel())
    return sums / np.bincount(superpixels.ravel())
"""
FUNCTION = "cli_test_features:brightness"
ALLOW = ["--allow-import", FUNCTION]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a user's module, a network and a preset that uses both."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "cli_test_features.py").write_text(MODULE)
    (folder / "net.onnx").write_bytes(networks.pooling(4))
    groups = [
        {"kind": "colour"},
        {"kind": "function", "name": "bright", "function": FUNCTION},
        {"kind": "network", "name": "mine", "file": "net.onnx", "layers": ["pooled"]},
        {"kind": "network", "name": "deep", "layers": ["stage2"]},
    ]
    preset = {"superpixels": {"kind": "graph", "max_count": 60}, "groups": groups}
    (folder / "own.json").write_text(json.dumps(preset))
    return folder


@pytest.fixture(scope="module")
def command(place):
    plain = {"context": False, "group_classifiers": True, "borders": {"refine": False}}
    return [*train_command(place, **plain), "--preset", str(place / "own.json")]


@pytest.fixture(scope="module")
def model(place, command):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(place))
        assert run([*command, *ALLOW, "--output", str(place / "model")]) == 0
        yield place / "model"


def test_training_refuses_a_function_that_is_not_allowed(place, command, capsys):
    assert run([*command, "--output", str(place / "none")]) == 2
    printed = capsys.readouterr().err
    assert "the preset names a function to import" in printed
    assert f"--allow-import '{FUNCTION}'" in printed
    assert not (place / "none").exists()


def test_the_model_keeps_the_preset(model, place):
    document = json.loads((model / "model.json").read_text())["content"]
    names = [group.get("name", group["kind"]) for group in document["preset"]["groups"]]
    assert names == ["colour", "bright", "mine", "deep"]
    assert document["preset"]["name"] == "own"
    network = document["preset"]["groups"][2]
    assert network["file"] == str(place / "net.onnx")
    assert len(network["sha256"]) == 64
    assert json.loads((model / "scores.json").read_text())["preset"] == "own"


def test_models_are_used_only_with_permission(model, place, capsys):
    masks = ["--images", str(place / "images"), "--masks", str(place / "masks"), "--jobs", "1"]
    image = str(next(iter(sorted((place / "images").iterdir()))))
    verbs = [
        ["evaluate", "--model", str(model), *masks],
        ["segment", image, "--model", str(model), "--output", str(place / "out"), "--jobs", "1"],
        ["report", str(model), "--jobs", "1"],
    ]
    for words in verbs:
        capsys.readouterr()
        assert run(words) != 0
        assert "the model names a function to import" in capsys.readouterr().err
        assert run([*words, *ALLOW]) == 0
    assert (model / "report.html").is_file()


def test_resume_needs_permission_again(model, capsys):
    words = ["train", "--resume", "--output", str(model), "--jobs", "1"]
    before = (model / "model.json").read_bytes()
    assert run(words) == 2
    assert "--allow-import" in capsys.readouterr().err
    assert run([*words, *ALLOW]) == 0
    assert (model / "model.json").read_bytes() == before


def shown(capsys, *words):
    capsys.readouterr()
    assert run(["train", "--show-config", *words]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("preset", ["default", "fast", "classic", "paper"])
def test_show_config_prints_settings_that_can_be_read_back(preset, tmp_path, capsys):
    document = shown(capsys, "--preset", preset, "--seed", "5", "--method", "ssvm")
    assert document["seed"] == 5
    assert document["method"] == "ssvm"
    assert document["preset"]["name"] == preset
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(document))
    assert shown(capsys, "--config", str(file)) == document


def test_show_config_resolves_a_file(place, capsys):
    document = shown(capsys, "--preset", str(place / "own.json"), *ALLOW)
    assert document["preset"]["groups"][2]["file"] == str(place / "net.onnx")
    assert document["preset"]["superpixels"]["max_count"] == 60


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "must hold one JSON object"),
        ("{}", "'superpixels' to be an object"),
        ('{"base": "best"}', "preset: expected"),
        ('{"base": "paper", "groups": [{"kind": "sift"}]}', "expected a kind among"),
        ('{"base": "paper", "groups": [{"kind": "network", "file": "none.onnx"}]}', "no such file"),
    ],
)
def test_a_wrong_preset_file_is_misuse(content, message, tmp_path, capsys):
    file = tmp_path / "own.json"
    file.write_text(content)
    assert run(["train", "--preset", str(file), "--output", str(tmp_path / "model")]) == 2
    printed = capsys.readouterr().err
    assert message in printed.replace("\n", " ")
    assert "Traceback" not in printed


def test_a_missing_preset_file_is_misuse(tmp_path, capsys):
    assert run(["train", "--preset", str(tmp_path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err
