"""train and segment on a cluster give the bytes of a local run, even if workers are killed."""

from __future__ import annotations

import os
import threading
import time

import joblib
import pytest

from segboost.cli.main import run
from segboost.pipelines.runtime.cluster import connect
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.pipelines.segmentation.pipeline import SegmentationPipeline
from tests.cluster.processes import START_SECONDS
from tests.pipelines.segmentation.tiny_models import (
    SETTINGS,
    tiny_data,
    train_command,
    trained,
    write_folders,
)

DATA = tiny_data()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("commands")


@pytest.fixture(scope="module")
def command(place):
    """Train with a choice of C, so that every stage runs on the cluster."""
    return train_command(place, DATA, C=None, C_choices=[1.0, 10.0], validation_blocks=2)


@pytest.fixture(scope="module")
def local(place, command):
    assert run([*command, "--output", str(place / "local")]) == 0
    return place / "local"


def files(folder, but=("train.jsonl", "results.csv", ".segboost.outputs")):
    """Return all files except those that contain times and the record of their digests."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in but)
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in paths}


class Killer:
    """Kills a worker when a file of the next pattern appears, and starts a new one."""

    def __init__(self, cluster, folder, patterns):
        self.killed = 0
        self._cluster, self._folder, self._patterns = cluster, folder, list(patterns)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *reason):
        self._done.set()
        self._thread.join()

    def _watch(self):
        while self._patterns and not self._done.is_set():
            if next(self._folder.glob(self._patterns[0]), None) is not None:
                self._patterns.pop(0)
                self._cluster.kill_worker()
                self._cluster.add_worker()
                self.killed += 1
            time.sleep(0.01)


def test_workers_killed_in_train_lose_nothing(cluster, command, local, place):
    """Kill workers while features and unaries are computed; the caches are equal, too."""
    folder = place / "remote"
    seen = ("cache/superpixels/*.npz", "cache/unary/*.npz")
    with Killer(cluster, folder, seen) as killer:
        assert run([*command, "--output", str(folder), "--scheduler", cluster.address]) == 0
    assert killer.killed == 2
    assert files(folder) == files(local)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_segmenter(trained().model, tmp_path_factory.mktemp("model"))


def test_a_worker_killed_in_segment_loses_nothing(cluster, model, place, capsys):
    images = place / "many"
    images.mkdir()
    for number in range(6):
        for item in DATA.test[:2]:
            source = place / "images" / f"{item.name}.png"
            if not source.exists():
                write_folders(place / "fresh", DATA.test)
                source = place / "fresh" / "images" / f"{item.name}.png"
            (images / f"{item.name}-{number}.png").write_bytes(source.read_bytes())
    (images / "broken.png").write_bytes(b"no image")
    (images / "empty.png").write_bytes(b"")
    (images / "gone.png").symlink_to("nowhere.png")
    os.mkfifo(images / "pipe.png")
    printed = {}
    for name, more in (("one", ["--jobs", "1"]), ("two", ["--scheduler", cluster.address])):
        output = place / name
        options = ["--model", str(model), "--output", str(output), "--scores", "--overlay"]
        with Killer(cluster, output, ["*-1.png"] if name == "two" else []) as killer:
            assert run(["segment", str(images), *options, *more]) == 1
        printed[name] = capsys.readouterr().err
    assert killer.killed == 1
    assert files(place / "one") == files(place / "two")
    assert len(list((place / "two").glob("*.png"))) == 12
    assert printed["one"] == printed["two"]  # the same errors for the same images
    assert "broken.png: not an image" in printed["two"]
    assert "empty.png: the file is empty" in printed["two"]
    assert "gone.png: there is no such file" in printed["two"]
    assert "pipe.png: it is a pipe or device, not a file" in printed["two"]


def test_a_joblib_backend_selects_the_cluster_from_python(cluster):
    pairs = [item.load() for item in DATA.train[:3]]
    images, masks = [p[0] for p in pairs], [p[1] for p in pairs]
    scores = []
    with connect(cluster.address, START_SECONDS) as client:
        for backend in ({"backend": "loky"}, {"backend": "dask", "client": client}):
            with joblib.parallel_config(**backend):
                pipeline = SegmentationPipeline(C=10.0, settings=SETTINGS).fit(images, masks)
                scores.append(
                    (pipeline.evaluate(images, masks), pipeline.predict_scores(images[0]).tobytes())
                )
    assert scores[0] == scores[1]


@pytest.mark.usefixtures("usual_limit")
@pytest.mark.parametrize("verb", ["train", "segment"])
def test_no_scheduler_is_one_line_and_status_2(verb, command, model, place, tmp_path, capsys):
    given = command if verb == "train" else ["segment", str(place), "--model", str(model)]
    (place / "a.png").write_bytes(b"")
    output = ["--output", str(tmp_path / "out"), "--scheduler", "tcp://127.0.0.1:1"]
    start = time.monotonic()
    assert run([*given, *output]) == 2
    assert time.monotonic() - start < 10
    printed = capsys.readouterr().err
    assert "there is no scheduler at tcp://127.0.0.1:1" in printed
    assert printed.count("\n") == 1
    assert not (tmp_path / "out").exists()
