"""``segboost reproduce auc`` and ``multiclass``."""

from __future__ import annotations

import json
import os

import pytest
from sklearn.datasets import dump_svmlight_file, load_wine

from segboost.cli.main import run
from segboost.datasets.registry import DATA_VARIABLE


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A data folder with the only set of the paper that comes with scikit-learn."""
    root = tmp_path_factory.mktemp("data")
    (root / "libsvm").mkdir()
    X, y = load_wine(return_X_y=True)
    dump_svmlight_file(X, y + 1, str(root / "libsvm" / "wine.scale"), zero_based=False)
    return root


def test_auc_prints_one_object_and_resumes_from_its_cache(root, tmp_path, capsys):
    command = [
        "reproduce", "auc", "--data-root", str(root), "--set", "wine", "--quick", "--jobs", "1",
        "--output", str(tmp_path / "out"), "--cache", str(tmp_path / "cache"), "--json",
    ]  # fmt: skip
    assert run(command) == 0
    first = capsys.readouterr().out
    document = json.loads(first)
    assert document["experiment"] == "auc"
    assert document["quick"] is True
    cells = {row["row"]: row["cells"] for row in document["rows"]}
    assert cells["wine: 1-slack"]["AUC test"]["paper"]["mean"] == 0.994
    assert cells["wine: 1-slack"]["AUC test"]["ours"]["mean"] > 0.9
    # The second run has nothing to fit: even the times are those of the first.
    assert run(command) == 0
    assert capsys.readouterr().out == first
    assert run(command[:-1]) == 0
    shown = capsys.readouterr().out
    assert shown == (tmp_path / "out" / "table.txt").read_text()
    assert "wine: ranking SVM" in shown


@pytest.mark.parametrize("table", ["auc", "multiclass"])
@pytest.mark.parametrize(
    ("options", "status", "text"),
    [
        (["--set", "iris"], 2, "unknown data set 'iris'"),
        (["--jobs", "0"], 2, "--jobs"),
        (["--seed", "-1"], 2, "--seed"),
        (["--data-root", "nowhere", "--quick"], 1, "nowhere does not exist"),
        (["--set", "glass"], 1, "there is no glass in"),
    ],
)
def test_errors_are_one_line(table, options, status, text, root, tmp_path, capsys):
    command = ["reproduce", table, "--data-root", str(root), "--output", str(tmp_path), *options]
    assert run(command) == status
    printed = capsys.readouterr()
    assert printed.out == ""
    assert text in printed.err
    assert printed.err.count("\n") == 1


def test_a_file_where_the_output_belongs(root, tmp_path, capsys):
    place = tmp_path / "file"
    place.touch()
    command = ["reproduce", "auc", "--data-root", str(root), "--set", "wine", "-o", str(place)]
    assert run(command) == 2
    assert "is a file, not a folder" in capsys.readouterr().err


@pytest.mark.data
@pytest.mark.skipif(DATA_VARIABLE not in os.environ, reason="SEGBOOST_DATA is not set")
def test_multiclass_on_a_real_set(tmp_path, capsys):
    command = [
        "reproduce", "multiclass", "--set", "glass", "--quick", "--jobs", "1",
        "--output", str(tmp_path), "--json",
    ]  # fmt: skip
    assert run(command) == 0
    rows = {
        row["row"]: row["cells"]["glass"] for row in json.loads(capsys.readouterr().out)["rows"]
    }
    assert rows["StructBoost-stump"]["paper"] == {"mean": 35.8, "deviation": 6.2}
    # Always guessing the largest class is wrong for 64 % of the rows.
    assert all(cell["ours"]["mean"] < 55 for cell in rows.values() if cell["ours"])
