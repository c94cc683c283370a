"""The live-model process and the server's side of it."""

from __future__ import annotations

import os
import stat
import time

import numpy as np
import pytest

from segboost.label.address import NAME, Address, keep_address, new_address, read_address
from segboost.label.images import ImageFolder
from segboost.label.live.learner import LiveLearner, Painting
from segboost.label.live.predictions import LivePredictions
from segboost.label.live.process import LiveProcess
from segboost.label.masks import MaskFolder
from segboost.label.prediction import Prediction
from segboost.label.project import LabelProject
from segboost.pipelines.segmentation.images.working_size import reduce_items
from tests.label.folders import scenes, write_images
from tests.pipelines.segmentation.tiny_models import SETTINGS


class FakeLearner:
    """Records the masks of its fits; a newer task may arrive during a fit."""

    def __init__(self):
        self.fitted = []
        self.while_fitting = None

    def update(self, painting, check):
        if self.while_fitting:
            self.while_fitting()
        check()
        self.fitted.append(dict(painting.masks))
        return bool(painting.masks)

    def predict(self, name, stamp, version=""):
        if name == "broken.png":
            raise ValueError("features are gone")
        return Prediction(np.array([1, 0], np.uint8), np.array([[0.1, 0.9], [0.5, 0.5]]), 0.3)

    def uncertainty(self, name, stamp):
        return 0.25

    def offer(self, painting, unsure):
        return max(unsure)


def task(number, name="a.png", **masks):
    stamps = {"a.png": "1", "b.png": "1", "broken.png": "1"}
    return {"number": number, "name": name, "stamps": stamps, "masks": masks, "values": [0, 4]}


def test_only_the_latest_of_several_tasks_is_done():
    process = LiveProcess(FakeLearner())
    for number in (1, 2, 3):
        process.tasks.put(task(number, a="v"))

    said = []

    def say(**values):
        said.append(values)
        if "label" in values:
            process.tasks.put(None)

    process.run(say)
    assert [s["number"] for s in said if "label" in s] == [3]
    assert said[0]["label"] == [4, 0]  # values of the classes, not their numbers
    assert said[0]["entropy"][1] == 1.0


def test_a_newer_stroke_interrupts_a_fit():
    learner = FakeLearner()
    process = LiveProcess(learner)
    process.tasks.put(task(1, a="v"))

    def arrive():
        learner.while_fitting = None
        process.tasks.put(task(2, a="w"))

    learner.while_fitting = arrive
    said = []

    def say(**values):
        said.append(values)
        if "offer" in values:
            process.tasks.put(None)

    process.run(say)
    assert learner.fitted == [{"a": "w"}]
    assert {s["number"] for s in said} == {2}
    unsure = {s["other"]: s["uncertainty"] for s in said if "other" in s}
    assert unsure == dict.fromkeys(("a.png", "b.png", "broken.png"), 0.25)
    assert said[-1]["offer"] == "broken.png"


def test_errors_and_missing_classes_are_reported():
    process = LiveProcess(FakeLearner())
    said = []

    def say(**values):
        said.append(values)
        process.tasks.put(task(2) if len(said) == 1 else None)

    process.tasks.put(task(1, "broken.png", a="v"))
    process.run(say)
    assert "features are gone" in said[0]["error"]
    assert said[1] == {"number": 2, "waiting": True}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three images with features, two of them painted."""
    folder = tmp_path_factory.mktemp("live")
    write_images(folder, 3)
    project = LabelProject(folder)
    project.keep_settings({**SETTINGS, "preset": "fast"})
    images = ImageFolder(folder).scan()
    project.choose_vocabulary(images)
    stage = project.features()
    masks = MaskFolder(project.masks)
    for image, item in list(zip(images, scenes(3), strict=True))[:2]:
        masks.save(image, np.where(np.arange(72)[:, None] % 9 < 4, item.mask(), 255), "none")
    for item in reduce_items([project.item(i.path.name) for i in images], 800):
        stage.make(item)
    return folder


def painting(folder, *names):
    project, images = LabelProject(folder), ImageFolder(folder).scan()
    masks = MaskFolder(project.masks)
    versions = {i.path.name: masks.version(i) for i in images if i.path.name in names}
    return Painting(versions, {i.path.name: i.stamp for i in images}, (0, 1))


def test_strokes_on_two_images_predict_a_third(folder):
    project = LabelProject(folder)
    learner = LiveLearner(project, project.features())
    assert learner.predict("scene_2.png", "") is None
    asked = painting(folder, "scene_0.png", "scene_1.png")
    assert learner.update(asked)
    found = learner.predict("scene_2.png", asked.stamps["scene_2.png"])
    regions = learner.described("scene_2.png", asked.stamps["scene_2.png"]).image.superpixels
    truth = scenes(3)[2].mask()
    assert (found.label[regions] == truth)[truth != 255].mean() > 0.8
    assert 0 < learner.uncertainty("scene_2.png", asked.stamps["scene_2.png"]) < 1
    unsure = {f"scene_{k}.png": 0.5 for k in range(3)}
    assert learner.offer(asked, unsure) == "scene_2.png"
    assert learner.offer(asked, {"scene_0.png": 0.5}) is None
    # Without paint there is nothing to learn from.
    assert not learner.update(painting(folder))
    assert learner.predict("scene_2.png", asked.stamps["scene_2.png"]) is None


@pytest.mark.slow
def test_a_killed_process_is_started_again(folder):
    live = LivePredictions(LabelProject(folder))
    asked = painting(folder, "scene_0.png", "scene_1.png")
    stamp = asked.stamps["scene_2.png"]
    try:
        for _ in range(2):
            number = live.ask(asked, "scene_2.png")
            end = time.monotonic() + 240
            while live.busy and time.monotonic() < end:
                time.sleep(0.05)
            assert live.snapshot() == {
                "busy": False,
                "answered": number,
                "waiting": False,
                "problem": "",
            }
            assert set(live.prediction("scene_2.png", stamp)["label"]) <= {0, 1}
            assert live.prediction("scene_2.png", "other") is None
            live._process.kill()
            live._process.wait()
    finally:
        live.close()


def test_only_its_owner_can_read_the_address(tmp_path):
    made = new_address()
    assert read_address(tmp_path).token != made.token
    keep_address(tmp_path, Address(4711, made.token))
    path = tmp_path / NAME
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_address(tmp_path) == Address(4711, made.token)
    keep_address(tmp_path, Address(4712, made.token))
    assert [p.name for p in tmp_path.iterdir()] == [NAME]
    path.chmod(0o644)  # others may have read it
    assert read_address(tmp_path).token != made.token


@pytest.mark.parametrize("text", ["", "[]", '{"port": 1, "token": "short"}', '{"port": 99999}'])
def test_a_damaged_address_is_replaced(tmp_path, text):
    path = tmp_path / NAME
    path.write_text(text)
    path.chmod(0o600)
    assert read_address(tmp_path).port == 0


def test_an_address_that_is_not_a_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / NAME)
    assert read_address(tmp_path).port == 0
    with pytest.raises(OSError, match="pipe"):
        keep_address(tmp_path, new_address())
    (tmp_path / NAME).unlink()
    keep_address(tmp_path, Address(5, "x" * 32))
    (tmp_path / NAME).rename(tmp_path / "mine")
    (tmp_path / NAME).symlink_to(tmp_path / "mine")
    assert read_address(tmp_path).port == 0
