"""segboost fit and predict: every task and format, and messages for misuse."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil

import numpy as np
import pytest

import segboost
from segboost.cli.main import run
from segboost.cli.verbs.fit import MOST_C
from segboost.pipelines.tables.model import TABLE
from segboost.solver.options import LARGEST_C

FAST = ["--iterations", "8", "--jobs", "1"]


def blobs(n: int = 60, d: int = 3, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return classes that are well separated along the first feature."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    X = rng.normal(size=(n, d))
    X[:, 0] += 6 * y
    return X, y


def write_csv(path, X, labels, header=("u", "v", "w", "class")):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([*row, label] for row, label in zip(X.tolist(), labels, strict=True))
    return str(path)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a table of three named classes and a model fitted to it."""
    place = tmp_path_factory.mktemp("tables")
    X, y = blobs()
    write_csv(place / "train.csv", X, np.array(["low", "mid", "top"])[y])
    arguments = ["fit", str(place / "train.csv"), "--C", "100", "-o", str(place / "model")]
    assert run([*arguments, *FAST]) == 0
    return place


def predicted(place, file, capsys, *options, model="model"):
    capsys.readouterr()
    assert run(["predict", "--model", str(place / model), str(file), "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_fit_writes_an_ordinary_model_folder(place):
    model = segboost.load_model(place / "model")
    X, y = blobs()
    names = np.array(["low", "mid", "top"])[y]
    assert model.score(X, names) == 1.0
    assert isinstance(model, segboost.StructBoostClassifier)


def test_predictions_and_measures(place, capsys):
    found = predicted(place, place / "train.csv", capsys, "--scores")
    X, y = blobs()
    assert found["predictions"] == np.array(["low", "mid", "top"])[y].tolist()
    assert found["measures"] == {"error": 0.0}
    assert found["n_rows"] == 60
    assert found["score_names"] == ["low", "mid", "top"]
    model = segboost.load_model(place / "model")
    np.testing.assert_allclose(found["scores"], model.decision_function(X))


def test_predictions_as_csv(place, tmp_path, capsys):
    capsys.readouterr()
    command = ["predict", "--model", str(place / "model"), str(place / "train.csv")]
    assert run(command) == 0
    printed = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(printed.out)))
    assert [row["prediction"] for row in rows] == [row["label"] for row in rows]
    assert "error (share of wrong predictions): 0.0000" in printed.err
    assert run([*command, "--output", str(tmp_path / "p.csv"), "--scores"]) == 0
    kept = list(csv.DictReader(io.StringIO((tmp_path / "p.csv").read_text())))
    assert [row["prediction"] for row in kept] == [row["prediction"] for row in rows]
    assert set(kept[0]) == {"row", "prediction", "label", "score low", "score mid", "score top"}
    assert "60 predictions written to" in capsys.readouterr().out


def test_rows_without_labels_are_predicted_not_measured(place, tmp_path, capsys):
    X, y = blobs()
    (tmp_path / "new.csv").write_text("\n".join(",".join(map(str, row)) for row in X.tolist()))
    found = predicted(place, tmp_path / "new.csv", capsys)
    assert found["predictions"] == np.array(["low", "mid", "top"])[y].tolist()
    assert found["measures"] is None
    assert "no labels" in found["note"]


def test_labels_that_the_model_does_not_know(place, tmp_path, capsys):
    X, y = blobs()
    labels = np.array(["low", "mid", "odd"])[y]
    found = predicted(place, write_csv(tmp_path / "a.csv", X, labels), capsys)
    assert found["measures"] == {"error": 0.0}
    assert "(odd, …) are not measured: 20 rows" in found["note"]
    found = predicted(place, write_csv(tmp_path / "a.csv", X, y), capsys)
    assert found["measures"] is None


def test_c_is_chosen_on_validation_rows_and_the_final_fit_uses_all(place, tmp_path, capsys):
    arguments = ["fit", str(place / "train.csv"), "--iterations", "3", "--seed", "3"]
    assert run([*arguments, "--jobs", "1", "-o", str(tmp_path / "one")]) == 0
    printed = capsys.readouterr().out
    assert "was chosen on 15 validation rows; the final model was trained on all 60" in printed
    assert printed.count("validation error") == 3
    assert run([*arguments, "--jobs", "2", "-o", str(tmp_path / "two")]) == 0
    training = json.loads((tmp_path / "one" / TABLE).read_text())["training"]
    best = min(t["measures"]["error"] for t in training["trials"])
    chosen = next(t for t in training["trials"] if t["C"] == training["C"])
    assert chosen["measures"]["error"] == best
    ones, twos = (segboost.load_model(tmp_path / name) for name in ("one", "two"))
    assert ones.get_params() == twos.get_params()
    assert training["C"] == ones.C
    np.testing.assert_array_equal(ones.ensemble_.weights, twos.ensemble_.weights)
    X, _ = blobs()
    np.testing.assert_array_equal(ones.decision_function(X), twos.decision_function(X))


@pytest.mark.parametrize("learner", ["stump", "tree", "perceptron", "svm", "sigmoid"])
def test_every_weak_learner(place, tmp_path, capsys, learner):
    options = ["--weak-learner", learner, "--C", "50", "--iterations", "3", "--jobs", "1"]
    assert run(["fit", str(place / "train.csv"), *options, "-o", str(tmp_path / "m")]) == 0
    assert predicted(tmp_path, place / "train.csv", capsys, model="m")["measures"]["error"] < 0.2


def test_auc_of_a_libsvm_file_whose_test_file_ends_earlier(tmp_path, capsys):
    X, y = blobs()
    lines = [
        f"{c} " + " ".join(f"{q + 1}:{v}" for q, v in enumerate(row))
        for c, row in zip(y, X.tolist(), strict=True)
    ]
    (tmp_path / "train.libsvm").write_text("\n".join(lines))
    options = ["--task", "auc", "--positive", "2", "--C", "10", *FAST]
    assert run(["fit", str(tmp_path / "train.libsvm"), *options, "-o", str(tmp_path / "m")]) == 0
    found = predicted(tmp_path, tmp_path / "train.libsvm", capsys, model="m")
    assert found["measures"] == {"auc": 1.0}
    model = segboost.load_model(tmp_path / "m")
    np.testing.assert_allclose(found["predictions"], model.predict(X))
    # The third feature is zero in all rows of this file, so LIBSVM leaves it out.
    short = [" ".join(line.split()[:3]) for line in lines]
    (tmp_path / "test.libsvm").write_text("\n".join(short))
    found = predicted(tmp_path, tmp_path / "test.libsvm", capsys, model="m")
    padded = np.column_stack([X[:, :2], np.zeros(len(X))])
    np.testing.assert_allclose(found["predictions"], model.predict(padded))


def test_ordinal_with_text_in_a_given_order(tmp_path, capsys):
    X, y = blobs()
    labels = np.array(["small", "large", "huge"])[y]
    file = write_csv(tmp_path / "a.csv", X, labels)
    options = ["--task", "ordinal", "--ranks", "small,large,huge", "--C", "100", *FAST]
    assert run(["fit", file, *options, "-o", str(tmp_path / "m")]) == 0
    found = predicted(tmp_path, file, capsys, model="m")
    assert found["predictions"] == labels.tolist()
    assert found["measures"] == {"mae": 0.0, "error": 0.0}
    # Of 60 predictions, one is wrong by two ranks and one by one rank.
    labels[0], labels[1] = "huge", "small"
    found = predicted(tmp_path, write_csv(tmp_path / "b.csv", X, labels), capsys, model="m")
    assert found["measures"] == pytest.approx({"mae": 3 / 60, "error": 2 / 60})


def test_hierarchy_of_numbered_classes_in_an_npz_file(tmp_path, capsys):
    X, y = blobs(80, 3, 4)
    np.savez(tmp_path / "a.npz", X=X, y=y)
    (tmp_path / "tree.json").write_text('{"all": {"left": ["0", "1"], "right": [2, 3]}}')
    options = ["--task", "hierarchy", "--taxonomy", str(tmp_path / "tree.json"), "--C", "100"]
    command = ["fit", str(tmp_path / "a.npz"), *options, *FAST, "-o", str(tmp_path / "m")]
    assert run(command) == 0
    found = predicted(tmp_path, tmp_path / "a.npz", capsys, model="m")
    assert found["measures"] == {"tree_loss": 0.0, "error": 0.0}
    wrong = y.copy()
    wrong[0], wrong[1] = 1, 2  # heights 1 and 2
    np.savez(tmp_path / "b.npz", X=X, y=wrong)
    found = predicted(tmp_path, tmp_path / "b.npz", capsys, model="m")
    assert found["measures"] == pytest.approx({"tree_loss": 3 / 80, "error": 2 / 80})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.csv"], "missing.csv: there is no such file"),
        (["train.csv", "--task", "regression"], "'regression': choose one of multiclass, auc"),
        (["train.csv", "--weak-learner", "forest"], "'forest': choose one of auto, stump"),
        (["train.csv", "--C", "-1"], "expected a finite number above 0"),
        (["train.csv", "--C", "nan"], "expected a finite number above 0"),
        (["train.csv", "--C", "1e100"], r"above 0, at most 1e\+15, got 1e\+100"),
        (["train.csv", "--label", "colour"], "no column 'colour'"),
        (["train.csv", "--label", "u"], "is not a class: expected whole numbers or text"),
        (["train.csv", "--task", "auc"], "say with --positive LABEL"),
        (["train.csv", "--task", "auc", "--positive", "x"], "no label 'x' among low, mid, top"),
        (["train.csv", "--positive", "low"], "--positive belongs to --task auc"),
        (["train.csv", "--ranks", "low,mid"], "--ranks belong to --task ordinal"),
        (["train.csv", "--task", "ordinal"], "order with --ranks"),
        (["train.csv", "--task", "ordinal", "--ranks", "low,mid"], "--ranks leave out top"),
        (["train.csv", "--task", "ordinal", "--ranks", "low,low,mid"], "name a label twice"),
        (["train.csv", "--task", "hierarchy"], "--task hierarchy needs --taxonomy"),
        (["train.csv", "--taxonomy", "t.csv"], "--task multiclass does not take --taxonomy"),
        (["train.csv", "--task", "hierarchy", "--taxonomy", "t.csv"], "no leaf for .* 'top'"),
        (["train.csv", "--task", "hierarchy", "--taxonomy", "loop.csv"], "cycle through 'a'"),
        (["one.csv"], "all labels are 'a'"),
        (["few.csv"], "3 rows are too few to choose C on"),
        (["real.csv"], "the label 0.5 is not a class"),
        (["bare.libsvm"], "bare.libsvm has no labels"),
        (["bad.csv"], "line 2, column 1: expected a finite number, got 'x'"),
        (["train.csv", "--output", "train.csv"], "is a file, not a folder"),
    ],
)
def test_misuse_of_fit_is_one_line_and_status_2(
    place, tmp_path, monkeypatch, capsys, arguments, message
):
    files = {
        "train.csv": (place / "train.csv").read_text(),
        "t.csv": "low,a\nmid,a\na,all\n",
        "loop.csv": "a,b\nb,a\n",
        "one.csv": "1,a\n2,a\n",
        "few.csv": "1,a\n2,a\n3,b\n",
        "real.csv": "1,0.5\n2,1\n3,1\n",
        "bare.libsvm": "1:1\n1:2\n",
        "bad.csv": "1,a\nx,b\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert run(["fit", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert re.search(message, printed.err)
    assert not (tmp_path / "models").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.rename(d.with_name("gone")), "does not exist: run segboost fit"),
        (lambda d: (d / TABLE).unlink(), "is not a table model"),
        (lambda d: (d / TABLE).write_text("{"), "cannot be read"),
        (lambda d: (d / TABLE).write_text("[" * 100000), "cannot be read"),
        (lambda d: (d / TABLE).write_text("{}"), "not written by segboost"),
        (lambda d: edit(d, schema=99), "another version"),
        (lambda d: edit(d, columns={}), "edited or damaged"),
        (lambda d: edit(d, labels={"task": "magic", "values": {}}), "edited or damaged"),
        (lambda d: edit(d, model="0"), "belongs to another model"),
        (lambda d: (d / "model.json").unlink(), "is not a model folder: it has no model.json"),
    ],
)
def test_damaged_models_are_one_line_and_status_2(place, tmp_path, capsys, change, message):
    shutil.copytree(place / "model", tmp_path / "m")
    change(tmp_path / "m")
    capsys.readouterr()
    assert run(["predict", "--model", str(tmp_path / "m"), str(place / "train.csv")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert message in printed.err


def edit(folder, **entries):
    path = folder / TABLE
    path.write_text(json.dumps({**json.loads(path.read_text()), **entries}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,3,4,5\n", "has 5 columns, expected 3 features"),
        ("u,v,class\n1,2,a\n", "lacks 1 of the model's features: 'w'"),
        ("1 4:1\n", "has 2 columns, expected 3 features"),
    ],
)
def test_files_with_other_features_are_refused(place, tmp_path, capsys, text, message):
    (tmp_path / "a.csv").write_text(text)
    assert run(["predict", "--model", str(place / "model"), str(tmp_path / "a.csv")]) == 2
    assert message in capsys.readouterr().err


def test_the_maximum_of_c_is_that_of_the_solver():
    assert MOST_C == LARGEST_C
