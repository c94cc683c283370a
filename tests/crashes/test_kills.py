"""Repeated SIGKILL at random moments of every stage, in one output folder."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from segboost.pipelines.batch.journal import JOURNAL
from segboost.pipelines.runtime.run_log import read_run_log
from tests.crashes.command_processes import finish, start
from tests.crashes.complete_files import check_masks, check_training, contents

STAGES = (
    "checking images",
    "visual words",
    "features",
    "classifiers of feature groups",
    "trees over all features",
    "context",
    "learning the CRF",
    "test images",
)
KILLS = 2
"""Kills per stage."""
SEGMENT_KILLS = 6
LONGEST_WAIT = 0.2
"""Maximum seconds between the beginning of a stage and its kill."""


def stage_seconds(folder):
    """Return the wall seconds of every stage of a finished run."""
    events = read_run_log(folder / "train.jsonl")
    return {e["stage"]: e["wall"] for e in events if e["event"] == "stage ends"}


def is_in(folder, stage, n_starts):
    """Return whether run number `n_starts` has begun a stage."""
    for name in ("train.jsonl.part", "train.jsonl"):
        if (folder / name).exists():
            events = read_run_log(folder / name)
            starts = [i for i, e in enumerate(events) if e["event"] == "start"]
            last = events[starts[-1] :] if len(starts) == n_starts else []
            if any(e["event"] == "stage begins" and e["stage"] == stage for e in last):
                return True
    return False


@pytest.mark.slow
def test_train_killed_in_every_stage_ends_with_the_same_model(command, undisturbed, tmp_path):
    rng = random.Random(0)
    # Stages are not timed on the undisturbed run, which may have compiled kernels.
    warm = tmp_path / "warm"
    assert finish([*command, "--output", str(warm)]) == 0
    seconds = stage_seconds(warm)
    assert set(seconds) == set(STAGES)
    folder = tmp_path / "model"
    options = [*command, "--output", str(folder)]
    kills = 0
    for stage in STAGES:
        for _ in range(KILLS):
            process = start(options)
            while process.is_alive() and not is_in(folder, stage, kills + 1):
                time.sleep(0.002)
            # On a busy machine a stage may take less than it did when it was timed.
            time.sleep(min(rng.random() * seconds[stage] / 2, LONGEST_WAIT))
            # A run may have ended by then: it was not killed, but the stage was reached.
            process.kill()
            process.join()
            if process.exitcode == 0:
                break
            kills += 1
            check_training(folder)
    assert kills >= 14
    assert finish(["train", "--resume", "--output", str(folder), "--jobs", "1"]) == 0
    assert contents(folder) == contents(undisturbed)


@pytest.mark.slow
def test_segment_killed_at_any_moment_ends_with_the_same_masks(segment_command, masks, tmp_path):
    rng = random.Random(1)
    options = [*segment_command, "--output", str(tmp_path)]
    expected = contents(masks)
    n_masks = len(expected)
    # `wanted` files exist when the command is killed; repeating the command resumes it.
    for wanted in sorted(rng.sample(range(1, n_masks - 4), SEGMENT_KILLS)):
        process = start(options)
        while process.is_alive() and len(contents(tmp_path)) < wanted:
            time.sleep(0.005)
        time.sleep(rng.random() * 0.05)
        process.kill()
        process.join()
        assert process.exitcode == -9, wanted
        check_masks(tmp_path)
        assert not (tmp_path / "results.csv").exists()
        assert contents(tmp_path).items() <= expected.items()
    journal = [json.loads(line) for line in (tmp_path / JOURNAL).read_text().splitlines()[1:]]
    done = [tmp_path / f"{Path(line['image']['name']).stem}.png" for line in journal]
    assert done
    times = [path.stat().st_mtime_ns for path in done]
    assert finish(options) == 0
    assert contents(tmp_path) == expected
    assert (tmp_path / "results.csv").read_text().count("\n") == n_masks // 2 + 1
    assert [path.stat().st_mtime_ns for path in done] == times
    assert not (tmp_path / JOURNAL).exists()
