import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from segboost.pipelines.experiments.protocol.table_protocol import (
    Protocol,
    mean_of,
    run_protocol,
    spread,
)
from segboost.pipelines.experiments.protocol.table_splits import split_rows
from segboost.progress import QuietProgress
from tests.pipelines.experiments.protocol import table_methods as small

PROTOCOL = Protocol("error", n_repeats=3)


def run(cache, methods=None, tables=None, n_jobs=1, protocol=PROTOCOL):
    tables = tables or {"one": small.table(), "two": small.table(50, 4)}
    return run_protocol(
        tables, methods or [small.method()], protocol, cache, n_jobs, QuietProgress()
    )


def contents(chosen):
    """Return everything but the times, which differ from run to run."""
    return [
        (
            c.data, c.method, c.repeat, dict(c.candidate), c.result.measures, c.result.details,
            {k: v.tolist() for k, v in c.result.curves.items()},
        )
        for c in chosen
    ]  # fmt: skip


@pytest.mark.parametrize("n", [4, 5, 10, 391])
@pytest.mark.parametrize("stratified", [False, True])
def test_every_row_is_in_exactly_one_part(n, stratified):
    strata = np.arange(n) % 3 if stratified else None
    split = split_rows(n, 1, 0, strata)
    rows = np.concatenate([split.train, split.validation, split.test])
    assert sorted(rows) == list(range(n))


def test_shares_are_half_and_two_quarters():
    split = split_rows(400, 0)
    assert (len(split.train), len(split.validation), len(split.test)) == (200, 100, 100)


def test_repeats_and_seeds_differ_and_are_reproducible():
    first = split_rows(100, 0).train
    assert (first == split_rows(100, 0).train).all()
    assert (first != split_rows(100, 1).train).any()
    assert (first != split_rows(100, 0, seed=1).train).any()


def test_strata_keep_their_shares():
    y = np.repeat([0, 1], [80, 20])
    split = split_rows(100, 0, 0, y)
    assert [np.bincount(y[part]).tolist() for part in (split.train, split.validation)] == [
        [40, 10], [20, 5],
    ]  # fmt: skip


@pytest.mark.parametrize(("n", "strata"), [(3, None), (8, np.zeros(7))])
def test_invalid_splits_are_refused(n, strata):
    with pytest.raises(ValueError, match=r"rows|strata"):
        split_rows(n, 0, 0, strata)


def test_validation_chooses_the_candidate(tmp_path):
    """The chosen candidate is the best on the validation part, not on the test part."""
    X, y = small.table()
    for chosen in run(tmp_path, tables={"one": (X, y)}):
        split = split_rows(len(X), chosen.repeat)
        models = [small.Threshold(c["threshold"], 0) for c in small.THRESHOLDS]
        errors = [
            small.measure(m, X[split.validation], y[split.validation])["error"] for m in models
        ]
        best = int(np.argmin(errors))
        assert chosen.candidate == small.THRESHOLDS[best]
        expected = small.measure(models[best], X[split.test], y[split.test])
        assert chosen.result.measures["test"] == expected


def test_the_highest_value_and_the_first_of_ties_win(tmp_path):
    twice = (*small.THRESHOLDS, {"threshold": 0.4, "copy": True})
    found = run(
        tmp_path, [small.method(candidates=twice)], protocol=Protocol("accuracy", "highest")
    )
    assert len(found) == 10
    assert {c.candidate["threshold"] for c in found} == {0.4}
    assert not any("copy" in c.candidate for c in found)


def test_results_do_not_depend_on_the_number_of_jobs(tmp_path):
    alone = run(tmp_path / "a", n_jobs=1)
    together = run(tmp_path / "b", n_jobs=2)
    assert contents(alone) == contents(together)


def test_finished_cells_are_not_fitted_again(tmp_path, monkeypatch):
    monkeypatch.setenv("FIT_LOG", str(tmp_path))
    method = small.method(fit=small.fit_and_log)
    first = run(tmp_path / "cache", [method])
    logged = set(tmp_path.glob("*-*"))
    assert len(logged) == 2 * 3 * 3
    for path in logged:
        path.unlink()
    again = run(tmp_path / "cache", [method])
    assert not list(tmp_path.glob("*-*"))
    assert contents(first) == contents(again)
    assert [c.result.seconds for c in first] == [c.result.seconds for c in again]


@pytest.mark.parametrize(
    "other", [{"parameters": {"depth": 2}}, {"name": "other"}, {"candidates": ({"threshold": 1},)}]
)
def test_other_parameters_are_other_cells(tmp_path, monkeypatch, other):
    monkeypatch.setenv("FIT_LOG", str(tmp_path))
    run(tmp_path / "cache", [small.method(fit=small.fit_and_log)])
    for path in tmp_path.glob("*-*"):
        path.unlink()
    run(tmp_path / "cache", [small.method(fit=small.fit_and_log, **other)])
    assert list(tmp_path.glob("*-*"))


def test_a_killed_run_resumes(tmp_path, monkeypatch):
    """After SIGKILL, finished cells are kept, the rest are computed, and the figures are equal."""
    script = (
        "from tests.pipelines.experiments.protocol import table_methods as small\n"
        "from tests.pipelines.experiments.protocol import test_table_protocol as t\n"
        "import sys, pathlib\n"
        "t.run(pathlib.Path(sys.argv[1]), [small.method(fit=small.fit_until_killed)])\n"
    )
    environment = {**os.environ, "FIT_LOG": str(tmp_path), "KILL": "1"}
    command = [sys.executable, "-c", script, str(tmp_path / "cache")]
    root = Path(__file__).parents[4]
    killed = subprocess.run(command, env=environment, cwd=root, check=False)
    assert killed.returncode < 0
    done = {p.name for p in tmp_path.glob("*-*")}
    assert 0 < len(done) < 18
    kept = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "cache").rglob("*.npz")}
    assert len(kept) == len(done)
    environment.pop("KILL")
    subprocess.run(command, env=environment, cwd=root, check=True)
    after = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "cache").rglob("*.npz")}
    assert len(after) == 18
    assert kept.items() <= after.items()
    monkeypatch.setenv("FIT_LOG", str(tmp_path))
    method = small.method(fit=small.fit_until_killed)
    assert contents(run(tmp_path / "cache", [method])) == contents(run(tmp_path / "new", [method]))


def test_a_damaged_cell_is_fitted_again(tmp_path):
    expected = contents(run(tmp_path))
    path = next(iter(sorted(tmp_path.rglob("*.npz"))))
    path.write_bytes(path.read_bytes()[:100])
    assert contents(run(tmp_path)) == expected


def test_methods_by_set_and_missing_modules(tmp_path):
    absent = small.method("absent", requires=("no_such_module_anywhere",))
    assert absent.missing() == ["no_such_module_anywhere"]
    found = run(tmp_path, {"one": [small.method(), absent], "two": [absent]})
    assert {(c.data, c.method) for c in found} == {("one", "threshold")}


def test_two_methods_of_one_name(tmp_path):
    with pytest.raises(ValueError, match="two methods have the same name"):
        run(tmp_path, [small.method(), small.method()])


def test_means_and_deviations(tmp_path):
    chosen = run(tmp_path)
    values = [c.result.measures["test"]["error"] for c in chosen if c.data == "two"]
    found = mean_of(chosen, "two", "threshold", "error", "test")
    assert found.mean == pytest.approx(np.mean(values))
    assert found.deviation == pytest.approx(np.std(values, ddof=1))
    assert spread([2.0]).deviation is None
    with pytest.raises(ValueError, match="no value"):
        spread([])
