"""``segboost segment`` over thousands of images: memory, file handles, progress, Ctrl-C."""

from __future__ import annotations

import os
import pty
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from segboost.pipelines.batch.journal import JOURNAL
from segboost.storage.output_record import RECORD
from tests.benchmarks.figures import Figure, at_least, at_most
from tests.benchmarks.segmentation.bench_segment import draw, resident, train

N_IMAGES = int(os.environ.get("SEGBOOST_LOAD_IMAGES", "2000"))
WINDOW = min(200, N_IMAGES // 5)
DISTINCT = 40
TITLE = f"Segment: {N_IMAGES} images of 320×240 in one command with two jobs"
STARTED = "import sys; from segboost.cli.main import main; main(sys.argv[1:])"


@dataclass
class Watched:
    """A running command: its samples of (masks done, bytes of memory, open files)."""

    process: subprocess.Popen
    output: Path
    screen: bytearray = field(default_factory=bytearray)
    samples: list[tuple[int, int, int]] = field(default_factory=list)

    def watch(self) -> int:
        """Sample until the command ends; return its status."""
        while self.process.poll() is None:
            group = self.pids()
            memory = sum(map(resident, group))
            files = sum(map(open_files, group))
            self.samples.append((self.done(), memory, files))
            time.sleep(0.2)
        return self.process.returncode

    def done(self) -> int:
        return sum(name.endswith(".png") for name in os.listdir(self.output))

    def pids(self) -> list[int]:
        """Return all processes of the command's session."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == self.process.pid:
                found.append(int(path.parent.name))
        return found


def open_files(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def start(model: Path, images: Path, output: Path) -> Watched:
    """Start the command in a terminal, so that it shows progress."""
    output.mkdir()
    master, slave = pty.openpty()
    options = ["--model", str(model), "--output", str(output), "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-c", STARTED, "segment", str(images), *options],
        stdout=subprocess.DEVNULL,
        stderr=slave,
        start_new_session=True,
        # Shells start background jobs, perhaps including this benchmark, with SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(slave)
    watched = Watched(process, output)

    def read() -> None:
        try:
            while data := os.read(master, 65536):
                watched.screen += data
                del watched.screen[:-20_000]
        except OSError:
            pass

    threading.Thread(target=read, daemon=True).start()
    return watched


def copies(folder: Path) -> Path:
    """Link a few synthetic images under many names."""
    images = draw(folder / "drawn", DISTINCT, 240, 320)
    many = folder / "images"
    many.mkdir()
    for number in range(N_IMAGES):
        os.link(images[number % DISTINCT], many / f"{number:05d}.png")
    return many


def interrupt(model: Path, images: Path, output: Path) -> tuple[float, int, bool]:
    """Press Ctrl-C after 20 images; return seconds to exit, status, and if files are complete."""
    watched = start(model, images, output)
    while watched.done() < 20 and watched.process.poll() is None:
        time.sleep(0.05)
    began = time.perf_counter()
    os.killpg(watched.process.pid, signal.SIGINT)
    status = watched.process.wait()
    seconds = time.perf_counter() - began
    for path in output.glob("*.png"):
        Image.open(path).load()
    left = {p.name for p in output.iterdir() if p.suffix != ".png"}
    return seconds, status, left == {JOURNAL, RECORD}


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        train(folder / "model")
        images = copies(folder)
        watched = start(folder / "model", images, folder / "out")
        status = watched.watch()
        rows = len((folder / "out" / "results.csv").read_text().splitlines()) - 1
        shown = re.findall(rb"(\d+)/(\d+)", bytes(watched.screen))
        seconds, stopped, whole = interrupt(folder / "model", images, folder / "stopped")
    first = [s for s in watched.samples if 0 < s[0] <= WINDOW]
    last = [s for s in watched.samples if s[0] > N_IMAGES - WINDOW]
    memory = [statistics.median(s[1] for s in part) for part in (first, last)]
    files = [max(s[2] for s in part) for part in (first, last)]
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    stop = f"Ctrl-C to exit (load {load:.1f} on {cores} cores)"
    calm = load < cores + 0.5  # otherwise wall time measures the other processes
    end = (int(shown[-1][0]), int(shown[-1][1])) if shown else (0, 0)
    return [
        at_least("images segmented and listed", rows if status == 0 else 0, N_IMAGES, ""),
        at_least("last progress displayed", end[0] if end[1] == N_IMAGES else 0, N_IMAGES, ""),
        Figure(f"memory of all processes, first {WINDOW}", memory[0] / 2**20, "MB"),
        at_most(f"memory, last {WINDOW} / first {WINDOW}", memory[1] / memory[0], 1.1, ""),
        Figure(f"open files, first {WINDOW}", files[0], ""),
        at_most(f"open files, last {WINDOW} / first {WINDOW}", files[1] / files[0], 1.0, ""),
        at_most(stop, seconds, 3.0, "s") if calm else Figure(stop, seconds, "s"),
        at_least("exit status 130 and only complete files", stopped == 130 and whole, 1, ""),
    ]
