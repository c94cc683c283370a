import json

import numpy as np
import pytest
from sklearn.datasets import load_wine

from segboost.pipelines.experiments.methods.auc_methods import (
    DEFAULT,
    FORMS,
    RANKBOOST,
    RANKING_SVM,
)
from segboost.pipelines.experiments.reproduce.reproduce_auc import (
    COLUMNS,
    first_against_rest,
    reproduce_auc,
)
from segboost.progress import QuietProgress


def tables():
    X, y = load_wine(return_X_y=True)
    return {"wine": (X[::2, :5], y[::2] + 3)}


def run(folder, n_jobs=1, **options):
    return reproduce_auc(
        tables(), folder, folder / "cache", n_jobs, QuietProgress(), quick=True, **options
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("auc")
    return folder, run(folder)


def by_row(result):
    return {row["row"]: row["cells"] for row in result.to_document()["rows"]}


def test_rows_and_columns(done):
    _, result = done
    rows = by_row(result)
    assert list(rows) == [f"wine: {m}" for m in (*FORMS, DEFAULT, RANKBOOST, RANKING_SVM)]
    assert all(set(cells) == set(COLUMNS) for cells in rows.values())
    paper = rows["wine: 1-slack"]["AUC test"]["paper"]
    assert paper == {"mean": 0.994, "deviation": 0.006}
    assert rows["wine: m-slack"]["CPU s"]["paper"]["mean"] == 13
    assert rows["wine: StructBoost"]["AUC test"]["paper"] is None
    assert all(0.8 <= cells["AUC test"]["ours"]["mean"] <= 1 for cells in rows.values())


def test_the_forms_have_one_optimum(done):
    """At one C the three forms solve the same problem; the generated columns may differ."""
    _, result = done
    rows = by_row(result)
    for form in (*FORMS, DEFAULT):
        assert rows[f"wine: {form}"]["gap"]["ours"]["mean"] <= 1e-2
    prices = {c.candidate["C"] for c in result.chosen if c.method in (*FORMS, DEFAULT)}
    assert len(prices) == 1
    objectives = [rows[f"wine: {f}"]["objective"]["ours"]["mean"] for f in (*FORMS, DEFAULT)]
    assert np.ptp(objectives) <= 0.03 * max(objectives)


def test_files(done):
    folder, result = done
    assert json.loads((folder / "table.json").read_text()) == result.to_document()
    names = {p.name for p in folder.iterdir()}
    for stem in ("objective", "time", "test-auc"):
        assert {f"{stem}.png", f"{stem}.svg"} <= names
    assert {"table.md", "table.txt", "choices.json", "cache"} <= names
    assert not [n for n in names if n.endswith(".tmp")]


def test_too_many_pairs(done, tmp_path):
    _, full = done
    result = run(tmp_path, n_jobs=2, most_pairs=100)
    rows = {row["row"]: row for row in result.to_document()["rows"]}
    assert rows["wine: m-slack"]["cells"]["AUC test"]["ours"] is None
    assert rows["wine: m-slack"]["cells"]["AUC test"]["paper"]["mean"] == 0.994
    assert "pairs of training examples" in rows["wine: m-slack"]["note"]
    # Two jobs, the same figures.
    others = [c for c in full.chosen if c.method != "m-slack"]
    for a, b in zip(others, result.chosen, strict=True):
        assert (a.method, a.result.measures, a.result.details) == (
            b.method, b.result.measures, b.result.details,
        )  # fmt: skip


def test_first_class_against_the_rest():
    assert first_against_rest(np.array([5, 3, 3, 7])).tolist() == [0, 1, 1, 0]
