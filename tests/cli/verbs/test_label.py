"""``segboost label``: what it refuses, in one line."""

from __future__ import annotations

import sys

import pytest

from segboost.cli.main import run
from segboost.pipelines.runtime.folder_lock import FolderLock
from tests.label.folders import tiny_settings, write_images

pytest.importorskip("uvicorn", reason="the extra label is not installed")


def refused(capsys, *arguments):
    status = run(["label", *map(str, arguments)])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return status, captured.err


def test_a_folder_with_images_is_needed(capsys, tmp_path):
    status, told = refused(capsys, tmp_path / "nowhere")
    assert status == 2
    assert "does not exist" in told
    status, told = refused(capsys, tmp_path)
    assert status == 2
    assert "no image files" in told


def test_settings_are_checked(capsys, tmp_path):
    write_images(tmp_path / "images", 1)
    settings = tmp_path / "settings.json"
    for text, reason in (
        ("{", "not JSON"),
        ('{"unary": {"stumps": 1}}', "no key"),
        ('{"method": "svm", "preset": "classic"}', "structboost or ssvm"),
    ):
        settings.write_text(text)
        status, told = refused(capsys, tmp_path / "images", "--config", settings)
        assert status == 2
        assert reason in told
    assert not (tmp_path / "images" / "segboost-label").exists()


def test_a_port_that_is_taken_is_named(capsys, tmp_path):
    from segboost.label.serve import _listen

    write_images(tmp_path, 1)
    with _listen(0) as listening:
        port = listening.getsockname()[1]
        status, told = refused(capsys, tmp_path, "--port", port)
    assert status == 1
    assert f"port {port} is already in use" in told


def test_one_server_a_folder(capsys, tmp_path):
    write_images(tmp_path / "images", 1)
    settings = tiny_settings(tmp_path / "settings.json")
    with FolderLock(tmp_path / "images" / "segboost-label"):
        status, told = refused(capsys, tmp_path / "images", "--config", settings)
    assert status == 1
    assert "in use by process" in told


def test_the_missing_extra_is_named(capsys, tmp_path, monkeypatch):
    write_images(tmp_path, 1)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    status, told = refused(capsys, tmp_path)
    assert status == 2
    assert "pip install 'segboost[label]'" in told
