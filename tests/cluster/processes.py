"""A real scheduler and real workers on this machine, each a process that can be killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ENVIRONMENT = {
    "PYTHONPATH": str(Path(__file__).parents[2]),  # workers import functions of the tests
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"),
}


START_SECONDS = 300.0
"""Time limit for the start of workers on a busy machine."""


class LoopbackCluster:
    """A cluster that runs inside a `with` block, after which its processes are killed."""

    def __init__(self, folder, n_workers=2):
        self.folder = folder
        self.workers = []
        self._n_workers = n_workers

    def __enter__(self):
        file = self.folder / "scheduler.json"
        self.scheduler = self._start(
            *("scheduler", "--host", "127.0.0.1", "--port", "0"),
            *("--scheduler-file", str(file), "--no-dashboard"),
        )
        self.address = _read_address(file, self.scheduler)
        for _ in range(self._n_workers):
            self.add_worker()
        return self

    def __exit__(self, *reason):
        for process in (*self.workers, self.scheduler):
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()

    def add_worker(self):
        # Without a nanny, killed workers are not restarted.
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        place = ("--local-directory", str(self.folder))
        self.workers.append(self._start("worker", self.address, *options, *place))
        return self.workers[-1]

    def kill_worker(self):
        process = self.workers.pop(0)
        process.kill()
        process.wait()

    def _start(self, *arguments):
        command = [sys.executable, "-m", "dask", *arguments]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(
            command, env={**os.environ, **ENVIRONMENT}, cwd=self.folder, **quiet
        )


def _read_address(file, process, seconds=START_SECONDS):
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            return json.loads(file.read_text())["address"]
        except (OSError, ValueError):
            time.sleep(0.05)
    raise RuntimeError("the scheduler did not start")
