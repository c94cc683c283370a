"""The log of a run, and the readings of time and memory in it."""

import json
import math
import multiprocessing
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from segboost import __version__
from segboost.pipelines.runtime import run_log
from segboost.pipelines.runtime.resources import read_usage
from segboost.pipelines.runtime.run_log import RunLog, read_run_log

MEGABYTE = 2**20


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@dataclass(frozen=True)
class Options:
    C: float
    folder: Path


def test_a_complete_run(tmp_path):
    path = tmp_path / "out" / "run.jsonl"
    configuration = {"crf": Options(10.0, Path("a/b")), "sizes": (np.int64(4), 8), "x": math.inf}
    with RunLog(path, configuration, seed=7) as log:
        assert not path.exists()
        with log.stage("features", images=3) as notes:
            burn(0.05)
            time.sleep(0.05)
            notes["found"] = np.float64(0.5)
        log.event("choice", C=np.array([1.0, np.nan]))
    assert not log.part.exists()
    start, begins, ends, choice, end = read_run_log(path)
    assert start["configuration"] == {
        "crf": {"C": 10.0, "folder": "a/b"},
        "sizes": [4, 8],
        "x": None,
    }
    assert start["seed"] == 7
    assert start["versions"]["segboost"] == __version__
    assert start["versions"]["numpy"] == np.__version__
    assert start["machine"]["cores"] >= 1
    assert (begins["event"], begins["stage"], begins["images"]) == ("stage begins", "features", 3)
    assert (ends["status"], ends["found"]) == ("done", 0.5)
    assert 0.05 <= ends["cpu"] < ends["wall"] + 0.05
    assert ends["wall"] >= 0.1
    assert choice["C"] == [1.0, None]
    assert end["status"] == "done"
    assert end["wall"] >= ends["wall"]
    assert end["stages"] == [{"stage": "features", "wall": ends["wall"], "cpu": ends["cpu"]}]
    assert 10 * MEGABYTE < end["peak_bytes"] <= end["peak_total_bytes"]
    assert all(event["time"].endswith("+00:00") for event in read_run_log(path))


def test_lines_are_written_immediately(tmp_path):
    with RunLog(tmp_path / "log", {}) as log, log.stage("unary"):
        assert [e["event"] for e in read_run_log(log.part)] == ["start", "stage begins"]


@pytest.mark.parametrize(
    ("error", "status"), [(OSError("disk"), "failed"), (KeyboardInterrupt(), "interrupted")]
)
def test_errors_are_logged_and_passed_on(tmp_path, error, status):
    with pytest.raises(type(error)), RunLog(tmp_path / "log", {}) as log, log.stage("unary"):
        raise error
    ends, end = read_run_log(tmp_path / "log")[-2:]
    assert ends["status"] == end["status"] == status
    assert ends.get("error") == ("OSError: disk" if status == "failed" else None)


def test_a_later_run_replaces_the_log_of_a_finished_one(tmp_path):
    for seed in (1, 2):
        with RunLog(tmp_path / "log", {}, seed):
            pass
    assert [e["seed"] for e in read_run_log(tmp_path / "log") if e["event"] == "start"] == [2]


KILLED = """
import sys
from segboost.pipelines.runtime.run_log import RunLog
with RunLog(sys.argv[1], {}, seed=1) as log, log.stage("crf"):
    print("there", flush=True)
    sys.stdin.read()
"""


def test_the_log_of_a_killed_run_is_kept(tmp_path):
    path = tmp_path / "log"
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"there\n"
        process.send_signal(signal.SIGKILL)
    assert not path.exists()
    part = path.with_name("log.part")
    assert [e["event"] for e in read_run_log(part)] == ["start", "stage begins"]
    with open(part, "ab") as file:
        file.write(b'{"event": "to')
    with RunLog(path, {}, seed=2):
        pass
    events = [(e["event"], e.get("seed")) for e in read_run_log(path)]
    assert events == [("start", 1), ("stage begins", None), ("start", 2), ("end", None)]


def test_every_line_is_strict_json(tmp_path):
    with RunLog(tmp_path / "log", {"a": math.nan, "b": {"c": object, 1: None}}) as log:
        log.event("text", text="line\nbreak ß")

    def refuse(name):
        raise AssertionError(name)

    lines = (tmp_path / "log").read_text().splitlines()
    events = [json.loads(line, parse_constant=refuse) for line in lines]
    assert [event["event"] for event in events] == ["start", "text", "end"]
    assert events[1]["text"] == "line\nbreak ß"


def test_notes_do_not_hide_the_figures(tmp_path):
    with RunLog(tmp_path / "log", {}) as log, log.stage("crf") as notes:
        notes.update(wall="mine", stage="mine", more=1)
    event = read_run_log(tmp_path / "log")[2]
    assert (event["stage"], event["more"], type(event["wall"])) == ("crf", 1, float)


def test_a_log_that_was_not_opened(tmp_path):
    with pytest.raises(ValueError, match="with block"):
        RunLog(tmp_path / "log", {}).event("x")


def test_missing_packages_have_no_version(monkeypatch):
    monkeypatch.setattr(run_log, "PACKAGES", ("no-such-package-at-all",))
    assert run_log.package_versions()["no-such-package-at-all"] is None


def work(connection):
    """Use time and memory, report it, then wait for the signal to end."""
    burn(0.3)
    held = np.ones(60 * MEGABYTE // 8)
    connection.send(held.size)
    connection.recv()


def test_workers_are_counted_while_alive_and_after():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    before = read_usage()
    process = context.Process(target=work, args=(there,))
    process.start()
    here.recv()
    alive = read_usage()
    here.send(None)
    process.join()
    ended = read_usage()
    for reading in (alive, ended):
        assert reading.cpu - before.cpu >= 0.28
        assert reading.peak_child >= 60 * MEGABYTE
        assert reading.peak_total >= reading.peak_self + 60 * MEGABYTE
    assert ended.cpu - alive.cpu < 0.28


def test_the_peak_of_the_run_includes_workers_that_have_ended(tmp_path, monkeypatch):
    peaks = iter([1, 1, 1, 900, 5])
    usage = read_usage()

    def reading():
        return type(usage)(time.perf_counter(), usage.cpu, 1, 1, next(peaks))

    monkeypatch.setattr(run_log, "read_usage", reading)
    with RunLog(tmp_path / "log", {}) as log, log.stage("unary"):
        pass
    assert [e.get("peak_total_bytes") for e in read_run_log(tmp_path / "log")[2:]] == [900, 900]
