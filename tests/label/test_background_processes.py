"""The background processes of the server: order of work, crashes, and unreadable images."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time

import numpy as np
import pytest
from PIL import Image

from segboost.label.background_processes import BackgroundProcesses
from segboost.label.images import FolderImage, ImageFolder
from segboost.label.prediction import mean_entropy
from segboost.label.project import LabelProject, label_config
from segboost.label.worker_process import Worker
from tests.label.folders import scenes, write_images
from tests.pipelines.segmentation.tiny_models import SETTINGS

PATIENCE = 120
# Answers every command and logs it; "deadly" makes it exit.
FAKE = """
import json, sys
for line in sys.stdin:
    task = json.loads(line)
    with open(sys.argv[1], "a") as log:
        log.write(task["name"] + "\\n")
    if task["name"] == "deadly.png":
        sys.exit(3)
    print(json.dumps({"done": True}), flush=True)
"""
# Reports its progress, then waits forever.
TRAINER = """
import json, sys, time
sys.stdin.readline()
print(json.dumps({"stage": "trees", "done": 1, "total": 3, "note": ""}), flush=True)
time.sleep(600)
"""
# Output printed by a library must not be taken for a report.
NOISY = """
import json, sys
sys.stdin.readline()
print("a warning")
print("[1]")
print(json.dumps({"finished": True}))
"""
FAILING = "import json, sys; sys.stdin.readline(); print(json.dumps({'error': 'no good'}))"


class FakeProcesses(BackgroundProcesses):
    """Background processes that run small scripts."""

    def __init__(self, project, n_workers, trainer=TRAINER):
        super().__init__(project, n_workers)
        self.log = project.folder / "asked.txt"
        self.trainer = trainer

    def _spawn(self, module, new_group=False):
        code = self.trainer if module.endswith("training_process") else FAKE
        return subprocess.Popen(
            [sys.executable, "-S", "-c", code, str(self.log)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=new_group,
        )

    def asked(self):
        return self.log.read_text().split() if self.log.exists() else []


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "the condition was not met in time"
        time.sleep(0.02)


def images(folder, *names, stamp=""):
    return [FolderImage(name, folder / name, 9, 9, stamp=stamp) for name in names]


@pytest.fixture
def processes(tmp_path):
    processes = FakeProcesses(LabelProject(tmp_path), 1)
    yield processes
    processes.close()


def test_the_viewed_image_comes_first(processes, tmp_path):
    processes.update_images(images(tmp_path, "a.png", "b.png", "c.png"))
    processes.focus(["c.png"])
    processes.start()
    until(lambda: len(processes.described) == 3)
    assert processes.asked() == ["c.png", "a.png", "b.png"]


def test_the_images_after_the_viewed_one_come_next(processes, tmp_path):
    processes.update_images(images(tmp_path, "a.png", "b.png", "c.png", "d.png"))
    processes.focus(["c.png"])
    processes.start()
    until(lambda: len(processes.described) == 4)
    assert processes.asked() == ["c.png", "d.png", "a.png", "b.png"]


def test_a_file_that_changed_is_tried_again(processes, tmp_path):
    processes.update_images(images(tmp_path, "a.png", "deadly.png", stamp="half"))
    processes.start()
    until(lambda: processes.described and processes.failed)
    processes.uncertainty["deadly.png"] = 0.5
    processes.update_images(images(tmp_path, "a.png", "deadly.png", stamp="half"))
    time.sleep(0.1)
    assert processes.asked() == ["a.png", "deadly.png"]
    processes.update_images(
        [*images(tmp_path, "a.png", stamp="half"), *images(tmp_path, "deadly.png")]
    )
    until(lambda: processes.asked() == ["a.png", "deadly.png", "deadly.png"])
    assert processes.uncertainty == {}


def test_a_process_that_dies_fails_only_its_image(processes, tmp_path):
    processes.update_images(images(tmp_path, "a.png", "deadly.png", "z.png"))
    processes.start()
    until(lambda: len(processes.described) + len(processes.failed) == 3)
    assert processes.described == {"a.png", "z.png"}
    assert "died" in processes.failed["deadly.png"]


def test_training_has_the_processors_and_can_be_stopped(processes, tmp_path):
    processes.train(["a.png"])
    until(lambda: processes.snapshot().get("stage") == "trees")
    assert processes.snapshot()["running"]
    processes.update_images(images(tmp_path, "a.png"))
    processes.start()
    with pytest.raises(RuntimeError, match="already running"):
        processes.train(["a.png"])
    process = processes.training.process
    time.sleep(0.3)
    assert processes.asked() == []
    processes.stop_training()
    until(lambda: not processes.snapshot()["running"])
    assert process.poll() is not None
    assert processes.snapshot()["outcome"] == "stopped"
    until(lambda: processes.asked() == ["a.png"])


def test_failed_training_reports_the_reason(tmp_path):
    processes = FakeProcesses(LabelProject(tmp_path), 0, FAILING)
    processes.train(["a.png"])
    until(lambda: not processes.snapshot()["running"])
    assert processes.snapshot()["outcome"] == "no good"


def test_output_of_libraries_does_not_end_the_report(tmp_path):
    processes = FakeProcesses(LabelProject(tmp_path), 0, NOISY)
    processes.train(["a.png"])
    until(lambda: not processes.snapshot()["running"])
    assert processes.snapshot()["outcome"] == "trained"


def test_a_broken_image_does_not_affect_the_others(tmp_path):
    write_images(tmp_path, 2)
    whole = io.BytesIO()
    Image.fromarray(scenes(1)[0].image()).save(whole, "JPEG")
    (tmp_path / "cut.jpg").write_bytes(whole.getvalue()[:1500])
    project = LabelProject(tmp_path)
    project.keep_settings(SETTINGS)
    project.choose_vocabulary(ImageFolder(tmp_path).scan())
    assert "cut.jpg" in project.vocabulary()
    worker = Worker(tmp_path)
    assert project.vocabulary() == ["scene_0.png", "scene_1.png"]
    assert worker.answer({"do": "features", "name": "scene_0.png"}) == {"done": True}
    assert "broken" in worker.answer({"do": "features", "name": "cut.jpg"})["error"]
    answer = worker.answer({"do": "predict", "name": "scene_0.png", "model": "none"})
    assert "error" in answer
    json.dumps(answer)


def test_the_vocabulary_stays_when_images_are_added(tmp_path):
    write_images(tmp_path, 2)
    project = LabelProject(tmp_path)
    project.choose_vocabulary(ImageFolder(tmp_path).scan())
    first = project.vocabulary()
    write_images(tmp_path, 4)
    project.choose_vocabulary(ImageFolder(tmp_path).scan())
    assert project.vocabulary() == first
    (tmp_path / "scene_0.png").unlink()
    project.choose_vocabulary(ImageFolder(tmp_path).scan())
    assert project.vocabulary() == ["scene_1.png", "scene_2.png", "scene_3.png"]


def test_settings_change_only_what_they_name():
    config = label_config({"unary": {"n_folds": 3}})
    assert config.unary.n_folds == 3
    assert config.unary.n_stumps == label_config().unary.n_stumps
    assert (config.linear_below, label_config({"preset": "classic"}).linear_below) == (200, 0)
    with pytest.raises(ValueError, match="no key"):
        label_config({"unary": {"stumps": 3}})


def test_entropy_matches_its_definition():
    p, area = np.array([0.1, 0.5, 1.0]), np.array([1, 2, 3])
    known = -(0.1 * np.log2(0.1) + 0.9 * np.log2(0.9))
    assert mean_entropy(np.stack([1 - p, p], axis=1), area) == pytest.approx((known + 2) / 6)
