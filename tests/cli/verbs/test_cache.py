"""segboost cache: its output, and that it touches nothing but caches."""

from __future__ import annotations

import json
import os
import time

import numpy as np
import pytest

from segboost.cli.main import run
from segboost.pipelines.runtime.artefact_store import Artefact, ArtefactStore, KeyParts
from segboost.pipelines.runtime.folder_lock import FolderLock


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "models" / "bike"
    store = ArtefactStore(folder / "cache")
    for number in range(2):
        store.put("crf", KeyParts({"n": number}), Artefact({"a": np.arange(99)}))
    old = store.path("crf", KeyParts({"n": 0}))
    then = time.time() - 10 * 86400
    os.utime(old, (then, then))
    (folder / "model.json").write_text("{}")
    return folder


def test_show_looks_in_the_models_folder_by_default(model, capsys):
    assert run(["cache", "show"]) == 0
    printed = capsys.readouterr().out
    assert "models/bike/cache: 2 files" in printed
    assert "0.0 to 10.0 days old" in printed
    assert run(["cache", "show", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["caches"]
    assert (found["files"], found["stages"]["crf"]["files"]) == (2, 2)
    assert found["oldest_days"] == pytest.approx(10, abs=0.01)


def test_clean_by_age_then_all(model, capsys):
    assert run(["cache", "clean", "--older-than", "5", "--dry-run"]) == 0
    assert "would remove 1 file," in capsys.readouterr().out
    assert len(list(model.glob("cache/crf/*.npz"))) == 2
    assert run(["cache", "clean", str(model), "--older-than", "5"]) == 0
    assert len(list(model.glob("cache/crf/*.npz"))) == 1
    assert run(["cache", "clean", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out.splitlines()[-1])["caches"]
    assert found["files"] == 1
    assert (model / "model.json").exists()


def test_a_running_job_is_not_disturbed(model, capsys):
    with FolderLock(model):
        assert run(["cache", "clean"]) == 1
    printed = capsys.readouterr().err
    assert f"process {os.getpid()}" in printed
    assert printed.count("\n") == 1
    assert len(list(model.glob("cache/crf/*.npz"))) == 2


def test_no_caches_and_no_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["cache", "show"]) == 0
    assert "no caches found" in capsys.readouterr().out
    assert run(["cache", "clean", "nowhere"]) == 2
    assert "nowhere does not exist" in capsys.readouterr().err
