"""``segboost label``: invalid input is refused in one line."""

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
    status, printed = refused(capsys, tmp_path / "nowhere")
    assert status == 2
    assert "does not exist" in printed
    status, printed = refused(capsys, tmp_path)
    assert status == 2
    assert "no image files" in printed


def test_settings_are_checked(capsys, tmp_path):
    write_images(tmp_path / "images", 1)
    settings = tmp_path / "settings.json"
    for text, reason in (
        ("{", "not JSON"),
        ('{"unary": {"stumps": 1}}', "no key"),
        ('{"method": "svm", "preset": "classic"}', "structboost or ssvm"),
    ):
        settings.write_text(text)
        status, printed = refused(capsys, tmp_path / "images", "--config", settings)
        assert status == 2
        assert reason in printed
    assert not (tmp_path / "images" / "segboost-label").exists()


def test_a_port_that_is_taken_is_named(capsys, tmp_path):
    from segboost.label.serve import _listen

    write_images(tmp_path, 1)
    with _listen(0) as listening:
        port = listening.getsockname()[1]
        status, printed = refused(capsys, tmp_path, "--port", port)
    assert status == 1
    assert f"port {port} is already in use" in printed


def test_one_server_per_folder(capsys, tmp_path):
    write_images(tmp_path / "images", 1)
    settings = tiny_settings(tmp_path / "settings.json")
    with FolderLock(tmp_path / "images" / "segboost-label"):
        status, printed = refused(capsys, tmp_path / "images", "--config", settings)
    assert status == 1
    assert "in use by process" in printed


def test_the_missing_extra_is_named(capsys, tmp_path, monkeypatch):
    write_images(tmp_path, 1)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    status, printed = refused(capsys, tmp_path)
    assert status == 2
    assert "pip install 'segboost[label]'" in printed


def test_damaged_classes_are_named(capsys, tmp_path):
    write_images(tmp_path / "images", 1)
    (tmp_path / "images" / "segboost-label").mkdir()
    (tmp_path / "images" / "segboost-label" / "classes.json").write_text("{")
    _, printed = refused(capsys, tmp_path / "images", "--no-browser")
    assert "classes.json" in printed
    assert "correct or remove the file" in printed


def test_a_browser_opens_only_if_there_is_a_display(monkeypatch):
    import threading
    import webbrowser

    from segboost.cli.verbs.label import open_page

    opened, seen = [], threading.Event()

    def note(address):
        opened.append(address)
        seen.set()

    monkeypatch.setattr(webbrowser, "open", note)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    open_page("http://127.0.0.1:1/a/")
    monkeypatch.setenv("DISPLAY", ":0")
    open_page("http://127.0.0.1:1/b/")
    assert seen.wait(30)
    assert opened == ["http://127.0.0.1:1/b/"]
