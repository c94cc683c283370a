"""``segboost segment``: cost per image, speed-up by a second job, memory over many images."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from tests.benchmarks.figures import Figure, at_least, at_most

TITLE = "Segment: 48 images of 640×480 with one and two jobs; memory over 240 images of 320×240"

N_LARGE, N_SMALL, WINDOW = 48, 240, 20
SETTINGS = {"C": 10.0, "unary": {"n_folds": 2}, "linear_below": 0}
"""As many trees as the default preset has for many images, since they cost time."""


@dataclass(frozen=True)
class Cost:
    """The time that a command took, including its workers."""

    wall: float
    cpu: float


def train(folder: Path) -> None:
    from segboost.datasets import load_synthetic
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
    from segboost.pipelines.segmentation.training_run import run_training
    from segboost.progress import QuietProgress

    data = load_synthetic(8, 0, height=240, width=320)
    config = SegmentationConfig.from_dict(SETTINGS)
    run_training(data, config, folder, folder / "cache", 1, QuietProgress(), {})


def photographs() -> list[Path]:
    """Return the test images of Graz-02 bikes if the data are available."""
    root = Path(os.environ.get("SEGBOOST_DATA", "none"), "graz02", "bikes")
    numbers = range(2, 2 * N_LARGE + 1, 2)
    found = [path for n in numbers for path in root.glob(f"bike_{n:03d}.image.*")]
    return found if len(found) == N_LARGE else []


def draw(folder: Path, n: int, height: int, width: int) -> list[Path]:
    from segboost.datasets import load_synthetic

    folder.mkdir()
    paths = []
    for item in load_synthetic(0, n, height=height, width=width).test:
        paths.append(folder / f"{item.name}.png")
        Image.fromarray(item.image()).save(paths[-1])
    return paths


def segment(model: Path, images: list[Path], output: Path, n_jobs: int) -> Cost:
    """Run the command as a user would, including start-up and imports."""
    start = "import sys; from segboost.cli.main import main; main(sys.argv[1:])"
    options = ["--model", str(model), "--output", str(output), "--jobs", str(n_jobs)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-c", start, "segment", *options, *map(str, images)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def resident(pid: int | str) -> int:
    """Return the current memory of a process in bytes; 0 if it has ended."""
    try:
        lines = Path("/proc", str(pid), "status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)


def memory(model: Path, images: list[Path], output: Path) -> Iterator[tuple[int, int]]:
    """Yield the memory of this process and of its workers after every image."""
    from segboost.pipelines.batch.segmenting import BatchOptions, segment_files
    from segboost.pipelines.runtime.resources import _children

    for result in segment_files(model, images, BatchOptions(output, True, True, True), 2):
        assert not result.failed, result.status
        yield resident("self"), sum(map(resident, _children()))


def growth(name: str, sizes: list[int]) -> list[Figure]:
    # The first images fill caches of compiled code and of the allocator.
    early, late = max(sizes[WINDOW : 2 * WINDOW]), max(sizes[-WINDOW:])
    return [
        Figure(f"memory of {name}, images 21 to 40", early / 2**20, "MB"),
        Figure(f"memory of {name}, last 20 of {len(sizes)}", late / 2**20, "MB"),
        at_most(f"memory of {name}, last / early", late / early, 1.1, ""),
    ]


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        train(folder / "model")
        large = photographs() or draw(folder / "large", N_LARGE, 480, 640)
        segment(folder / "model", large[:1], folder / "warm", 1)  # caches compiled code on disk
        one, two = (segment(folder / "model", large, folder / f"out{n}", n) for n in (1, 2))
        small = draw(folder / "small", N_SMALL, 240, 320)
        sizes = list(memory(folder / "model", small, folder / "out"))
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    speed = f"speed-up by a second job, wall time (load {load:.1f} on {cores} cores)"
    ratio = one.wall / two.wall
    calm = cores >= 2 and load < cores + 0.5  # otherwise wall time measures other processes
    return [
        at_most("CPU per 640×480 image, one job", one.cpu / N_LARGE, 2.0, "s"),
        at_most("CPU per 640×480 image, two jobs", two.cpu / N_LARGE, 2.0, "s"),
        at_least(speed, ratio, 1.7, "×") if calm else Figure(speed, ratio, "×"),
        *growth("this process", [own for own, _ in sizes]),
        *growth("its worker", [workers for _, workers in sizes]),
    ]
