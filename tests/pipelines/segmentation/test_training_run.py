from __future__ import annotations

import json
import shutil
from collections import Counter

import pytest

from segboost.pipelines.runtime.artefact_cache import list_artefacts
from segboost.pipelines.runtime.folder_lock import FolderBusyError, FolderLock
from segboost.pipelines.runtime.run_log import read_run_log
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter
from segboost.pipelines.segmentation.training_run import run_training
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.tiny_models import tiny_config, tiny_data

DATA = tiny_data()


def run(output, cache, n_jobs=1, progress=None, **changes):
    config = tiny_config(**changes)
    return run_training(DATA, config, output, cache, n_jobs, progress or QuietProgress(), {"a": 1})


def results(folder):
    """Return all files but the log, which contains times."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "train.jsonl")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in paths}


def counts(cache):
    return Counter(file.stage for file in list_artefacts(cache))


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    place = tmp_path_factory.mktemp("run")
    return run(place / "model", place / "cache"), place / "cache"


def test_the_folder_has_model_scores_settings_and_log(first):
    made, _ = first
    names = {p.name.partition("-")[0] for p in made.folder.iterdir()}
    expected = {"model.json", "arrays", "crf", "scores.json", "answers.npz"}
    assert names == {*expected, "run.json", "train.jsonl"}
    scores = json.loads((made.folder / "scores.json").read_text())
    assert scores["test"]["scores"] == made.evaluation.summary()
    assert set(scores["test"]["images"]) == {item.name for item in DATA.test}
    assert scores["C"] == made.C == 10.0
    assert made.peak_bytes > 0


def test_the_log_has_the_stages_with_their_times(first):
    made, _ = first
    events = read_run_log(made.folder / "train.jsonl")
    assert events[0]["configuration"]["config"]["unary"]["n_stumps"] == 12
    assert events[0]["seed"] == 0
    ended = [e["stage"] for e in events if e["event"] == "stage ends"]
    assert ended == [
        "checking images",
        "visual words",
        "features",
        "classifiers of feature groups",
        "trees over all features",
        "context",
        "learning the CRF",
        "test images",
    ]
    assert [s.stage for s in made.stages] == ended
    assert events[-1]["status"] == "done"


def test_a_repeated_run_computes_nothing_and_is_identical(first, tmp_path):
    made, cache = first
    before = counts(cache)
    run(tmp_path / "model", cache)
    assert results(tmp_path / "model") == results(made.folder)
    assert counts(cache) == before


def test_two_jobs_give_the_same_bytes(first, tmp_path):
    made, _ = first
    run(tmp_path / "model", tmp_path / "cache", n_jobs=2)
    assert results(tmp_path / "model") == results(made.folder)


def test_another_c_learns_the_crf_only(first, tmp_path):
    _, cache = first
    before = counts(cache)
    run(tmp_path / "model", cache, C=0.5)
    after = counts(cache)
    changed = {stage for stage in after if after[stage] != before.get(stage)}
    assert changed == {"crf", "evaluation"}
    assert after["crf"] == before["crf"] + 1


def test_methods_share_the_stages_before_the_crf(first, tmp_path):
    _, cache = first
    before = counts(cache)
    run(tmp_path / "model", cache, method="ssvm")
    changed = {stage for stage, n in counts(cache).items() if n != before.get(stage)}
    assert changed == {"crf", "evaluation"}


def test_a_stopped_run_resumes_to_the_same_model(first, tmp_path):
    made, cache = first
    half = tmp_path / "cache"
    shutil.copytree(cache, half)
    for stage in ("context", "crf", "evaluation", "features-hog48"):
        shutil.rmtree(half / stage)
    unaries = sorted((half / "unary").iterdir())
    unaries[0].unlink()
    unaries[1].write_bytes(unaries[1].read_bytes()[:100])
    run(tmp_path / "model", half)
    assert results(tmp_path / "model") == results(made.folder)


def test_an_error_in_a_stage_is_in_the_log(tmp_path):
    def fail(report):
        if report.stage == "features" and not report.finished:
            raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        run(tmp_path / "model", tmp_path / "cache", progress=fail)
    events = read_run_log(tmp_path / "model" / "train.jsonl")
    assert events[-1]["status"] == "failed"
    assert not (tmp_path / "model" / "model.json").exists()


def test_one_run_at_a_time_in_a_folder(first, tmp_path):
    with FolderLock(tmp_path / "model"), pytest.raises(FolderBusyError, match="in use"):
        run(tmp_path / "model", first[1])


def test_the_model_of_a_run_loads(first):
    made, _ = first
    assert load_segmenter(made.folder).config == tiny_config()


def test_validation_chooses_c(first, tmp_path):
    made = run(tmp_path / "model", first[1], C=None, C_choices=(0.01, 10.0))
    scores = json.loads((made.folder / "scores.json").read_text())
    trials = {t["C"]: t["mean_iou"] for t in scores["validation"]}
    assert set(trials) == {0.01, 10.0}
    assert max(trials, key=trials.get) == made.C


def test_trials_are_reported_as_they_end_and_do_not_depend_on_the_jobs(first, tmp_path):
    choice = {"C": None, "C_choices": (0.01, 10.0), "losses": ("superpixels", "pixels")}
    reports = []
    cache = tmp_path / "cache"
    shutil.copytree(first[1], cache)
    one = run(tmp_path / "one", cache, 1, reports.append, **choice)
    trials = [r for r in reports if r.stage == "choosing C and loss" and not r.finished]
    assert [(r.done, r.total) for r in trials] == [(k, 3) for k in range(4)]
    assert "best so far: C = " in trials[-1].message
    scores = json.loads((one.folder / "scores.json").read_text())
    best = max(t["mean_iou"] for t in scores["validation"])
    assert trials[-1].message.endswith(f"mean IoU {best:.4f}")
    rounds = [r for r in reports if r.stage == "learning the CRF"]
    assert all(r.objective is not None and r.gap is not None for r in rounds[:-2])
    shutil.rmtree(cache / "crf")
    run(tmp_path / "two", cache, 2, **choice)
    assert results(tmp_path / "two") == results(one.folder)


def test_a_cached_crf_is_reported(first, tmp_path):
    reports = []
    run(tmp_path / "model", first[1], progress=reports.append)
    (last,) = (r for r in reports if r.stage == "learning the CRF" and r.finished)
    assert last.done == last.total > 0
    assert "kept from an earlier run" in last.message
    assert not [r for r in reports if r.stage == "choosing C and loss"]
