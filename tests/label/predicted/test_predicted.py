"""Export of all images: painted pixels are kept, all others are predicted."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from PIL import Image

from segboost.datasets.images.masks import read_values
from segboost.io.legend import read_legend
from segboost.label.predicted.files import OBJECTS, PICTURES, export_predictions
from segboost.label.predicted.source import PredictedImage, TrainedSource
from segboost.label.prediction import predict_image
from segboost.label.session import LabelSession, revision
from segboost.label.training_process import run as train
from tests.label.folders import HEIGHT, WIDTH, write_images


def left_half(image):
    """Predict class 1 on the left half and class 0 elsewhere, with a probability of 80 %."""
    mask = np.zeros(image.shape, np.uint8)
    mask[:, : WIDTH // 2] = 1

    def probability(k):
        return np.where(mask == k, 0.8, 0.2 / 2)

    return PredictedImage(mask, probability)


@pytest.fixture
def session(tmp_path):
    write_images(tmp_path / "images", 2)
    session = LabelSession(tmp_path / "images", 0)
    shown = [c.to_dict() for c in session.classes.classes]
    # A former third class was removed: the new one has the value 3, but number 2 in exports.
    for name in ("other", "wheel"):
        known = revision(session.classes)
        session.change_classes([*shown, {"value": None, "name": name, "colour": None}], known)
    return session


def paint(session):
    image = session.images.scan()[0]
    mask = np.full((HEIGHT, WIDTH), 255, np.uint8)
    mask[10:30, 60:80] = 3
    session.save(image, mask, "none")
    return mask


def export(session, *what):
    place = session.project.predictions
    images = session.images.scan()
    done = []
    export_predictions(place, images, session.masks, left_half, what, done.append)
    assert done == [1, 2]
    return place


def test_painted_pixels_stay_and_are_certain(session):
    painted = paint(session) == 3
    place = export(session, PICTURES)
    found = read_values(place / "masks" / "scene_0.png").values
    assert (found[painted] == 2).all()
    assert (found[~painted][:10] == 1).all()
    share = [np.array(Image.open(place / "probabilities" / f"scene_0.{k}.png")) for k in range(3)]
    assert (share[2][painted] == 65535).all()
    assert (share[1][painted] == 0).all()
    assert share[1][0, 0] == round(0.8 * 65535)
    assert np.array(Image.open(place / "overlays" / "scene_1.png")).shape == (HEIGHT, WIDTH, 3)
    legend = read_legend(place / "classes.json")
    assert legend.names == ("background", "foreground", "wheel")
    assert not (place / "objects.csv").exists()
    command = session.export().command
    assert command.count("--classes") == 1
    assert " --C 20 " in command  # one image is painted: C cannot be chosen
    exported = read_values(session.project.export / "masks" / "scene_0.png").values
    assert (exported[painted] == 2).all()


def test_objects_have_a_row_and_an_outline_each(session):
    paint(session)
    place = export(session, OBJECTS)
    rows = list(csv.DictReader((place / "objects.csv").open(encoding="utf-8")))
    assert [(r["image"], r["class"]) for r in rows] == [
        ("scene_0.png", "foreground"),
        ("scene_0.png", "wheel"),
        ("scene_1.png", "foreground"),
    ]
    assert float(rows[1]["area"]) == 400
    coco = json.loads((place / "objects.coco.json").read_text())
    assert [a["category_id"] for a in coco["annotations"]] == [1, 2, 1]
    assert not any((place / "masks").iterdir())


def test_an_export_replaces_only_its_own_files(session):
    paint(session)
    place = export(session, PICTURES, OBJECTS)
    (session.project.folder / "scene_1.png").unlink()
    images = session.images.scan()
    export_predictions(place, images, session.masks, left_half, [PICTURES])
    assert [p.name for p in (place / "masks").iterdir()] == ["scene_0.png"]
    assert not (place / "objects.csv").exists()
    (place / "masks" / "mine.png").write_text("mine")
    with pytest.raises(ValueError, match=r"mine\.png was not written by the export"):
        export_predictions(place, images, session.masks, left_half, [PICTURES])
    assert (place / "masks" / "scene_0.png").exists()


@pytest.mark.slow
def test_three_classes_are_trained_and_predicted(session):
    session.project.keep_settings({"n_iterations": 4, "borders": {"refine": False}, "C": 10.0})
    images = session.images.scan()
    for image in images:
        mask = np.full((HEIGHT, WIDTH), 255, np.uint8)
        for k, value in enumerate((0, 1, 3)):
            mask[:, 32 * k : 32 * k + 26] = value
        session.save(image, mask, "none")
    session.project.choose_vocabulary(images)
    train(session.project.folder, [i.path.name for i in images], 1)
    assert session.project.model_values() == (0, 1, 3)
    source = TrainedSource(session.project)
    assert source.model.legend.names == ("background", "foreground", "wheel")
    found = source(images[0])
    total = sum(found.probability(k) for k in range(3))
    assert np.allclose(total, 1.0)
    stage = session.project.features()
    item = session.project.item("scene_0.png")
    made = predict_image(source.model, stage, item)
    assert made.probability.shape == (len(made.label), 3)
    assert made.label.max() <= 2


@pytest.mark.slow
def test_three_classes_are_learned_from_a_single_image(session):
    session.project.keep_settings({"n_iterations": 4, "borders": {"refine": False}})
    image = session.images.scan()[0]
    mask = np.full((HEIGHT, WIDTH), 255, np.uint8)
    for k, value in enumerate((0, 1, 3)):
        mask[:, 32 * k : 32 * k + 26] = value
    session.save(image, mask, "none")
    session.project.choose_vocabulary([image])
    train(session.project.folder, [image.path.name], 1)
    found = TrainedSource(session.project)(image)
    assert (
        np.mean(found.mask[mask != 255] == session.classes.index_table()[mask[mask != 255]]) > 0.5
    )
