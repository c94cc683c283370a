"""The overhead of a cluster: CPU time of every process, per task and per image."""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.figures import Figure, at_most
from tests.benchmarks.segmentation.bench_segment import draw, train

TITLE = "Cluster: overhead per task, and 640×480 images segmented by two workers on loopback"

N_TASKS, N_IMAGES = 1000, 24
FILE, MASK = bytes(range(256)) * 400, 5_000
"""Roughly the sizes of a photograph's file and of its mask, in bytes."""


@dataclass(frozen=True)
class Spent:
    """CPU seconds of the client, the scheduler and all workers."""

    client: float
    scheduler: float
    workers: float

    def __sub__(self, other: Spent) -> Spent:
        return Spent(
            self.client - other.client,
            self.scheduler - other.scheduler,
            self.workers - other.workers,
        )


def cpu_of(pid: int) -> float:
    fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def read(cluster) -> Spent:
    workers = sum(cpu_of(worker.pid) for worker in cluster.workers)
    return Spent(time.process_time(), cpu_of(cluster.scheduler.pid), workers)


def small_answer(shared: None, item: bytes) -> bytes:
    return item[:MASK]


def run() -> list[Figure]:
    from segboost.pipelines.batch.segmenting import BatchOptions, segment_files
    from segboost.pipelines.runtime.cluster import connect, map_cluster
    from segboost.pipelines.runtime.parallel_map import use_cluster
    from tests.cluster.processes import START_SECONDS, LoopbackCluster

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        train(folder / "model")
        images = draw(folder / "images", N_IMAGES, 480, 640)
        (folder / "cluster").mkdir()
        with (
            LoopbackCluster(folder / "cluster") as cluster,
            connect(cluster.address, START_SECONDS) as client,
        ):
            list(map_cluster(client, small_answer, None, [FILE] * 50))
            before = read(cluster)
            list(map_cluster(client, small_answer, None, (FILE for _ in range(N_TASKS))))
            tasks = read(cluster) - before
            with use_cluster(client):
                # The first images load compiled code.
                list(segment_files(folder / "model", images[:4], BatchOptions(folder / "warm")))
                before = read(cluster)
                options = BatchOptions(folder / "out")
                results = list(segment_files(folder / "model", images, options))
                spent = read(cluster) - before
        assert not any(result.failed for result in results)
        size = sum(path.stat().st_size for path in images) / len(images)
    own = sum(result.cpu_seconds for result in results)
    total = spent.client + spent.scheduler + spent.workers
    per_task = 1e3 / N_TASKS
    return [
        Figure("client, per task of 100 kB", tasks.client * per_task, "ms CPU"),
        Figure("scheduler, per task of 100 kB", tasks.scheduler * per_task, "ms CPU"),
        Figure("workers, per task of 100 kB", tasks.workers * per_task, "ms CPU"),
        Figure("size of an image file", size / 1e3, "kB"),
        Figure("segmentation itself, per image", own / N_IMAGES, "s CPU"),
        Figure("client, per image", 1e3 * spent.client / N_IMAGES, "ms CPU"),
        Figure("scheduler, per image", 1e3 * spent.scheduler / N_IMAGES, "ms CPU"),
        at_most("overhead of all processes / segmentation itself", (total - own) / own, 0.1, ""),
    ]
