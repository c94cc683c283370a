"""Many images in one call: no growth of memory or open files, and progress for every image."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from PIL import Image

from segboost.pipelines.batch.segmenting import BatchOptions, segment_files
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.progress import track
from tests.benchmarks.segmentation.bench_segment import resident
from tests.pipelines.segmentation.tiny_models import tiny_data, trained

N = 100


def open_files():
    """The open files of this process with their numbers.

    Files that close during the run say nothing about it: idle workers of an earlier test may end.
    """
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the listing itself
            found.add((entry.name, str(entry.readlink())))
    return {(number, target) for number, target in found if not target.endswith("/fd")}


def test_a_hundred_images(tmp_path):
    model = save_segmenter(trained().model, tmp_path / "model")
    image = Image.fromarray(tiny_data().test[0].image()).resize((64, 48))
    (tmp_path / "images").mkdir()
    image.save(tmp_path / "images" / "0.png")
    paths = []
    for number in range(N):
        paths.append(tmp_path / "images" / f"{number}.png")
        if number:
            os.link(paths[0], paths[-1])
    reports, memory, files = [], [], []
    results = segment_files(model, paths, BatchOptions(tmp_path / "out"), 1)
    for result in track(results, reports.append, "segmentation", N):
        assert not result.failed
        memory.append(resident("self"))
        files.append(open_files())
    assert files[-1] - files[10] == set()
    assert max(memory[-10:]) <= 1.1 * max(memory[10:20])
    done = [report.done for report in reports]
    assert done == sorted(done)
    assert done[-1] == N
    assert {report.total for report in reports} == {N}
    assert reports[-1].finished
    assert len({p.read_bytes() for p in (tmp_path / "out").glob("*.png")}) == 1
