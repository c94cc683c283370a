"""Workers end when the process that started them is killed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

TASKS = """
import sys, time
from pathlib import Path
from segboost.pipelines.runtime.shared_pool import map_shared
from segboost.pipelines.runtime.parallel_map import map_tasks
def work(folder, item):
    import os, time
    Path(folder, str(os.getpid())).touch()
    time.sleep(0.2)
folder, kind = sys.argv[1:]
if kind == "tasks":
    list(map_tasks(work, folder, range(10_000), 2))
else:
    from functools import partial
    list(map_shared(partial(work, folder), range(10_000), 2))
"""
WAIT = 120


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_for(condition):
    end = time.monotonic() + WAIT
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
@pytest.mark.parametrize("kind", ["tasks", "shared"])
def test_no_worker_outlives_a_killed_process(kind, tmp_path):
    process = subprocess.Popen([sys.executable, "-c", TASKS, str(tmp_path), kind])
    try:
        assert wait_for(lambda: len(list(tmp_path.iterdir())) == 2)
    finally:
        process.kill()
        process.wait()
    workers = [int(f.name) for f in tmp_path.iterdir() if int(f.name) != process.pid]
    assert workers
    assert wait_for(lambda: not any(map(alive, workers)))
