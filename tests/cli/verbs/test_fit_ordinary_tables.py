"""segboost fit and predict on everyday tables: ids, missing values, categories, unusual labels."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from segboost.cli.main import run
from segboost.datasets.tables.table import read_table

FAST = ["--C", "50", "--iterations", "4", "--jobs", "1"]
HEAD = "customer,age,colour,note,class\n"


def rows(n=40):
    rng = np.random.default_rng(0)
    for i in range(n):
        kind = i % 2
        age = "" if i % 5 == 0 else f"{rng.normal() + 4 * kind:.3f}"
        yield f"{1000 + i},{age},{('red', 'blue')[kind]},free text {i},{('no', 'yes')[kind]}\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("ordinary")
    (place / "train.csv").write_text(HEAD + "".join(rows()))
    return place


def fit(place, *options, file="train.csv", model="m"):
    return run(["fit", str(place / file), *options, *FAST, "-o", str(place / model)])


def test_the_roles_of_the_columns_are_reported(place, capsys):
    assert fit(place, "--ignore", "note", "--id", "customer") == 0
    printed = capsys.readouterr()
    assert "label column: 5 (class), because of its name" in printed.out
    assert "id column: customer" in printed.out
    assert "categories (number of values): colour (2)" in printed.out
    assert "missing values (number of rows): age (8)" in printed.out
    assert printed.err == ""
    assert fit(place, "--ignore", "note,colour") == 0
    assert "'customer' looks like a row number or id" in capsys.readouterr().err
    assert fit(place) == 2
    assert "--ignore 'note'" in capsys.readouterr().err


def test_ids_are_carried_into_the_predictions(place, tmp_path, capsys):
    assert fit(place, "--ignore", "note", "--id", "customer") == 0
    (place / "new.csv").write_text(
        "colour,age,customer,seen\nred,,A7,x\ngreen,4.5,A8,y\nblue,NA,A9,z\n"
    )
    capsys.readouterr()
    command = ["predict", "--model", str(place / "m"), str(place / "new.csv")]
    assert run(command) == 0
    printed = capsys.readouterr()
    found = list(csv.DictReader(io.StringIO(printed.out)))
    assert [row["id customer"] for row in found] == ["A7", "A8", "A9"]
    assert [row["prediction"] for row in found][::2] == ["no", "yes"]
    assert "columns that the model does not know are ignored: 'seen'" in printed.err
    for _ in range(2):  # an earlier result is recognised and replaced
        assert run([*command, "-o", str(tmp_path / "p.csv"), "--scores"]) == 0
    capsys.readouterr()
    assert run([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ids"] == ["A7", "A8", "A9"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a.csv", "label column: 2, because it is the last column"),
        ("b.npz", "labels: arrays of this name hold labels"),
    ],
)
def test_labels_that_numpy_writes_as_floats_become_whole_numbers(tmp_path, capsys, name, found):
    y = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 1)) + 9 * y[:, None]
    np.savetxt(tmp_path / "a.csv", np.column_stack([X, y]), delimiter=",")
    np.savez(tmp_path / "b.npz", X=X, y=y.astype(float))
    assert fit(tmp_path, file=name) == 0
    assert found in capsys.readouterr().out
    command = ["predict", "--model", str(tmp_path / "m"), str(tmp_path / name)]
    assert run([*command, "--json"]) == 0
    predictions = json.loads(capsys.readouterr().out)["predictions"]
    assert list(map(repr, predictions)) == ["0", "1"] * 20
    assert run(command) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["prediction"], row["label"]) for row in rows] == [("0", "0"), ("1", "1")] * 20


def test_a_continuous_label_is_questioned(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 1000, (60, 3))
    np.savetxt(tmp_path / "a.csv", X, delimiter=",", fmt="%d")
    assert fit(tmp_path, "--iterations", "1", file="a.csv") == 0
    assert "is this the label column? Name it with --label" in capsys.readouterr().err


def test_decimal_commas_are_kept_for_predictions(tmp_path, capsys):
    text = "x;class\n" + "".join(f"{i % 2 * 3},{i};{'ab'[i % 2]}\n" for i in range(30))
    (tmp_path / "a.csv").write_text(text)
    assert fit(tmp_path, file="a.csv") == 2
    assert "--decimal ," in capsys.readouterr().err
    assert fit(tmp_path, "--decimal", ",", file="a.csv") == 0
    (tmp_path / "point.csv").write_text("x,class\n0.5,a\n3.5,b\n")
    for name, options in (("a.csv", []), ("point.csv", ["--decimal", "."])):
        capsys.readouterr()
        command = ["predict", "--model", str(tmp_path / "m"), str(tmp_path / name), "--json"]
        assert run([*command, *options]) == 0
        assert json.loads(capsys.readouterr().out)["measures"] == {"error": 0.0}


def test_the_same_fit_gives_the_same_bytes(place):
    for name in ("one", "two"):
        assert fit(place, "--ignore", "note", "--id", "customer", model=name) == 0
    ones, twos = (sorted((place / name).iterdir()) for name in ("one", "two"))
    assert [p.name for p in ones] == [p.name for p in twos]
    assert [p.read_bytes() for p in ones] == [p.read_bytes() for p in twos]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ignore", "size"], "no column 'size'"),
        (["--id", "class"], "the label column 5 is left out"),
        (["--decimal", "x"], "choose one of ., ,"),
    ],
)
def test_misuse(place, capsys, arguments, message):
    assert fit(place, *arguments, model="none") == 2
    assert message in capsys.readouterr().err


def test_numbers_too_large_to_sum_up_are_misuse(tmp_path, capsys):
    lines = [f"{1e300 * (i % 2)},{('red', 'blue')[i % 2]},{i % 2}\n" for i in range(12)]
    (tmp_path / "t.csv").write_text("size,colour,class\n" + "".join(lines))
    assert fit(tmp_path, file="t.csv") == 2
    printed = capsys.readouterr().err
    assert "size has values beyond ±1e+100" in printed
    assert len(printed.strip().splitlines()) == 1


def test_a_sparse_libsvm_file_stays_sparse(tmp_path, capsys):
    rng = np.random.default_rng(0)
    lines = []
    for i in range(120):
        words = sorted({i % 2 + 1, *rng.integers(3, 20_000, 8).tolist(), 20_000})
        lines.append(f"{i % 2} " + " ".join(f"{w}:1" for w in words) + "\n")
    (tmp_path / "t.libsvm").write_text("".join(lines))
    assert read_table(tmp_path / "t.libsvm").X.format == "csc"
    assert run(["fit", str(tmp_path / "t.libsvm"), "--jobs", "1", "-o", str(tmp_path / "m")]) == 0
    capsys.readouterr()
    assert (
        run(["predict", "--model", str(tmp_path / "m"), str(tmp_path / "t.libsvm"), "--json"]) == 0
    )
    assert json.loads(capsys.readouterr().out)["measures"]["error"] < 0.1


def test_the_label_column_is_named_if_its_values_are_not_classes(place, capsys):
    (place / "first.csv").write_text("kind,a,b\nu,1,0.5\nv,2,1.5\n")
    assert fit(place, file="first.csv") == 2
    error = capsys.readouterr().err
    assert "label column: 3 (b), because it is the last column; name another with --label" in error


def test_labels_that_look_measured_cause_a_note_and_no_library_warning(place, capsys, recwarn):
    lines = [f"{i % 7},{i % 5},{1000 + 7 * i}" for i in range(40)]
    (place / "prices.csv").write_text("a,b,price\n" + "\n".join(lines))
    assert fit(place, file="prices.csv", model="prices") == 0
    assert "looks like a measurement" in capsys.readouterr().err
    assert not recwarn.list


@pytest.mark.parametrize(
    ("label", "note"),
    [
        ("n{}", "the labels are 40 different texts in 40 rows, too many for classes"),
        ("{} Jan 2024", "the label '1 Jan 2024' is a date: is this the label column?"),
    ],
)
def test_text_labels_that_do_not_look_like_classes_cause_a_message(place, capsys, label, note):
    lines = [f"{i % 7},{label.format(1 + i % 31 if 'Jan' in label else i)}" for i in range(40)]
    (place / "texts.csv").write_text("a,b\n" + "\n".join(lines))
    assert fit(place, file="texts.csv", model="texts") == 0
    assert f"note: {note}" in capsys.readouterr().err
