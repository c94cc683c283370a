import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from segboost.pipelines.experiments.methods import multiclass_methods
from segboost.pipelines.experiments.methods.multiclass_methods import LEARNERS
from segboost.pipelines.experiments.protocol.table_method import TableMethod
from segboost.pipelines.experiments.protocol.table_protocol import Protocol, run_protocol
from segboost.pipelines.experiments.published.paper_tables import PAPER_ERRORS
from segboost.pipelines.experiments.reproduce import reproduce_multiclass
from segboost.progress import QuietProgress

FILES = ("table.json", "table.md", "table.txt", "choices.json")
CURVES = ("test-error.png", "test-error.svg", "objective.png", "objective.svg")


def tables():
    X, y = load_iris(return_X_y=True)
    # Only the name is that of a set in the paper, whose figures must appear beside ours.
    return {"glass": (X, np.array(["a", "b", "c"])[y])}


def run(folder, n_jobs=1):
    return reproduce_multiclass.reproduce_multiclass(
        tables(), folder, folder / "cache", n_jobs, QuietProgress(), quick=True
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("multiclass")
    return folder, run(folder)


def test_every_method_has_its_row_and_the_papers_figures(done):
    _, result = done
    rows = {row["row"]: row for row in result.to_document()["rows"]}
    assert list(rows)[:8] == [*LEARNERS, "Ada.ECC", "Ada.MH", "SSVM", "1-vs-all SVM"]
    assert set(PAPER_ERRORS) < set(rows)
    for name, row in rows.items():
        cell = row["cells"]["glass"]
        paper = PAPER_ERRORS.get(name, {}).get("glass")
        assert cell["paper"] == (
            None if paper is None else {"mean": paper.mean, "deviation": paper.deviation}
        )
        if "note" not in row:
            # Iris is easy: every method that works is right on most of the test part.
            assert 0 <= cell["ours"]["mean"] <= 30


def test_files(done):
    folder, result = done
    assert json.loads((folder / "table.json").read_text()) == result.to_document()
    assert (folder / "table.md").read_text() == result.table.to_markdown()
    assert "not a measurement" in (folder / "table.txt").read_text()
    assert all((folder / name).stat().st_size > 1000 for name in CURVES)
    choices = json.loads((folder / "choices.json").read_text())
    assert {c["method"] for c in choices} == {c.method for c in result.chosen}
    times = json.loads((folder / "times.json").read_text())
    assert set(times) == {c.method for c in result.chosen}
    for method, sets in times.items():
        ours = [c for c in result.chosen if c.method == method]
        assert sets["glass"]["chosen"] == pytest.approx(np.mean([c.result.seconds for c in ours]))
        assert sets["glass"]["all"] == pytest.approx(sum(c.all_seconds for c in ours))
        assert sets["glass"]["all"] >= sets["glass"]["chosen"] > 0


def test_two_jobs_make_the_same_bytes(done, tmp_path):
    folder, _ = done
    run(tmp_path, n_jobs=2)
    for name in (*FILES, *CURVES):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_a_peer_that_is_not_installed_gets_a_note(monkeypatch, tmp_path):
    def few(effort, quick):
        found = [m for m in multiclass_methods.multiclass_methods(effort, quick) if "SVM" in m.name]
        absent = TableMethod(
            "XGBoost", [{}], multiclass_methods.fit_xgboost, multiclass_methods.error,
            requires=("no_such_module",),
        )  # fmt: skip
        return [*found, absent]

    monkeypatch.setattr(reproduce_multiclass, "multiclass_methods", few)
    document = run(tmp_path).to_document()
    row = document["rows"][-1]
    assert row["row"] == "XGBoost"
    assert row["cells"]["glass"]["ours"] is None
    assert row["note"] == "no_such_module is not installed: pip install 'segboost[bench]'"


def test_a_truncated_path_is_computed_again(tmp_path):
    """Cells of a path depend on earlier ones: a lost cell is recomputed with the same result."""
    methods = multiclass_methods.multiclass_methods(reproduce_multiclass.QUICK_EFFORT, True)[:1]
    protocol = Protocol("error", n_repeats=1)

    def errors():
        chosen = run_protocol(tables(), methods, protocol, tmp_path, 1, QuietProgress())
        return [(dict(c.candidate), c.result.measures, c.result.details) for c in chosen]

    expected = errors()
    files = sorted(tmp_path.rglob("*.npz"))
    assert len(files) == 2
    for lost in files:
        lost.unlink()
        assert errors() == expected
        assert lost.exists()
