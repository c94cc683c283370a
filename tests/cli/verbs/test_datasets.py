from __future__ import annotations

import json

import pytest

from segboost.cli.main import run
from tests.datasets.files import graz, photograph, save, square


@pytest.fixture
def folders(tmp_path):
    for i, name in enumerate("abc"):
        save(photograph(i), tmp_path / "images" / f"{name}.png")
        save(square(255), tmp_path / "masks" / f"{name}.png")
    return ["--images", str(tmp_path / "images"), "--masks", str(tmp_path / "masks")]


def test_list(capsys):
    assert run(["datasets", "list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "synthetic",
        "graz02",
        "synthetic-classes",
        "camvid",
        "folders",
        "libsvm",
        "sun8",
        "otb",
    ]
    assert run(["datasets", "list", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["datasets"]) == 8


def test_info(capsys):
    assert run(["datasets", "info", "graz02"]) == 0
    assert "bike, car, people" in capsys.readouterr().out
    assert run(["datasets", "info", "graz02", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["categories"] == ["bike", "car", "people"]


def test_verify_reports_a_sound_set(folders, capsys):
    assert run(["datasets", "verify", "folders", *folders]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "0 missing or broken, 0 suspicious: usable" in printed.out


def test_verify_names_broken_files_and_fails(folders, tmp_path, capsys):
    (tmp_path / "masks" / "b.png").write_bytes(b"")
    assert run(["datasets", "verify", "folders", *folders]) == 1
    printed = capsys.readouterr()
    assert "missing  b: mask: " in printed.out
    assert "1 missing or broken, 0 suspicious: not usable" in printed.out


def test_json_is_one_object_and_nothing_else(folders, tmp_path, capsys):
    (tmp_path / "masks" / "b.png").unlink()
    assert run(["datasets", "verify", "folders", *folders, "--json"]) == 1
    printed = capsys.readouterr()
    answer = json.loads(printed.out)
    assert printed.err == ""
    assert answer["usable"] is False
    (finding,) = answer["datasets"][0]["findings"]
    assert finding["name"] == "b.png"
    assert finding["level"] == "missing"


def test_verify_looks_at_every_category(tmp_path, capsys):
    graz(tmp_path / "bikes", count=3)
    assert run(["datasets", "verify", "graz02", "--data-root", str(tmp_path), "--json"]) == 1
    parts = json.loads(capsys.readouterr().out)["datasets"]
    assert [part["dataset"] for part in parts] == ["graz02/bike", "graz02/car", "graz02/people"]
    assert len(parts[0]["findings"]) == 297


def test_the_environment_variable_sets_the_data_root(tmp_path, capsys, monkeypatch):
    graz(tmp_path / "bikes")
    monkeypatch.setenv("SEGBOOST_DATA", str(tmp_path))
    assert run(["datasets", "verify", "graz02", "--category", "bike"]) == 0
    assert "150 training and 150 test images" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["info", "imagenet"], "choose one of synthetic"),
        (["verify", "imagenet"], "choose one of synthetic"),
        (["verify", "folders"], "--images DIR and --masks DIR"),
        (["verify", "synthetic", "--images", "x"], "does not take --images"),
        (["verify", "graz02", "--category", "horse"], "choose one of bike, car, people"),
        (["verfy", "graz02"], "'verify'"),
    ],
)
def test_misuse_is_one_line_and_status_2(arguments, hint, capsys):
    assert run(["datasets", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert hint in printed.err


def test_no_data_folder_is_one_line_and_status_1(monkeypatch, capsys):
    monkeypatch.delenv("SEGBOOST_DATA", raising=False)
    assert run(["datasets", "verify", "graz02"]) == 1
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert "--data-root" in printed.err
