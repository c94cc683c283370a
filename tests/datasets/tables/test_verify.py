"""Verification of LIBSVM sets: complete sets, missing files, the command."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from segboost.cli.main import run
from segboost.datasets.tables.libsvm_sets import LIBSVM_SETS, LibsvmSet
from segboost.datasets.tables.verify import find_sets, verify_libsvm


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setitem(LIBSVM_SETS, "wine", LibsvmSet(6, 2, 3))
    (tmp_path / "libsvm").mkdir()
    X = np.array([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [0, 1]], dtype=float)
    file = str(tmp_path / "libsvm" / "wine.scale")
    dump_svmlight_file(X, np.array([1, 2, 3, 1, 2, 1]), file, zero_based=False)
    return tmp_path


def test_a_sound_set_with_duplicate_rows(root):
    report = verify_libsvm(root, "wine")
    assert report.usable
    assert report.size == "6 rows, 2 features, 3 classes"
    assert [f.text for f in report.findings] == ["duplicate rows: 1"]


def test_missing_and_broken_sets(root):
    assert find_sets(root) == ["wine"]
    assert find_sets(root / "elsewhere") == list(LIBSVM_SETS)
    assert not verify_libsvm(root, "glass").usable
    (root / "libsvm" / "wine.scale").write_text("1 1:x\n")
    report = verify_libsvm(root, "wine")
    assert not report.usable
    assert "line 1: expected index:value" in report.findings[0].text


def test_the_command(root, capsys):
    command = ["datasets", "verify", "libsvm", "--data-root", str(root)]
    assert run(command) == 0
    assert "libsvm/wine: 6 rows, 2 features, 3 classes, 0 missing" in capsys.readouterr().out
    assert run([*command, "--category", "glass"]) == 1
    assert run([*command, "--category", "iris"]) == 2
    assert "choose one of wine, glass" in capsys.readouterr().err
    assert run(["datasets", "verify", "sun8", "--data-root", str(root)]) == 1
    assert run(["train", "--dataset", "libsvm"]) == 2
